import { TRY_AGAIN } from "../../upload-problem";
import { FILE_CHANGED, isReadable } from "./is-readable";
import { RETRY_MS } from "./retry-delays";
import { NotSent, remedyFor } from "./transport";
import { tusTransport } from "./tus-transport";

const LOST = "The connection was lost. Try again when it is back.";

const uploadsByFile = new WeakMap<File, { purpose: string; url: string }>();

/** Uploads a form's file in chunks; returns the upload's id. Throws an error with the text to show. */
export async function uploadAhead(file: File, metadata: Record<string, string>): Promise<string> {
  const { signal } = new AbortController();
  const purpose = JSON.stringify(metadata);
  const earlier = uploadsByFile.get(file);
  let url: string | null = earlier?.purpose === purpose ? earlier.url : null;
  let furthest = 0;
  for (let tries = 0; ; tries++) {
    try {
      const onUrl = (created: string) => {
        url = created;
        uploadsByFile.set(file, { purpose, url: created });
      };
      const onProgress = (bytes: number) => {
        if (bytes > furthest) tries = 0;
        furthest = Math.max(furthest, bytes);
      };
      await tusTransport.send({ file, url, metadata: { ...metadata, filename: file.name }, signal, onUrl, onProgress });
      return new URL(url ?? "", location.href).pathname.split("/").at(-1) ?? "";
    } catch (error) {
      if (!(error instanceof NotSent)) throw error;
      if (error.status === null && !(await isReadable(file))) throw new Error(FILE_CHANGED, { cause: error });
      const { kind, problem } = remedyFor(error);
      const delay = RETRY_MS[tries];
      if (error.status === null && delay === undefined) throw new Error(LOST, { cause: error });
      if (kind === "fail" || delay === undefined) throw new Error(kind === "fail" ? problem : `${problem} ${TRY_AGAIN}`, { cause: error });
      if (kind === "restart") url = null;
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}

import { DetailedError, Upload } from "tus-js-client";
import type { UploadResult } from "~/images/upload";
import { isUploadProblem, TEXTS, type UploadProblem } from "./problem";

/** A file did not get through: `status` and what the server told, or null for both where nothing came back. */
export class NotSent extends Error {
  override name = "NotSent";
  readonly status: number | null;
  readonly told: UploadProblem | null;

  constructor(status: number | null, told: UploadProblem | null) {
    super(told?.problem ?? `No answer (${status ?? "the line is lost"})`);
    this.status = status;
    this.told = told;
  }
}

export type Sending = {
  file: File;
  /** Where an earlier sending of the same file has come to; null: it has not begun. */
  url: string | null;
  metadata: Record<string, string>;
  signal: AbortSignal;
  /** Once the server has given it an address, by which it can be gone on with. */
  onUrl: (url: string) => void;
  /** How many bytes the server has, or is being sent. */
  onProgress: (bytes: number) => void;
};

/** The line to the server. */
export type Transport = {
  /** Sends what the server does not have yet. Throws `NotSent`, or the signal's reason once that is aborted. */
  send(sending: Sending): Promise<void>;
  /** Whether the server has all bytes of a file; it has not where it knows nothing of it. Throws `NotSent` where that is not told. */
  hasArrived(url: string): Promise<boolean>;
  /** Asks for the image that a file which has arrived becomes. Throws as `send` does. */
  finish(url: string, anyway: boolean, signal: AbortSignal): Promise<UploadResult>;
  /** Tells the server that nothing will come of it; if that fails, it finds out by itself. */
  discard(url: string): void;
};

const VERSION = "1.0.0";

/** A small file goes with the request that announces it, a larger one only when the server has said that it wants it. */
const WITH_ANNOUNCEMENT = 256 * 1024;

/** Resumable, over tus; the last step is our own (`protocol.server.ts`). */
export const tusTransport: Transport = {
  send: ({ file, url, metadata, signal, onUrl, onProgress }) =>
    new Promise((resolve, reject) => {
      const upload = new Upload(file, {
        endpoint: new URL("/uploads", location.href).href,
        uploadUrl: url === null ? null : new URL(url, location.href).href,
        metadata,
        uploadDataDuringCreation: file.size <= WITH_ANNOUNCEMENT,
        // When to try again, and what is remembered beyond this page, is decided where it is also shown.
        retryDelays: [],
        storeFingerprintForResuming: false,
        onUploadUrlAvailable() {
          if (upload.url !== null) onUrl(new URL(upload.url).pathname);
        },
        onProgress,
        onSuccess: () => resolve(),
        onError: (error) => reject(asNotSent(error)),
      });
      signal.addEventListener("abort", () => {
        void upload.abort();
        reject(signal.reason);
      });
      if (!signal.aborted) upload.start();
    }),

  // A question (tus 1.0, HEAD) that decides nothing: who only looks at what an earlier page left asks for no image.
  async hasArrived(url) {
    const response = await fetch(url, { method: "HEAD", headers: { "Tus-Resumable": VERSION } }).catch(() => {
      throw new NotSent(null, null);
    });
    if (response.status === 404) return false;
    const offset = response.headers.get("Upload-Offset");
    // What answers without one is not our server, but something in between.
    if (!response.ok || offset === null) throw new NotSent(response.status, null);
    return offset === response.headers.get("Upload-Length");
  },

  async finish(url, anyway, signal) {
    const response = await fetch(`${url}/finish${anyway ? "?anyway=1" : ""}`, { method: "POST", signal }).catch((error: unknown) => {
      throw signal.aborted ? error : new NotSent(null, null);
    });
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok && isUploadResult(answer)) return answer;
    throw new NotSent(response.status, isUploadProblem(answer) ? answer : null);
  },

  discard(url) {
    fetch(url, { method: "DELETE", headers: { "Tus-Resumable": VERSION }, keepalive: true }).catch(() => {});
  },
};

function asNotSent(error: Error): NotSent {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  return response ? new NotSent(response.getStatus(), readProblem(response.getBody())) : new NotSent(null, null);
}

function readProblem(text: string | undefined): UploadProblem | null {
  try {
    const told: unknown = JSON.parse(text ?? "");
    return isUploadProblem(told) ? told : null;
  } catch {
    return null;
  }
}

function isUploadResult(answer: unknown): answer is UploadResult {
  return typeof answer === "object" && answer !== null && "ok" in answer && typeof answer.ok === "boolean";
}

/** What is to be done about a file that did not get through. */
export type Remedy = { kind: "wait" | "begin anew" | "give up"; problem: string; again: boolean };

/** Waits where time may mend it, begins anew where the server has lost it, and gives up where somebody has to do something first. */
export function remedyFor({ status, told }: NotSent): Remedy {
  const problem = told?.problem ?? (status === null ? LOST : TEXTS.busy);
  if (status === null || status === 429 || status === 423 || status >= 500) return { kind: "wait", problem, again: true };
  if (status === 404 && told?.problem === TEXTS.unknown) return { kind: "begin anew", problem, again: true };
  if (status === 460 || (status === 409 && !told?.duplicateOf)) return { kind: "wait", problem, again: true };
  return { kind: "give up", problem: told?.problem ?? TEXTS.failed, again: told?.again ?? status === 401 };
}

const LOST = "The connection was lost. It goes on by itself when it is back.";

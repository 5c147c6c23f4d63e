import { stat } from "node:fs/promises";
import { api } from "#convex/_generated/api";
import type { Id } from "#convex/_generated/dataModel";
import { serviceConvex } from "~/accounts/service.server";
import type { AppConfig } from "~/config";
import { refusalOf } from "~/data/refusals";
import { log } from "~/http/log.server";
import { metrics } from "~/http/metrics.server";
import { sendFile } from "~/http/send-file.server";
import { Unavailable } from "~/http/unavailable.server";
import { inspect } from "./inspect.server";
import { BusyError } from "./queue.server";
import type { ArrivedFile } from "./receive.server";
import { duplicateText, noRoomText, tooLargeText, type UploadResult } from "./upload";

export type UploadOf = {
  config: AppConfig;
  sessionId: string;
  designId: string;
  /** Names this file's place in this sending of a form, the same when that is sent again. */
  sending: string;
  /** The image that it is to be a new version of; without it, it becomes an image of its own. */
  versionOf?: string;
  /** Refuse a picture that the design has already. */
  onlyNew?: boolean;
  /** SHA-256 in hexadecimal that the file had where it came from: another one says that it was damaged on the way. */
  checksum?: string | null;
  /** Bytes that have been promised to others of its owner's files, which are still arriving. */
  reserved?: number;
};

/** How long the deployment may take for a file's bytes. */
const STORE_PATIENCE_MS = 5 * 60_000;

/**
 * Takes an arrived file into the design, or says in its result why not. Throws the refusals `not_found` (of the design) and
 * `unauthenticated`, which concern all files of the form alike.
 *
 * The order is what keeps rows and bytes together: bytes first, then the row, and if that fails, the bytes go again. Should that fail as
 * well, or this process end in between, they go with the next sweep (`convex/sweep.ts`).
 */
export async function keep(file: ArrivedFile, upload: UploadOf): Promise<UploadResult> {
  const result = await take(file, upload);
  metrics.uploads.inc({ outcome: result.ok ? "kept" : result.again ? "failed" : "refused" });
  return result;
}

async function take(file: ArrivedFile, upload: UploadOf): Promise<UploadResult> {
  const refused = (problem: string, again = false): Extract<UploadResult, { ok: false }> => ({
    name: file.name,
    ok: false,
    problem,
    again,
  });
  if (file.tooLarge) return refused(tooLargeText(null, upload.config.uploadMaxBytes));
  try {
    const inspection = await inspect(file.path, file.digest);
    if (!inspection.ok) return refused(inspection.problem);
    const { checksum } = inspection.facts;
    if (upload.checksum && upload.checksum !== checksum)
      return { ...refused("The file was damaged on its way. Nothing of it was kept: try again.", true), damaged: true };
    const imageId = await store(file, inspection.facts, upload);
    metrics.uploadedBytes.inc(inspection.facts.size);
    return { name: file.name, ok: true, imageId };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.code === "not_found" || refusal?.code === "unauthenticated") throw error;
    if (refusal?.duplicateOf) return { ...refused(duplicateText(refusal.duplicateOf.name)), duplicateOf: refusal.duplicateOf };
    if (refusal?.left !== undefined) {
      const { size } = await stat(file.path);
      return refused(noRoomText(size, refusal.left, upload.config.storageQuotaBytes), true);
    }
    if (refusal) return refused(refusal.message ?? "The file could not be taken.");
    if (error instanceof BusyError)
      return {
        ...refused("Too many pictures are being looked at right now. Your file was not kept: try again in a moment.", true),
        soon: true,
      };
    if (error instanceof Unavailable)
      return { ...refused("The storage does not answer. Your file was not kept: try again in a moment.", true), soon: true };
    log.error({ error }, "an upload failed");
    return refused("Something failed on our side. Your file was not kept: try again.", true);
  }
}

type Facts = Extract<Awaited<ReturnType<typeof inspect>>, { ok: true }>["facts"];

async function store(file: ArrivedFile, facts: Facts, upload: UploadOf): Promise<string> {
  const { config, sessionId, designId, sending, versionOf, onlyNew = false, reserved = 0 } = upload;
  const quota = config.storageQuotaBytes;
  const convex = serviceConvex(config);
  // With the content in it, since a form that comes back from the browser's history may be sent again with other files.
  const uploadId = `${sending}:${facts.checksum}`;
  const url = await convex.mutation(
    api.uploads.generateUploadUrl,
    { sessionId, designId, uploadId, bytes: facts.size + reserved, quota, ...(onlyNew && { unlessThere: facts.checksum }) },
    { skipQueue: true },
  );
  const storageId = await storeBytes(url, file.path, facts);
  const stored = { sessionId, uploadId, storageId, name: file.name, ...facts, quota };
  const finalize = async (): Promise<string> => {
    if (versionOf === undefined) return convex.mutation(api.uploads.finalize, { ...stored, designId, onlyNew }, { skipQueue: true });
    await convex.mutation(api.versions.finalize, { ...stored, imageId: versionOf }, { skipQueue: true });
    return versionOf;
  };
  try {
    // Whether an unanswered call ran is unknown; a second one finds out, as `uploadId` makes them one.
    return await finalize().catch((error: unknown) => {
      if (error instanceof Unavailable) return finalize();
      throw error;
    });
  } catch (error) {
    // Leaves a file alone that has got its row after all.
    await convex.mutation(api.uploads.discard, { storageId }, { skipQueue: true }).catch(() => {});
    throw error;
  }
}

/** Stores the file, if it still is what it was when it was looked at. */
async function storeBytes(url: string, path: string, { contentType, checksum }: Facts): Promise<Id<"_storage">> {
  const headers = { "Content-Type": contentType, Digest: `sha-256=${Buffer.from(checksum, "hex").toString("base64")}` };
  try {
    const { status, text } = await sendFile(url, path, { headers, signal: AbortSignal.timeout(STORE_PATIENCE_MS) });
    const answer: unknown = status === 200 ? JSON.parse(text) : text;
    if (isStored(answer)) return answer.storageId;
    throw new Error(`The storage answered ${status}: ${text}`);
  } catch (cause) {
    throw new Unavailable("The storage did not take the file", { cause });
  }
}

function isStored(answer: unknown): answer is { storageId: Id<"_storage"> } {
  return typeof answer === "object" && answer !== null && "storageId" in answer && typeof answer.storageId === "string";
}

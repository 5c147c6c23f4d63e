import { stat } from "node:fs/promises";
import type { ConvexHttpClient } from "convex/browser";
import { api } from "#convex/_generated/api";
import type { Id } from "#convex/_generated/dataModel";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import type { AppConfig } from "~/config";
import { refusalOf } from "~/lib/data/error-responses";
import { log } from "~/lib/http/telemetry/log.server";
import { metrics } from "~/lib/http/telemetry/metrics.server";
import { DiskFull, isDiskFull } from "~/lib/http/disk-full.server";
import { sendFile } from "~/lib/http/files/send-file.server";
import { storageAddress } from "~/lib/http/files/storage-address.server";
import { Unavailable } from "~/lib/http/unavailable.server";
import { inspectImage } from "~/features/images/codecs/inspect-image.server";
import { BusyError } from "~/features/images/codecs/work-queue.server";
import type { ArrivedFile } from "~/lib/http/forms/receive-multipart.server";
import { duplicateText, storageFullText, tooLargeText, type UploadResult } from "../upload-result";

export type Sender = { sessionId: string; tokenHash?: never } | { sessionId?: never; tokenHash: string };

export const senderOf = ({ sessionId, tokenHash }: Sender): Sender => (tokenHash === undefined ? { sessionId } : { tokenHash });

export type UploadContext = Sender & {
  config: AppConfig;
  userId: string;
  designId: string;
  sending: string;
  versionOf?: string;
  onlyNew?: boolean;
  /** `checksum`: SHA-256 in hexadecimal from the client, which detects damage in transit. `storageUrl`: from an earlier check. */
  checksum?: string | null;
  chosenAs?: { batch: string; index: number } | undefined;
  reserved?: number;
  maxFileBytes?: number;
  storageUrl?: string | undefined;
};

const STORE_TIMEOUT_MS = 5 * 60_000;

/** Stores bytes, then the row; `convex/jobs/sweep.ts` deletes leftovers. Throws `not_found` (the design), `unauthenticated`, `DiskFull`. */
export async function storeImage(file: ArrivedFile, upload: UploadContext): Promise<UploadResult> {
  const result = await storeArrived(file, upload);
  metrics.uploads.inc({ outcome: result.ok ? "kept" : result.again ? "failed" : "refused" });
  return result;
}

async function storeArrived(file: ArrivedFile, upload: UploadContext): Promise<UploadResult> {
  const { config, onlyNew = false, checksum, versionOf, storageUrl = null } = upload;
  try {
    const isEarly = onlyNew && !checksum && !file.tooLarge;
    const requested = isEarly && file.digest !== null ? await requestStorage(file.digest, await sizeOf(file), upload) : storageUrl;
    const checked = await checkImage(file, upload);
    if ("refused" in checked) return checked.refused;
    const pages = checked.properties.pages?.length ?? 1;
    if (versionOf !== undefined && pages > 1)
      return refusedAs(file.name)(
        `This PDF has ${pages} pages, but a version is a single image. Upload one page, or add the PDF to the design.`,
      );
    const imageId = await store(file, checked.properties, upload, requested);
    metrics.uploadedBytes.inc(checked.properties.size);
    return { name: file.name, ok: true, imageId };
  } catch (error) {
    return resultOf(error, file, config);
  }
}

export async function resultOf(error: unknown, file: ArrivedFile, config: AppConfig): Promise<UploadResult> {
  if (isFormError(error)) throw error;
  const refused = refusedAs(file.name);
  const refusal = refusalOf(error);
  if (refusal?.duplicateOf) return { ...refused(duplicateText(refusal.duplicateOf.name)), duplicateOf: refusal.duplicateOf };
  if (refusal?.left !== undefined) {
    return refused(storageFullText(await sizeOf(file), refusal.left, refusal.quota ?? config.storageQuotaBytes), true);
  }
  if (refusal) return refused(refusal.message ?? "The file could not be saved.");
  if (error instanceof BusyError)
    return { ...refused("The server is busy. Your file was not saved. Try again in a moment.", true), soon: true };
  if (error instanceof Unavailable)
    return { ...refused("The storage is not responding. Your file was not saved. Try again in a moment.", true), soon: true };
  log.error({ error }, "an upload failed");
  return refused("Something went wrong on our side. Your file was not saved. Try again.", true);
}

function isFormError(error: unknown): boolean {
  const code = refusalOf(error)?.code;
  return isDiskFull(error) || code === "not_found" || code === "unauthenticated";
}

type Failed = Extract<UploadResult, { ok: false }>;

const refusedAs =
  (name: string) =>
  (problem: string, again = false): Failed => ({ name, ok: false, problem, again });

export async function checkImage(
  file: ArrivedFile,
  {
    config,
    userId,
    checksum,
    maxFileBytes = config.uploadMaxBytes,
  }: Pick<UploadContext, "config" | "userId" | "checksum" | "maxFileBytes">,
): Promise<{ properties: ImageProperties } | { refused: Failed }> {
  const refused = refusedAs(file.name);
  if (file.tooLarge) return { refused: refused(tooLargeText(null, maxFileBytes)) };
  const inspection = await inspectImage(file.path, userId, file.digest);
  if (!inspection.ok) return { refused: refused(inspection.problem) };
  const { properties } = inspection;
  if (!checksum || checksum === properties.checksum) return { properties };
  return { refused: { ...refused("The file was damaged during the upload. Nothing was saved. Try again.", true), damaged: true } };
}

export type ImageProperties = Extract<Awaited<ReturnType<typeof inspectImage>>, { ok: true }>["properties"];

const sizeOf = async ({ path }: ArrivedFile): Promise<number> => (await stat(path)).size;

/** Includes the content, since a form restored from the browser's history may be sent again with other files. */
const uploadIdOf = ({ sending }: UploadContext, checksum: string): string => `${sending}:${checksum}`;

function requestStorage(checksum: string, size: number, upload: UploadContext): Promise<string> {
  const { config, designId, onlyNew = false, reserved = 0 } = upload;
  const room = { bytes: size + reserved, quota: config.storageQuotaBytes, ...(onlyNew && { unlessThere: checksum }) };
  return serviceConvex(config).mutation(
    api.uploads.generateUploadUrl,
    { ...senderOf(upload), designId, uploadId: uploadIdOf(upload, checksum), ...room },
    { skipQueue: true },
  );
}

async function store(file: ArrivedFile, properties: ImageProperties, upload: UploadContext, requested: string | null): Promise<string> {
  const { config, designId, versionOf, onlyNew = false, chosenAs } = upload;
  const quota = config.storageQuotaBytes;
  const convex = serviceConvex(config);
  const uploadId = uploadIdOf(upload, properties.checksum);
  const url = requested ?? (await requestStorage(properties.checksum, properties.size, upload));
  const storageId = await storeBytes(config, url, file.path, properties);
  const stored = { ...senderOf(upload), uploadId, storageId, name: file.name, ...properties, quota };
  const finalize = async (): Promise<string> => {
    if (versionOf === undefined)
      return convex.mutation(api.uploads.finalize, { ...stored, designId, onlyNew, ...(chosenAs && { chosenAs }) }, { skipQueue: true });
    const { pages: _, ...version } = stored;
    await convex.mutation(api.versions.finalize, { ...version, imageId: versionOf }, { skipQueue: true });
    return versionOf;
  };
  return finalizeStored(convex, storageId, finalize);
}

export async function finalizeStored<Result>(
  convex: ConvexHttpClient,
  storageId: Id<"_storage">,
  finalize: () => Promise<Result>,
): Promise<Result> {
  try {
    // An unanswered call may have run; repeating it is safe because `uploadId` is the same.
    return await finalize().catch((error: unknown) => {
      if (error instanceof Unavailable) return finalize();
      throw error;
    });
  } catch (error) {
    // `discard` keeps a file whose row was inserted after all.
    await convex.mutation(api.uploads.discard, { storageId }, { skipQueue: true }).catch(() => {});
    throw error;
  }
}

export async function storeBytes(
  config: AppConfig,
  url: string,
  path: string,
  { contentType, checksum }: ImageProperties,
): Promise<Id<"_storage">> {
  const headers = { "Content-Type": contentType, Digest: `sha-256=${Buffer.from(checksum, "hex").toString("base64")}` };
  try {
    const { status, text } = await sendFile(storageAddress(config, url), path, { headers, signal: AbortSignal.timeout(STORE_TIMEOUT_MS) });
    if (status === 507) throw new DiskFull("The storage is full");
    const answer: unknown = status === 200 ? JSON.parse(text) : text;
    if (isStored(answer)) return answer.storageId;
    throw new Error(`The storage answered ${status}: ${text}`);
  } catch (cause) {
    if (cause instanceof DiskFull) throw cause;
    throw new Unavailable("The storage rejected the file", { cause });
  }
}

function isStored(answer: unknown): answer is { storageId: Id<"_storage"> } {
  return typeof answer === "object" && answer !== null && "storageId" in answer && typeof answer.storageId === "string";
}

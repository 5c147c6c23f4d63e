import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { RouterContextProvider } from "react-router";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { expectSession } from "~/features/accounts/session/session-check.server";
import { getVisitor, redirectToSignIn, type Visitor } from "~/features/accounts/session/session.server";
import { imageServiceFor } from "~/features/images/serve/image-service.server";
import type { AppConfig } from "~/config";
import { refusalOf } from "~/lib/data/error-responses";
import { configContext } from "~/lib/http/context";
import { type ArrivedFile, receiveMultipart } from "~/lib/http/forms/receive-multipart.server";
import { setFlash } from "~/lib/http/middleware/flash.server";
import { count } from "~/lib/ui/count";
import { MAX_FILES, storageFullText, tooLargeText, UPLOAD_FIELDS, type UploadAnswer, type UploadResult } from "../upload-result";
import { SILENCE_MS, uploadErrorResponse } from "./handle-multipart-upload.server";
import type { PartialUpload, PresentUploads } from "./partial-uploads/partial-uploads.server";
import { storageOwnerOf } from "./storage-owner.server";
import { storeImage } from "./store-image.server";
import { uploadToNewProject } from "./upload-to-new-project.server";
import { uploadsFor } from "./uploads.server";

/** Files of the share sheet are partial uploads without a design. The oldest beyond `MAX_FILES` are removed. */

type Sharer = Pick<Visitor, "userId" | "sessionId">;

/** Stores the files of a share for the signed-in user. Otherwise throws the response: sign-in, 400, 429, 503 or 507. */
export async function storeShared(request: Request, context: Readonly<RouterContextProvider>): Promise<void> {
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const { sessionId, userId } = visitor;
  const config = context.get(configContext);
  const limits = { names: [UPLOAD_FIELDS.files], maxFileBytes: config.uploadMaxBytes, maxFiles: MAX_FILES, silenceMs: SILENCE_MS };
  try {
    await expectSession(config, sessionId);
    const { results, tooMany } = await uploadsFor(config).concurrencyLimit.hold(userId, () =>
      receiveMultipart(request, limits, {
        newPath: imageServiceFor(config).newPath,
        onFile: (file) => storeFile(file, visitor, config),
      }),
    );
    const problems = results.filter((problem) => problem !== null);
    if (problems[0] !== undefined) setFlash(context, `${count(problems.length, "file")} not shared. ${problems[0]}`);
    else if (tooMany) setFlash(context, `Only the first ${MAX_FILES} files were shared. Share the others separately.`);
  } catch (error) {
    throw uploadErrorResponse(error, request);
  }
}

const NAME_MAX = 1000;

async function storeFile({ name, path, tooLarge }: ArrivedFile, { userId, sessionId }: Sharer, config: AppConfig): Promise<string | null> {
  if (tooLarge) return `${tooLargeText(null, config.uploadMaxBytes)}.`;
  const { partialUploads } = uploadsFor(config);
  const { size: length } = await stat(path);
  const file = { ownerId: userId, designId: null, name: name.slice(0, NAME_MAX), length, checksum: null, isShared: true };
  let replaced: PartialUpload[] = [];
  let reserved = 0;
  const admit = async ({ reserving }: PresentUploads) => {
    const waiting = sharedAmong(reserving);
    replaced = waiting.slice(0, Math.max(0, waiting.length + 1 - MAX_FILES));
    const kept = reserving.filter((part) => !replaced.includes(part));
    reserved = kept.reduce((sum, part) => sum + part.length, 0);
    const room = { sessionId, bytes: length + reserved, images: kept.length + 1, quota: config.storageQuotaBytes };
    await serviceConvex(config).query(api.uploads.expectRoom, room);
  };
  let part: PartialUpload;
  try {
    part = await partialUploads.create(file, admit);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.left !== undefined)
      return storageFullText(length, Math.max(0, refusal.left - reserved), refusal.quota ?? config.storageQuotaBytes);
    if (refusal?.code === "limit" && refusal.message !== undefined) return refusal.message;
    throw error;
  }
  try {
    for (const oldest of replaced) await partialUploads.remove(oldest);
    await partialUploads.append(part, 0, createReadStream(path));
  } catch (error) {
    await partialUploads.remove(part);
    throw error;
  }
  return null;
}

export async function sharedFiles(userId: string, config: AppConfig): Promise<PartialUpload[]> {
  const files = await sharedParts(userId, config);
  const offsets = await Promise.all(
    files.map((file) =>
      uploadsFor(config)
        .partialUploads.offset(file)
        .catch(() => null),
    ),
  );
  return files.filter(({ length }, index) => offsets[index] === length);
}

async function sharedParts(userId: string, config: AppConfig): Promise<PartialUpload[]> {
  return sharedAmong(await uploadsFor(config).partialUploads.unfinished(userId));
}

const sharedAmong = (parts: PartialUpload[]) =>
  parts.filter(({ isShared = false }) => isShared).toSorted((a, b) => a.expiresAt - b.expiresAt);

export async function addSharedToNewProject(request: Request, visitor: Sharer, context: Readonly<RouterContextProvider>) {
  const config = context.get(configContext);
  if ((await sharedFiles(visitor.userId, config)).length === 0) return { answer: { results: [], problem: EXPIRED }, designId: "" };
  return uploadToNewProject(request, context, (designId) => addShared(visitor, designId, config));
}

const EXPIRED = "The shared files have expired. Share them again.";

/** Adds the shared files to a design and removes those that need no retry. Throws "not_found" for the design. */
export async function addShared({ userId, sessionId }: Sharer, designId: string, config: AppConfig): Promise<UploadAnswer> {
  const { partialUploads, concurrencyLimit } = uploadsFor(config);
  const storageOwnerId = await storageOwnerOf({ config, sessionId, designId });
  return concurrencyLimit.hold(userId, async () => {
    const results: UploadResult[] = [];
    for (const file of await sharedFiles(userId, config)) {
      const reserved = (await partialUploads.reserved(storageOwnerId)) - (storageOwnerId === userId ? file.length : 0);
      const arrived = { index: 0, name: file.name, path: partialUploads.path(file), tooLarge: false, digest: partialUploads.digest(file) };
      const result = await storeImage(arrived, { config, userId, sessionId, designId, sending: `${userId}:${file.id}`, reserved });
      results.push(result);
      if (result.ok || !result.again) await partialUploads.remove(file);
    }
    return results.length === 0 ? { results, problem: EXPIRED } : { results };
  });
}

export async function discardShared(userId: string, config: AppConfig): Promise<void> {
  for (const file of await sharedFiles(userId, config)) await uploadsFor(config).partialUploads.remove(file);
}

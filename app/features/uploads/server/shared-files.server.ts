import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import type { RouterContextProvider } from "react-router";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { getVisitor, redirectToSignIn, type Visitor } from "~/features/accounts/session/session.server";
import { imageServiceFor } from "~/features/images/serve/image-service.server";
import type { AppConfig } from "~/config";
import { configContext } from "~/lib/http/context";
import { receiveMultipart } from "~/lib/http/forms/receive-multipart.server";
import { setFlash } from "~/lib/http/middleware/flash.server";
import { count } from "~/lib/ui/count";
import { MAX_FILES, tooLargeText, UPLOAD_FIELDS, type UploadAnswer, type UploadResult } from "../upload-result";
import { SILENCE_MS, uploadErrorResponse } from "./handle-multipart-upload.server";
import type { PartialUpload } from "./partial-uploads.server";
import { storeImage } from "./store-image.server";
import { uploadsFor } from "./uploads.server";

/** Files of the share sheet are partial uploads without a design. The oldest beyond `MAX_FILES` are removed. */

/** Stores the files of a share for the signed-in user. Throws the response instead: sign-in, 400, 429, 503 or 507. */
export async function storeShared(request: Request, context: Readonly<RouterContextProvider>): Promise<void> {
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const { sessionId, userId } = visitor;
  const config = context.get(configContext);
  const { partialUploads, concurrencyLimit } = uploadsFor(config);
  const limits = { names: [UPLOAD_FIELDS.files], maxFileBytes: config.uploadMaxBytes, maxFiles: MAX_FILES, silenceMs: SILENCE_MS };
  try {
    // The cached token does not show that the session has ended.
    await serviceConvex(config).query(api.uploads.expectSession, { sessionId });
    const { results, tooMany } = await concurrencyLimit.hold(userId, () =>
      receiveMultipart(request, limits, {
        newPath: imageServiceFor(config).newPath,
        async onFile({ name, path, tooLarge }) {
          if (tooLarge) return false;
          const { size: length } = await stat(path);
          const file = { ownerId: userId, designId: null, name: name.slice(0, NAME_MAX), length, checksum: null, isShared: true };
          await partialUploads.append(await partialUploads.create(file), 0, createReadStream(path));
          return true;
        },
      }),
    );
    const refused = results.filter((isStored) => !isStored).length;
    if (refused > 0) setFlash(context, `${count(refused, "file")} not shared. ${tooLargeText(null, config.uploadMaxBytes)}.`);
    else if (tooMany) setFlash(context, `Only the first ${MAX_FILES} files were shared. Share the others separately.`);
    const stored = await sharedFiles(userId, config);
    for (const file of stored.slice(0, Math.max(0, stored.length - MAX_FILES))) await partialUploads.remove(file);
  } catch (error) {
    throw uploadErrorResponse(error, request);
  }
}

/** Longest name of a file in UTF-16 units. */
const NAME_MAX = 1000;

export async function sharedFiles(userId: string, config: AppConfig): Promise<PartialUpload[]> {
  const { partialUploads } = uploadsFor(config);
  const files = (await partialUploads.unfinished(userId)).filter(({ isShared = false }) => isShared);
  const offsets = await Promise.all(files.map((file) => partialUploads.offset(file)));
  return files.filter(({ length }, index) => offsets[index] === length).toSorted((a, b) => a.expiresAt - b.expiresAt);
}

/** Adds the shared files to a design and removes those that need no retry. Throws "not_found" for the design. */
export async function addShared({ userId, sessionId }: Visitor, designId: string, config: AppConfig): Promise<UploadAnswer> {
  const { partialUploads, concurrencyLimit } = uploadsFor(config);
  await serviceConvex(config).query(api.uploads.expectRoom, { sessionId, designId });
  return concurrencyLimit.hold(userId, async () => {
    const results: UploadResult[] = [];
    for (const file of await sharedFiles(userId, config)) {
      const reserved = (await partialUploads.reserved(userId)) - file.length;
      const arrived = { index: 0, name: file.name, path: partialUploads.path(file), tooLarge: false, digest: partialUploads.digest(file) };
      const result = await storeImage(arrived, { config, userId, sessionId, designId, sending: `${userId}:${file.id}`, reserved });
      results.push(result);
      if (result.ok || !result.again) await partialUploads.remove(file);
    }
    return results.length === 0 ? { results, problem: "The shared files have expired. Share them again." } : { results };
  });
}

export async function discardShared(userId: string, config: AppConfig): Promise<void> {
  for (const file of await sharedFiles(userId, config)) await uploadsFor(config).partialUploads.remove(file);
}

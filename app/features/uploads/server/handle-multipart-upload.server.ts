import type { RouterContextProvider } from "react-router";
import { api } from "#convex/_generated/api";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { redirectToSignIn, getVisitor } from "~/features/accounts/session/session.server";
import { notFoundResponse, refusalOf } from "~/lib/data/error-responses";
import { configContext } from "~/lib/http/context";
import { unsavedResponse } from "~/lib/http/disk-full.server";
import { InvalidForm } from "~/lib/http/forms/form-parser.server";
import { storageOwnerOf } from "./storage-owner.server";
import { type Sender, storeImage, type UploadContext } from "./store-image.server";
import { ConcurrencyLimitError } from "~/lib/http/concurrency-limit.server";
import { requestLimitOf } from "~/features/uploads/server/request-limit.server";
import { uploadsFor } from "~/features/uploads/server/uploads.server";
import { imageServiceFor } from "~/features/images/serve/image-service.server";
import { type ArrivedFile, UploadAborted, receiveMultipart } from "~/lib/http/forms/receive-multipart.server";
import { EXPIRED, withUploaded } from "./with-uploaded.server";
import { MAX_FILES, UPLOAD_FIELDS, type UploadAnswer, type UploadResult } from "../upload-result";

export const SILENCE_MS = 60_000;

const isRetryable = (result: UploadResult) => !result.ok && result.again && !result.damaged;

export function isUpload(request: Request): boolean {
  return /^multipart\/form-data\b/i.test(request.headers.get("Content-Type") ?? "");
}

/** Handles a form with files. Throws responses: sign-in, 404 (before a byte is read), 503, or 400 for another form. */
export async function handleMultipartUpload(
  request: Request,
  designId: string,
  context: Readonly<RouterContextProvider>,
  versionOf?: string,
): Promise<UploadAnswer> {
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const { sessionId, userId } = visitor;
  try {
    return await receiveUpload(request, context, {
      sessionId,
      userId,
      designId,
      ...(versionOf !== undefined && { versionOf }),
    });
  } catch (error) {
    throw uploadErrorResponse(error, request);
  }
}

type Upload = Sender &
  Pick<UploadContext, "userId" | "designId" | "versionOf"> & {
    sending?: string;
  };

/** Adds a form's files to a design, or as a version of an image. Throws `InvalidForm`, `UploadAborted` and errors of `storeImage`. */
export async function receiveUpload(
  request: Request,
  context: Readonly<RouterContextProvider>,
  { userId, designId, versionOf, sending: given, ...sender }: Upload,
): Promise<UploadAnswer> {
  const config = context.get(configContext);
  const maxFiles = versionOf === undefined ? MAX_FILES : 1;
  const limits = { names: Object.values(UPLOAD_FIELDS), maxFileBytes: config.uploadMaxBytes, maxFiles, silenceMs: SILENCE_MS };
  const { partialUploads, concurrencyLimit } = uploadsFor(config);
  let sending = given;
  let onlyNew = false;
  let uploaded: string | undefined;
  let storageOwnerId = userId;
  const onFile = async (file: ArrivedFile, ownReserved = 0) => {
    if (sending === undefined) throw new InvalidForm("The form has no submission id");
    const reserved = Math.max(0, (await partialUploads.reserved(storageOwnerId)) - ownReserved);
    const upload = { ...sender, config, userId, designId, sending: `${userId}:${sending}:${file.index}`, onlyNew, reserved };
    return storeImage(file, versionOf === undefined ? upload : { ...upload, versionOf });
  };
  storageOwnerId = await storageOwnerOf({ ...sender, config, designId });
  if (versionOf !== undefined && sender.sessionId !== undefined)
    await serviceConvex(config).query(api.uploads.getFile, { sessionId: sender.sessionId, imageId: versionOf });
  const { results, tooMany } = await concurrencyLimit.hold(userId, () =>
    receiveMultipart(request, limits, {
      newPath: imageServiceFor(config).newPath,
      onField(name, value) {
        if (name === UPLOAD_FIELDS.sending && /^[\w-]{8,64}$/.test(value)) sending = value;
        if (name === UPLOAD_FIELDS.onlyNew) onlyNew = true;
        if (name === UPLOAD_FIELDS.uploaded) uploaded = value;
      },
      onFile,
    }),
  );
  await requestLimitOf(config).arrived(Number(request.headers.get("Content-Length") ?? 0));
  if (tooMany)
    return {
      results,
      problem: `Only the first ${maxFiles === 1 ? "file was" : `${maxFiles} files were`} uploaded. Upload the others separately.`,
    };
  if (uploaded !== undefined && results.length === 0) {
    const result = await withUploaded({ config, userId, id: uploaded, designId }, onFile, isRetryable);
    return result ? { results: [result] } : { results, problem: EXPIRED };
  }
  if (results.length === 0) return { results, problem: maxFiles === 1 ? "Choose an image." : "Choose at least one image." };
  return { results };
}

export function uploadErrorResponse(error: unknown, request: Request): unknown {
  if (error instanceof InvalidForm || error instanceof UploadAborted)
    return new Response("The upload was not received completely. Try again.\n", { status: 400 });
  const unsaved = unsavedResponse(error);
  if (unsaved) return unsaved;
  if (error instanceof ConcurrencyLimitError)
    return new Response("You have too many uploads in progress. Wait until one is complete, then try again.\n", {
      status: 429,
      headers: { "Retry-After": "5" },
    });
  const code = refusalOf(error)?.code;
  if (code === "not_found") return notFoundResponse();
  if (code === "unauthenticated") return redirectToSignIn(request);
  return error;
}

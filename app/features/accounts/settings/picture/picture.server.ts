import { createHash } from "node:crypto";
import { api } from "#convex/_generated/api";
import { FORM_FIELD } from "~/lib/forms/intents";
import type { ActionRequest } from "~/lib/forms/is-document-request.server";
import { configContext } from "~/lib/http/context";
import { isDiskFull } from "~/lib/http/disk-full.server";
import { InvalidForm } from "~/lib/http/forms/form-parser.server";
import { diskFullResponse } from "~/lib/data/error-responses";
import { Unavailable } from "~/lib/http/unavailable.server";
import { imageServiceFor } from "~/features/images/serve/image-service.server";
import { type ArrivedFile, UploadAborted, receiveMultipart } from "~/lib/http/forms/receive-multipart.server";
import { EXPIRED, withUploaded } from "~/features/uploads/server/with-uploaded.server";
import { PICTURE_MAX_BYTES, tooLargeText, UPLOAD_FIELDS } from "~/features/uploads/upload-result";
import { isUpload } from "~/features/uploads/server/handle-multipart-upload.server";
import { serviceConvex } from "../../session/convex/service-client.server";
import { redirectToSignIn, getVisitor } from "../../session/session.server";
import { formRequest, respond } from "../../account-action.server";
import { Rejection } from "../../rejection.server";
import { CROP_FIELDS, readCrop } from "./crop";
import { pictureAddress, cropSquare } from "./square-picture.server";

const SILENCE_MS = 30_000;
const FIELDS = ["picture", "remove", UPLOAD_FIELDS.uploaded, FORM_FIELD, ...Object.values(CROP_FIELDS)];

export const isPictureForm = isUpload;

/** Stores the crop of an uploaded picture, or removes the picture. The crop fields precede the file; without JavaScript there are none. */
export async function updatePicture({ request, context, url }: ActionRequest) {
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const config = context.get(configContext);
  const fields = new Map<string, string>();
  const maxFileBytes = Math.min(PICTURE_MAX_BYTES, config.uploadMaxBytes);
  const onFile = async ({ path, tooLarge }: Pick<ArrivedFile, "path" | "tooLarge">) =>
    tooLarge ? tooLargeText(null, maxFileBytes) : cropSquare(path, visitor.userId, readCrop(fields));
  try {
    const { results } = await receiveMultipart(
      request,
      { names: FIELDS, maxFileBytes, maxFiles: 1, silenceMs: SILENCE_MS },
      {
        newPath: imageServiceFor(config).newPath,
        onField: (name, value) => void fields.set(name, value),
        onFile,
      },
    );
    const uploaded = fields.get(UPLOAD_FIELDS.uploaded);
    const from = { config, userId: visitor.userId, id: uploaded ?? "", designId: null };
    const result = uploaded === undefined ? results[0] : ((await withUploaded(from, onFile)) ?? EXPIRED);
    const form = fields.get(FORM_FIELD) ?? "";
    const sent = formRequest({ request, context, url });
    const refused = (problem: string, status = 422) =>
      respond({ rejected: { status: "error", error: { picture: [problem] } }, status }, form, sent);
    if (typeof result === "string") return refused(result);
    const removing = fields.get("remove") === "picture";
    if (!result && !removing) return refused("Choose a picture.");

    const { post } = sent;
    const convex = serviceConvex(config);
    const { sessionId, userId } = visitor;
    try {
      if (result) {
        const checksum = createHash("sha256").update(result).digest("hex");
        const bytes = new Uint8Array(result).buffer;
        await convex.mutation(api.accounts.pictures.put, { sessionId, contentType: "image/webp", checksum, bytes }, { skipQueue: true });
        await post("/update-user", { image: pictureAddress(userId, checksum) });
        return respond({ done: "picture" }, form, sent);
      }
      await post("/update-user", { image: null });
      await convex.mutation(api.accounts.pictures.remove, { sessionId }, { skipQueue: true });
      return respond({ done: "picture-removed" }, form, sent);
    } catch (error) {
      if (error instanceof Rejection) return refused(error.message, error.status);
      if (error instanceof Unavailable && !isDiskFull(error))
        return refused("The server is not responding. Your picture was not changed. Try again in a moment.", 503);
      throw error;
    }
  } catch (error) {
    if (isDiskFull(error)) throw diskFullResponse();
    if (error instanceof InvalidForm || error instanceof UploadAborted)
      throw new Response("The picture was not received completely. Try again.\n", { status: 400 });
    throw error;
  }
}

declare module "~/lib/forms/intents" {
  interface IntentTables {
    picture: { picture: unknown };
  }
}

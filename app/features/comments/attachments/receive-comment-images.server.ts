import { type ActionFunctionArgs, data, type RouterContextProvider } from "react-router";
import { redirectToSignIn, getVisitor } from "~/features/accounts/session/session.server";
import { imageServiceFor } from "~/features/images/serve/image-service.server";
import { isUpload, SILENCE_MS, uploadErrorResponse } from "~/features/uploads/server/handle-multipart-upload.server";
import type { Sender } from "~/features/uploads/server/store-image.server";
import { uploadsFor } from "~/features/uploads/server/uploads.server";
import { EXPIRED, withUploaded } from "~/features/uploads/server/with-uploaded.server";
import { UPLOAD_FIELDS } from "~/features/uploads/upload-result";
import { failedForm, serverAction } from "~/lib/forms/action.server";
import type { FormAnswer } from "~/lib/forms/form-result";
import { checkFields, FORM_FIELD, INTENT_FIELD, readForm } from "~/lib/forms/intents";
import { configContext } from "~/lib/http/context";
import { InvalidForm } from "~/lib/http/forms/form-parser.server";
import { type ArrivedFile, receiveMultipart } from "~/lib/http/forms/receive-multipart.server";
import { invalid } from "#convex/model/errors";
import { COMMENT_IMAGES_MAX } from "#convex/model/comments/imagesMax";
import { COMMENT_MAX } from "#convex/model/rules";
import { commentIntents } from "../comment-intents";
import { COMMENT_IMAGE_FIELDS, type CommentImage, type CommentImageAnswer } from "./comment-images";
import { storeCommentImage, type StoredCommentImage } from "./store-comment-image.server";

const { sending: SENDING, files: FILES } = COMMENT_IMAGE_FIELDS;
const { startThread, replyToThread } = commentIntents;
const FIELD_BYTES = 4 * COMMENT_MAX;

type Form = { itemId: string; names: readonly string[]; maxFiles: number };
type Received = { fields: URLSearchParams; answers: StoredCommentImage[]; tooMany: boolean };

async function receive(request: Request, context: Readonly<RouterContextProvider>, form: Form): Promise<Received> {
  const visitor = await getVisitor(context);
  if (!visitor) throw redirectToSignIn(request);
  const { sessionId, userId } = visitor;
  try {
    return await receiveCommentImages(request, context, { sessionId, userId, ...form });
  } catch (error) {
    throw uploadErrorResponse(error, request);
  }
}

/** Stores images of a multipart form for a comment. Throws `InvalidForm`, `UploadAborted` and the errors of `storeCommentImage`. */
export async function receiveCommentImages(
  request: Request,
  context: Readonly<RouterContextProvider>,
  { itemId, names, maxFiles, userId, sending: given, ...sender }: Form & Sender & { userId: string; sending?: string },
): Promise<Received> {
  const config = context.get(configContext);
  const fields = new URLSearchParams();
  const store = (file: ArrivedFile) => {
    const sending = given ?? fields.get(SENDING) ?? fields.get("key");
    if (sending === null || !/^[\w-]{8,64}$/.test(sending)) throw new InvalidForm("The form has no submission id");
    return storeCommentImage(file, { ...sender, config, userId, itemId, sending: `${sending}:${file.index}` });
  };
  const limits = { names, maxFileBytes: config.uploadMaxBytes, maxFiles, silenceMs: SILENCE_MS, maxFieldBytes: FIELD_BYTES };
  const { results, tooMany } = await uploadsFor(config).concurrencyLimit.hold(userId, () =>
    receiveMultipart(request, limits, {
      newPath: imageServiceFor(config).newPath,
      onField: (name, value) => fields.append(name, value),
      onFile: store,
    }),
  );
  const id = fields.get(UPLOAD_FIELDS.uploaded);
  if (id === null) return { fields, answers: results, tooMany };
  const answer = (await withUploaded({ config, userId, id, designId: null }, store)) ?? { name: "", problem: EXPIRED, isRetryable: false };
  return { fields, answers: [...results, answer], tooMany };
}

export async function answerCommentImage({ request, context, url }: Pick<ActionFunctionArgs, "request" | "context" | "url">) {
  const itemId = url.searchParams.get(COMMENT_IMAGE_FIELDS.item) ?? "";
  const names = [SENDING, FILES, UPLOAD_FIELDS.uploaded];
  const { answers } = await receive(request, context, { itemId, names, maxFiles: 1 });
  const [stored] = answers;
  const answer: CommentImageAnswer =
    stored && "image" in stored ? { image: stored.image } : { problem: stored?.problem ?? "Choose an image." };
  return Response.json(answer, { status: "image" in answer ? 200 : 422 });
}

const ofForm = [...startThread.fields, ...replyToThread.fields, ...startThread.lists, INTENT_FIELD, FORM_FIELD, FILES];
const FORM_NAMES = [...new Set(ofForm)];

export async function commentsAction(args: ActionFunctionArgs, itemId: string) {
  const { request, context } = args;
  if (!isUpload(request)) return serverAction(commentIntents)(args);
  const { fields, answers, tooMany } = await receive(request, context, { itemId, names: FORM_NAMES, maxFiles: COMMENT_IMAGES_MAX });
  const images: CommentImage[] = answers.flatMap((each) => ("image" in each ? [each.image] : []));
  const problems = answers.flatMap((each) => ("problem" in each ? [each.problem] : []));
  if (tooMany) problems.push(`A comment can have at most ${COMMENT_IMAGES_MAX} images.`);
  for (const { _id } of images) fields.append("imageIds", _id);
  const sent = new FormData();
  for (const [name, value] of fields) sent.append(name, value);
  if (problems.length > 0) {
    const { form, values } = readForm(commentIntents, sent);
    return data<FormAnswer>(...failedForm(invalid({ text: problems }), form, values));
  }
  checkFields(commentIntents, sent);
  const headers = new Headers(request.headers);
  headers.delete("Content-Length");
  headers.set("Content-Type", "application/x-www-form-urlencoded");
  return serverAction(commentIntents)({ ...args, request: new Request(request.url, { method: "POST", headers, body: fields }) });
}

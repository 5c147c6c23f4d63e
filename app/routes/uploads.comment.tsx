import { answerCommentImage } from "~/features/comments/attachments/receive-comment-images.server";
import { isUpload } from "~/features/uploads/server/handle-multipart-upload.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import type { Route } from "./+types/uploads.comment";

export function action({ request, context, url }: Route.ActionArgs) {
  if (!isUpload(request)) return new Response("Send a form with a file.\n", { status: 415 });
  return answerCommentImage({ request, context, url });
}

export const loader = methodNotAllowed("POST");

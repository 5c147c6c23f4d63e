import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { receiveCommentImages } from "~/features/comments/attachments/receive-comment-images.server";
import { COMMENT_IMAGE_FIELDS } from "~/features/comments/attachments/comment-images";
import { COMMENT_IMAGES_MAX } from "#convex/model/comments/imagesMax";
import { ApiError } from "./api-error.server";
import type { ApiCall } from "./endpoints.server";
import { keyOf } from "./idempotency-key.server";
import type { uploadSchema } from "./shapes";
import { userOfToken } from "./user-of-token.server";

export async function uploadCommentImages({ request, context, tokenHash, id }: ApiCall): Promise<Response> {
  const sending = `api-${keyOf(request) ?? randomUUID()}`;
  const { answers } = await receiveCommentImages(request, context, {
    tokenHash,
    userId: await userOfToken(context, tokenHash, "comment"),
    itemId: id,
    sending,
    names: [COMMENT_IMAGE_FIELDS.files],
    maxFiles: COMMENT_IMAGES_MAX,
  });
  if (answers.length === 0) throw new ApiError(422, "no_files", "Send one or more files in a multipart form.");
  const results: z.infer<typeof uploadSchema>["results"] = answers.map(({ name, ...answer }) =>
    "image" in answer
      ? { name, ok: true, imageId: answer.image._id }
      : { name, ok: false, message: answer.problem, isRetryable: answer.isRetryable },
  );
  return Response.json({ results }, { status: results.some(({ ok }) => ok) ? 201 : 422 });
}

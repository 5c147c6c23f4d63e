import { loadModule } from "~/lib/data/connection/load-module";
import { UPLOAD_FIELDS } from "~/features/uploads/upload-result";
import { isLarge } from "~/features/uploads/client/transfer/use-upload-ahead";
import { COMMENT_IMAGE_FIELDS, type CommentImage } from "./comment-images";

const FAILED = "The image could not be added. Try again.";

/** Uploads an image for a comment on an item. Throws an error with the text to show. */
export async function uploadCommentImage(itemId: string, file: File): Promise<CommentImage> {
  const form = new FormData();
  form.set(COMMENT_IMAGE_FIELDS.sending, crypto.getRandomValues(new Uint32Array(4)).join("-"));
  if (isLarge(file)) {
    const { uploadAhead } = await loadModule(() => import("~/features/uploads/client/transfer/upload-ahead"));
    form.set(UPLOAD_FIELDS.uploaded, await uploadAhead(file, { for: "comment" }));
  } else form.set(COMMENT_IMAGE_FIELDS.files, file);
  const address = `/uploads/comment?${new URLSearchParams({ [COMMENT_IMAGE_FIELDS.item]: itemId })}`;
  const answer: unknown = await fetch(address, { method: "POST", body: form }).then(
    (response) => response.json().catch(() => null),
    () => ({ problem: "The connection was lost. Add the image again when it is back." }),
  );
  const { image, problem } = Object(answer) as { image?: CommentImage; problem?: unknown };
  if (image) return image;
  throw new Error(typeof problem === "string" ? problem : FAILED);
}

import { ImagePlus, X } from "lucide-react";
import { useRef } from "react";
import { Picture } from "~/features/images/display/picture";
import { Icon } from "~/lib/ui/icons/icon";
import { Button } from "~/lib/ui/inputs/button";
import { FieldErrors } from "~/lib/ui/inputs/field";
import { COMMENT_IMAGE_ACCEPT } from "./comment-images";
import type { AttachmentsState } from "./use-attachments";

export function Attachments({ id, attachments }: { id: string; attachments: AttachmentsState }) {
  const { images, uploading, problems } = attachments;
  return (
    <>
      {images.length > 0 ? (
        <ul aria-label="Images of the comment" className="comment-images">
          {images.map((image) => (
            <li key={image._id} className="comment-image">
              <Picture image={{ ...image, imageId: image._id }} alt={image.name} sizes="6rem" />
              <Button
                variant="ghost"
                size="icon-sm"
                className="comment-image-remove"
                aria-label={`Remove ${image.name}`}
                data-tooltip="Remove"
                onClick={() => attachments.remove(image._id)}
              >
                <Icon of={X} />
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <p role="status" className="text-sm text-faint empty:hidden">
        {uploading === 0 ? "" : uploading === 1 ? "Uploading an image…" : `Uploading ${uploading} images…`}
      </p>
      <FieldErrors id={id} errors={problems.length > 0 ? [...problems] : undefined} />
    </>
  );
}

export function AddImageButton({ attachments }: { attachments: AttachmentsState }) {
  const input = useRef<HTMLInputElement>(null);
  if (!attachments.isOffered) return null;
  return (
    <>
      <Button variant="ghost" size="icon-sm" aria-label="Add images" data-tooltip="Add images" onClick={() => input.current?.click()}>
        <Icon of={ImagePlus} />
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        accept={COMMENT_IMAGE_ACCEPT}
        aria-label="Images of the comment"
        hidden
        onChange={({ currentTarget }) => {
          attachments.add([...(currentTarget.files ?? [])]);
          currentTarget.value = "";
        }}
      />
    </>
  );
}

import { ImagePlus, X } from "lucide";
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { Picture } from "~/features/images/display/picture";
import { Icon } from "~/lib/ui/icons/icon";
import { Button } from "~/lib/ui/inputs/button";
import { FieldErrors } from "~/lib/ui/inputs/field";
import { COMMENT_IMAGE_ACCEPT, COMMENT_IMAGE_FIELDS } from "./comment-images";
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

type Input = RefObject<HTMLInputElement | null>;

type ImageInputProps = { attachments: AttachmentsState; ref: Input; id?: string; className?: string; hidden?: boolean };

export function ImageInput({ attachments, ref, ...rest }: ImageInputProps) {
  const [isHydrated, setHydrated] = useState(false);
  const added = useRef(new WeakSet<File>());
  const addFiles = () => {
    const input = ref.current;
    // `preserveFields` can select the same files again.
    const files = [...(input?.files ?? [])].filter((file) => !added.current.has(file));
    for (const file of files) added.current.add(file);
    if (input) input.value = "";
    if (files.length > 0) attachments.add(files);
  };
  const addSelected = useEffectEvent(addFiles);
  useEffect(() => {
    addSelected();
    setHydrated(true);
  }, []);
  return (
    <input
      ref={ref}
      type="file"
      name={isHydrated ? undefined : COMMENT_IMAGE_FIELDS.files}
      multiple
      accept={COMMENT_IMAGE_ACCEPT}
      onChange={addFiles}
      {...rest}
    />
  );
}

export function AddImagesButton({ input }: { input: Input }) {
  return (
    <Button variant="ghost" size="icon-sm" aria-label="Add images" data-tooltip="Add images" onClick={() => input.current?.click()}>
      <Icon of={ImagePlus} />
    </Button>
  );
}

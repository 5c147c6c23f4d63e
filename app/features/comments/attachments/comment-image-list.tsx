import { ChevronLeft, ChevronRight, X } from "lucide";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { imageAddress, OWN_WIDTH } from "~/features/images/display/image-address";
import { Picture } from "~/features/images/display/picture";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import { Icon } from "~/lib/ui/icons/icon";
import { Button } from "~/lib/ui/inputs/button";
import type { CommentImage } from "./comment-images";

export function CommentImageList({ images = [] }: { images?: readonly CommentImage[] | undefined }) {
  const { files } = useItemAddresses();
  const [opened, open] = useState<number | null>(null);
  const shown = opened === null ? undefined : images[opened];
  if (images.length === 0) return null;
  return (
    <>
      <ul aria-label="Images" className="comment-images">
        {images.map((image, index) => (
          <li key={image._id} className="comment-image">
            <a
              href={imageAddress(image._id, OWN_WIDTH, { files })}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                open(index);
              }}
            >
              <Picture image={{ ...image, imageId: image._id }} alt={image.name} sizes="6rem" />
            </a>
          </li>
        ))}
      </ul>
      {shown && opened !== null ? (
        <OpenImage
          image={shown}
          number={opened + 1}
          count={images.length}
          onShow={(number) => open(number - 1)}
          onClose={() => open(null)}
        />
      ) : null}
    </>
  );
}

type OpenImageProps = { image: CommentImage; number: number; count: number; onShow: (number: number) => void; onClose: () => void };

function OpenImage({ image, number, count, onShow, onClose }: OpenImageProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const step = (by: 1 | -1) => {
    if (number + by >= 1 && number + by <= count) onShow(number + by);
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === "ArrowRight") step(1);
    else if (key === "ArrowLeft") step(-1);
  };
  return (
    <dialog
      ref={dialog}
      className="comment-lightbox"
      closedby="any"
      aria-label={`Image ${number} of ${count}: ${image.name}`}
      onClose={onClose}
      onKeyDown={onKeyDown}
    >
      <header className="flex items-center gap-1 p-2">
        <p className="max-w-none min-w-0 flex-1 truncate ps-2 text-soft">
          <bdi>{image.name}</bdi>
          {count > 1 ? ` · ${number} of ${count}` : null}
        </p>
        {count > 1 ? (
          <>
            <Button variant="ghost" size="icon-sm" aria-label="Previous image" disabled={number === 1} onClick={() => step(-1)}>
              <Icon of={ChevronLeft} className="rtl:-scale-x-100" />
            </Button>
            <Button variant="ghost" size="icon-sm" aria-label="Next image" disabled={number === count} onClick={() => step(1)}>
              <Icon of={ChevronRight} className="rtl:-scale-x-100" />
            </Button>
          </>
        ) : null}
        <Button variant="ghost" size="icon-sm" aria-label="Close image" onClick={() => dialog.current?.close()}>
          <Icon of={X} />
        </Button>
      </header>
      <Picture key={image._id} image={{ ...image, imageId: image._id }} alt={image.name} sizes="100vw" priority moving />
    </dialog>
  );
}

import { type CSSProperties, memo } from "react";
import { href } from "react-router";
import { PictureReviewMark } from "~/features/review/review-mark";
import { Selectable, SelectMark, selectableProps } from "~/features/selection/selectable";
import { isSameItem } from "~/features/selection/is-same-item";
import type { Selection } from "~/features/selection/use-selection";
import { Link } from "~/lib/ui/navigation/link";
import type { Density } from "~/lib/ui/theme/preferences";
import { gallerySizes, SCALABLE } from "./gallery-sizes";
import type { DesignImage } from "./image-intents";
import { Picture } from "../display/picture";

type GalleryImageProps = { image: DesignImage; density: Density; selection: Selection };

export const GalleryImage = memo(
  ProjectImageTile,
  isSameItem<GalleryImageProps>(({ image }) => image._id),
);

function ProjectImageTile({ image, density, selection }: GalleryImageProps) {
  const { _id, name, caption, width, height, designId } = image;
  const ratio = Math.min(4, Math.max(0.45, width / height));
  const scalable = image.contentType === "image/svg+xml";
  const style: CSSProperties & Record<"--ratio" | "--own-width", string> = {
    "--ratio": ratio.toFixed(4),
    "--own-width": scalable ? SCALABLE : `${width}px`,
  };
  const picture = (
    <>
      <Picture
        image={{ ...image, imageId: _id }}
        alt={selection.on ? "" : caption || name}
        sizes={gallerySizes(ratio, density)}
        scalable={scalable}
      />
      <PictureReviewMark item={image} />
    </>
  );
  return (
    <li style={style} {...selectableProps(image)}>
      {selection.on ? (
        <Selectable item={image} selection={selection} className="gallery-picture">
          {picture}
        </Selectable>
      ) : (
        <>
          <Link
            to={href("/design/:id/images/:imageId", { id: designId, imageId: _id })}
            prefetch="intent"
            className="gallery-picture relative"
          >
            {picture}
          </Link>
          <SelectMark item={image} selection={selection} />
        </>
      )}
    </li>
  );
}

import { type CSSProperties, memo } from "react";
import { href, Link } from "react-router";
import { Pick, PickMark, pickProps } from "~/selection/pick";
import { sameThing, type Selection } from "~/selection/use-selection";
import { SCALABLE } from "./gallery";
import type { DesignImage } from "./intents";
import { Picture } from "./picture";

type OnWall = { image: DesignImage; selection: Selection };

/** A picture among all of a project's: as in the gallery, with nothing but the way to it, and to choosing it. */
export const WallPicture = memo(
  OneOfAll,
  sameThing<OnWall>(({ image }) => image._id),
);

function OneOfAll({ image, selection }: OnWall) {
  const { _id, name, caption, width, height, designId } = image;
  const ratio = Math.min(4, Math.max(0.45, width / height));
  const scalable = image.contentType === "image/svg+xml";
  const style: CSSProperties & Record<"--ratio" | "--own-width", string> = {
    "--ratio": ratio.toFixed(4),
    "--own-width": scalable ? SCALABLE : `${width}px`,
  };
  const picture = (
    <Picture
      image={{ ...image, imageId: _id }}
      alt={selection.on ? "" : caption || name}
      sizes={`${Math.round(ratio * 260)}px`}
      scalable={scalable}
    />
  );
  return (
    <li style={style} {...pickProps(image)}>
      {selection.on ? (
        <Pick item={image} selection={selection} className="gallery-picture">
          {picture}
        </Pick>
      ) : (
        <>
          <Link to={href("/design/:id/images/:imageId", { id: designId, imageId: _id })} prefetch="intent" className="gallery-picture">
            {picture}
          </Link>
          <PickMark item={image} selection={selection} />
        </>
      )}
    </li>
  );
}

import type { CSSProperties } from "react";
import { href } from "react-router";
import type { Design } from "~/features/designs/intents";
import { count } from "~/lib/ui/count";
import { CardGrid, ItemCard } from "~/lib/ui/item-card";
import { Link } from "~/lib/ui/navigation/link";
import type { Density } from "~/lib/ui/theme/preferences";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import { Mosaic } from "../display/mosaic";
import { Picture } from "../display/picture";
import { gallerySizes, SCALABLE } from "./gallery-sizes";
import type { DesignImage } from "./image-intents";

type ReviewedItemsProps = { label: string; designs: readonly Design[]; images: readonly DesignImage[]; density: Density };

export function ReviewedItems({ label, designs, images, density }: ReviewedItemsProps) {
  return (
    <>
      {designs.length > 0 ? (
        <CardGrid label={`Designs: ${label}`}>
          {designs.map((design) => (
            <li key={design._id}>
              <ItemCard
                item={design}
                to={href("/design/:id", { id: design._id })}
                name={design.name}
                cover={<Mosaic cover={design.cover} />}
                summary={
                  <>
                    <span>{count(design.imageCount, "image")}</span>
                    {design.review ? (
                      <span>
                        set <RelativeTime at={design.review.at} />
                      </span>
                    ) : null}
                  </>
                }
              />
            </li>
          ))}
        </CardGrid>
      ) : null}
      {images.length > 0 ? (
        <ul aria-label={`Images: ${label}`} className="gallery">
          {images.map((image) => (
            <ImageTile key={image._id} image={image} density={density} />
          ))}
        </ul>
      ) : null}
    </>
  );
}

function ImageTile({ image, density }: { image: DesignImage; density: Density }) {
  const { _id: imageId, name, caption, width, height, designId: id } = image;
  const ratio = Math.min(4, Math.max(0.45, width / height));
  const scalable = image.contentType === "image/svg+xml";
  const style: CSSProperties & Record<"--ratio" | "--own-width", string> = {
    "--ratio": ratio.toFixed(4),
    "--own-width": scalable ? SCALABLE : `${width}px`,
  };
  return (
    <li style={style}>
      <Link to={href("/design/:id/images/:imageId", { id, imageId })} prefetch="intent" className="gallery-picture">
        <Picture image={{ ...image, imageId }} alt={caption || name} sizes={gallerySizes(ratio, density)} scalable={scalable} />
      </Link>
    </li>
  );
}

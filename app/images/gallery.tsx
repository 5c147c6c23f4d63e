import { Copy, Folder, FolderInput, Layers } from "lucide-react";
import type { CSSProperties } from "react";
import { href, Link, useViewTransitionState } from "react-router";
import { ItemMenu } from "~/forms/item-dialogs";
import { MenuAction } from "~/forms/menu-action";
import { OrderActions } from "~/forms/order-actions";
import { cx } from "~/ui/cx";
import { Icon } from "~/ui/icon";
import { MenuLink } from "~/ui/menu";
import type { DesignImage } from "./intents";
import { Picture } from "./picture";

type GalleryProps = TileProps & { images: DesignImage[] };

type TileProps = {
  ask: Parameters<typeof ItemMenu>[0]["ask"];
  projectId: string;
  /** Whether the images are in the order made by hand, which can then be changed. */
  byHand: boolean;
};

/**
 * Rows of pictures in their own proportions, each row as wide as the page: laid out by the browser from the proportions alone (images.css), so
 * that the server's HTML stands as it will stay.
 */
export function Gallery({ images, ...tile }: GalleryProps) {
  return (
    <ul aria-label="Images" className="gallery">
      {images.map((image) => (
        <Tile key={image._id} image={image} {...tile} />
      ))}
    </ul>
  );
}

/** A drawing has no width at which its pixels end. */
export const SCALABLE = "99999px";

/** Wider and taller ones than this are cropped to it in the gallery, where they would be stripes; the viewer shows them whole. */
const WIDEST = 4;
const TALLEST = 0.45;

function Tile({ image, ask, projectId, byHand }: TileProps & { image: DesignImage }) {
  const { _id, name, width, height } = image;
  const ratio = Math.min(WIDEST, Math.max(TALLEST, width / height));
  const scalable = image.contentType === "image/svg+xml";
  const to = href("/design/:id/images/:imageId", { id: image.designId, imageId: _id });
  // Only the one that is on its way to the viewer, or back from it, is the picture that grows.
  const moving = useViewTransitionState(to);
  const style: CSSProperties & Record<"--ratio" | "--own-width", string> = {
    "--ratio": ratio.toFixed(4),
    "--own-width": scalable ? SCALABLE : `${width}px`,
  };
  return (
    <li style={style}>
      <Link to={to} prefetch="intent" viewTransition state={FROM_GALLERY} className="gallery-picture">
        <Picture
          image={{ ...image, imageId: _id }}
          alt={name}
          sizes={`${Math.round(ratio * 260)}px`}
          scalable={scalable}
          className={cx(moving && "[view-transition-name:picture]")}
        />
      </Link>
      <div className="flex items-center gap-1 pt-1 pl-1">
        <span className="min-w-0 flex-1 truncate text-sm text-soft" title={name}>
          {name}
        </span>
        <ItemMenu item={image} ask={ask}>
          <MenuAction intent="duplicateImage" values={{ id: _id }} icon={<Icon of={Copy} />}>
            Duplicate
          </MenuAction>
          {byHand ? <OrderActions intent="orderImage" id={_id} /> : null}
          <MenuAction intent="coverDesign" values={{ id: image.designId, imageId: _id }} icon={<Icon of={Layers} />}>
            Use as design cover
          </MenuAction>
          <MenuAction intent="coverProject" values={{ id: projectId, imageId: _id }} icon={<Icon of={Folder} />}>
            Use as project cover
          </MenuAction>
          <MenuLink
            to={href("/design/:id/images/:imageId/move", { id: image.designId, imageId: _id })}
            prefetch="none"
            icon={<Icon of={FolderInput} />}
          >
            Move to…
          </MenuLink>
        </ItemMenu>
      </div>
    </li>
  );
}

/** Carried along the history, so that closing the viewer leads back to the gallery where it was left. */
const FROM_GALLERY = { fromGallery: true };

export function isFromGallery(state: unknown): boolean {
  return typeof state === "object" && state !== null && "fromGallery" in state;
}

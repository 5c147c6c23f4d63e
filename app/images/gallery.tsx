import { LayoutGrid, List, Play } from "lucide-react";
import { type CSSProperties, memo, useRef, useState } from "react";
import { href, Link, useViewTransitionState } from "react-router";
import { DragHandle } from "~/arranging/drag-handle";
import { useArranging } from "~/arranging/use-arranging";
import type { ListPage } from "~/data/pages";
import { ItemMenu } from "~/forms/item-menu";
import { OrderActions } from "~/forms/order-actions";
import { Pick, PickMark, pickProps } from "~/selection/pick";
import { usePicking } from "~/selection/use-picking";
import { sameThing, type Selection } from "~/selection/use-selection";
import { clsx } from "clsx";
import { Icon } from "~/ui/icon";
import { WaitingMark } from "~/ui/waiting-mark";
import { type GalleryView, galleryViewCookie } from "~/ui/preferences";
import { RelativeTime } from "~/ui/relative-time";
import { ACCEPTED, isAcceptedType } from "./accepted";
import { Choice } from "./choice";
import { ImageActions } from "./image-actions";
import type { DesignImage } from "./intents";
import { Picture } from "./picture";
import { bytesText } from "./upload";

type GalleryProps = TileProps & {
  images: DesignImage[];
  view: GalleryView;
  /** How the images go on, and how many there are in all. */
  page: Pick<ListPage<DesignImage>, "isFirst" | "next">;
  total: number;
};

type TileProps = {
  ask: Parameters<typeof ItemMenu>[0]["ask"];
  projectId: string;
  /** Whether the images are in the order made by hand, which can then be changed. */
  byHand: boolean;
  selection: Selection;
};

const VIEWS = [
  { value: "grid", label: "Grid", icon: <Icon of={LayoutGrid} /> },
  { value: "list", label: "List", icon: <Icon of={List} /> },
] as const;

/**
 * A design's images, as a wall or as a list, whichever was chosen last. The wall has rows of pictures in their own proportions, each row as wide
 * as the page: laid out by the browser from the proportions alone (images.css), so that the server's HTML stands as it will stay.
 */
export function Gallery({ images, view, page, total, ...tile }: GalleryProps) {
  const list = useRef<HTMLUListElement>(null);
  usePicking(list, tile.selection);
  useArranging(list, { on: tile.byHand && !tile.selection.on, intent: "orderImage", items: images, page, total });
  return (
    <ul ref={list} aria-label="Images" className={view === "grid" ? "gallery" : "gallery-list"}>
      {images.map((image, index) =>
        view === "grid" ? (
          <Tile key={image._id} image={image} first={index === 0} alone={images.length === 1} {...tile} />
        ) : (
          <Row key={image._id} image={image} {...tile} />
        ),
      )}
    </ul>
  );
}

/** As what the images are shown: what was chosen last, which the server knows, and the way to choose otherwise. */
export function useGalleryView(atFirst: GalleryView) {
  const [view, setView] = useState(atFirst);
  function choose(next: GalleryView) {
    setView(next);
    document.cookie = galleryViewCookie(next, location.protocol === "https:");
  }
  return { view, choice: <Choice name="gallery" label="View" value={view} options={VIEWS} onChoose={choose} className="ml-auto" /> };
}

const number = new Intl.NumberFormat("en");

type OfImage = TileProps & { image: DesignImage };
/** Where on the wall it is. */
type OnTile = OfImage & { first: boolean; alone: boolean };

/** An image is rendered again when it, or whether it is chosen, has changed. */
const isSameImage = sameThing<OfImage>(({ image }) => image._id);
const Row = memo(ImageRow, isSameImage);
const Tile = memo(
  ImageTile,
  sameThing<OnTile>(({ image }) => image._id),
);

function ImageRow({ image, ...tile }: OfImage) {
  const { _id, name, width, height, contentType, size, _creationTime } = image;
  const { selection } = tile;
  const to = href("/design/:id/images/:imageId", { id: image.designId, imageId: _id });
  const shape =
    "grid min-w-0 flex-1 grid-cols-[3.5rem_minmax(0,1fr)] items-center gap-x-4 rounded-md md:grid-cols-[3.5rem_minmax(0,1fr)_auto]";
  const content = (
    <>
      <span className="relative size-14 overflow-hidden rounded-sm bg-mat max-md:row-span-2">
        <Picture image={{ ...image, imageId: _id }} alt="" sizes="56px" scalable={isDrawing(image)} className="size-full object-cover" />
        <MovingMark image={image} />
      </span>
      <span className="truncate max-md:self-end">
        {name} <WaitingMark of={image} />
      </span>
      <span className="tabular flex flex-wrap gap-x-4 text-sm text-faint max-md:self-start">
        <span>
          {number.format(width)} × {number.format(height)}
        </span>
        <span className="md:w-12">{isAcceptedType(contentType) ? ACCEPTED[contentType].name : contentType}</span>
        <span className="md:w-18 md:text-right">{bytesText(size)}</span>
        <span className="md:w-28 md:text-right">
          <RelativeTime at={_creationTime} />
        </span>
      </span>
    </>
  );
  return (
    <li id={`image-${_id}`} {...pickProps(image)} className="flex items-center gap-3 py-1.5">
      {selection.on ? (
        <Pick item={image} selection={selection} className={clsx(shape, "pick-row")}>
          {content}
        </Pick>
      ) : (
        <>
          <Link to={to} prefetch="intent" viewTransition preventScrollReset state={FROM_GALLERY} className={shape}>
            {content}
          </Link>
          <PickMark item={image} selection={selection} />
          {tile.byHand ? <DragHandle item={image} /> : null}
          <ImageMenu image={image} {...tile} />
        </>
      )}
    </li>
  );
}

const isDrawing = ({ contentType }: DesignImage) => contentType === "image/svg+xml";

/** Says of a picture that stands still here that it moves where it is large. */
function MovingMark({ image }: { image: DesignImage }) {
  if (!image.animated) return null;
  return (
    <span
      title="Animated"
      className="absolute bottom-1 left-1 flex items-center gap-1 rounded-sm bg-black/70 px-1.5 py-0.5 text-xs text-white"
    >
      <Icon of={Play} className="size-3" />
      <span className="sr-only">Animated</span>
    </span>
  );
}

/** A drawing has no width at which its pixels end. */
export const SCALABLE = "99999px";

/** A row of the wall before its pictures share what the row has left (images.css), and how much larger they mostly get by it. */
const ROW = "clamp(9rem, 24vw, 15rem)";
const GROWS = 1.4;

/** How wide the first picture will be, told before there is a layout: on a phone it mostly has a row of its own. */
function firstSizes(ratio: number, alone: boolean): string {
  const asked = (times: number) => `calc(${(ratio * times).toFixed(2)} * ${ROW})`;
  return alone ? asked(1) : `(max-width: 30rem) calc(100vw - 2rem), ${asked(GROWS)}`;
}

/** Wider and taller ones than this are cropped to it in the gallery, where they would be stripes; the viewer shows them whole. */
const WIDEST = 4;
const TALLEST = 0.45;

function ImageTile({ image, first, alone, ...tile }: OnTile) {
  const { _id, name, caption, width, height } = image;
  const ratio = Math.min(WIDEST, Math.max(TALLEST, width / height));
  const scalable = isDrawing(image);
  const to = href("/design/:id/images/:imageId", { id: image.designId, imageId: _id });
  // Only the one that is on its way to the viewer, or back from it, is the picture that grows.
  const moving = useViewTransitionState(to);
  const style: CSSProperties & Record<"--ratio" | "--own-width", string> = {
    "--ratio": ratio.toFixed(4),
    "--own-width": scalable ? SCALABLE : `${width}px`,
  };
  const { selection } = tile;
  const content = (
    <>
      <Picture
        image={{ ...image, imageId: _id }}
        alt={selection.on ? "" : caption || name}
        sizes={first ? firstSizes(ratio, alone) : `${Math.round(ratio * 260)}px`}
        priority={first}
        scalable={scalable}
        className={clsx(moving && "gallery-picture-grows")}
      />
      <MovingMark image={image} />
      <WaitingMark of={image} className="absolute top-1 left-1" />
    </>
  );
  return (
    <li id={`image-${_id}`} {...pickProps(image)} style={style}>
      {selection.on ? (
        <Pick item={image} selection={selection} className="gallery-picture">
          {content}
        </Pick>
      ) : (
        <Link to={to} prefetch="intent" viewTransition preventScrollReset state={FROM_GALLERY} className="gallery-picture relative">
          {content}
        </Link>
      )}
      {selection.on ? null : <PickMark item={image} selection={selection} />}
      <div className="flex items-center gap-1 pt-1 pl-1">
        {/* Where the picture itself is called so it need not be heard twice. */}
        <span aria-hidden={caption === "" || undefined} className="min-w-0 flex-1 truncate text-sm text-soft" title={name}>
          {name}
        </span>
        {tile.byHand && !selection.on ? <DragHandle item={image} /> : null}
        {selection.on ? null : <ImageMenu image={image} {...tile} />}
      </div>
    </li>
  );
}

function ImageMenu({ image, ask, projectId, byHand }: OfImage) {
  return (
    <ItemMenu item={image} ask={ask}>
      <ImageActions image={image} projectId={projectId}>
        {byHand ? <OrderActions intent="orderImage" id={image._id} /> : null}
      </ImageActions>
    </ItemMenu>
  );
}

/** Carried along the history, so that closing the viewer leads back to the gallery where it was left. */
const FROM_GALLERY = { fromGallery: true };

export function isFromGallery(state: unknown): boolean {
  return typeof state === "object" && state !== null && "fromGallery" in state;
}

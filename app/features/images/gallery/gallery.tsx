import { List, Play } from "lucide";
import { type CSSProperties, memo, type RefObject, useRef, useState } from "react";
import { useViewTransitionState } from "react-router";
import { DragHandle } from "~/features/reordering/drag-handle";
import { useReordering } from "~/features/reordering/use-reordering";
import type { ListPage } from "~/lib/data/pagination/pages";
import { ItemMenu } from "~/lib/forms/dialogs/item-menu";
import { OrderActions } from "~/lib/forms/items/order-actions";
import { PictureReviewMark, ReviewMark } from "~/features/review/review-mark";
import { Selectable, SelectMark, selectableProps } from "~/features/selection/selectable";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import { useIsVisitor } from "~/lib/rights/rights";
import { usePointerSelection } from "~/features/selection/use-pointer-selection";
import { isSameItem } from "~/features/selection/is-same-item";
import { selectFirst, type Selection } from "~/features/selection/use-selection";
import { clsx } from "clsx";
import { Icon } from "~/lib/ui/icons/icon";
import { UnreadMark } from "~/lib/ui/icons/unread-mark";
import { Link } from "~/lib/ui/navigation/link";
import { PendingIndicator } from "~/lib/ui/pending-indicator";
import { showDensity, useDensity } from "~/lib/ui/theme/density";
import { type Density, type DesignView, designViewCookies, type GalleryView } from "~/lib/ui/theme/preferences";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import { ACCEPTED, isAcceptedType } from "../display/accepted-types";
import { SegmentedControl } from "~/lib/ui/inputs/segmented-control";
import { DENSITY_CHOICES } from "./density-picker";
import { GalleryColumns } from "./gallery-columns";
import { gallerySizes, SCALABLE } from "./gallery-sizes";
import { ImageActions } from "../viewer/image-actions";
import type { DesignImage } from "./image-intents";
import { Picture } from "../display/picture";
import { bytesText } from "~/lib/ui/bytes-text";

type GalleryProps = TileProps & {
  list: RefObject<HTMLUListElement | null>;
  images: DesignImage[];
  view: GalleryView;
  page: Pick<ListPage<DesignImage>, "isFirst" | "next">;
  total: number;
  dropTargets: Parameters<typeof useReordering>[1]["dropTargets"];
};

type TileProps = {
  openDialog: Parameters<typeof ItemMenu>[0]["openDialog"];
  projectId: string;
  isManual: boolean;
  selection: Selection;
};

const VIEWS = [...DENSITY_CHOICES, { value: "list", label: "List", icon: <Icon of={List} /> }] as const;

export function Gallery({ list, images, view, page, total, dropTargets, ...tile }: GalleryProps) {
  const density = useDensity();
  const isVisitor = useIsVisitor();
  const nothing = useRef(null);
  usePointerSelection(isVisitor ? nothing : list, tile.selection);
  useReordering(list, { on: tile.isManual && !tile.selection.on, intent: "orderImage", items: images, page, total, dropTargets });
  const rows = (
    <ul ref={list} aria-label="Images" className={view === "grid" ? "gallery" : "gallery-list"}>
      {images.map((image, index) =>
        view === "grid" ? (
          <Tile key={image._id} image={image} first={index === 0} alone={images.length === 1} density={density} {...tile} />
        ) : (
          <Row key={image._id} image={image} {...tile} />
        ),
      )}
    </ul>
  );
  if (view === "grid") return rows;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <GalleryColumns isManual={tile.isManual} isSelecting={tile.selection.on} />
      {rows}
    </div>
  );
}

export function useGalleryView(atFirst: GalleryView) {
  const [view, setView] = useState(atFirst);
  const density = useDensity();
  function changeView(next: DesignView) {
    setView(next === "list" ? next : "grid");
    if (next !== "list") showDensity(next);
    for (const line of designViewCookies(next, location.protocol === "https:")) document.cookie = line;
  }
  return {
    view,
    choice: (
      <SegmentedControl
        name="view"
        label="View"
        value={view === "list" ? view : density}
        options={VIEWS}
        onChoose={changeView}
        className="ms-auto"
      />
    ),
  };
}

const number = new Intl.NumberFormat("en");

type OfImage = TileProps & { image: DesignImage };
type ImageTileProps = OfImage & { first: boolean; alone: boolean; density: Density };

const isSameImage = isSameItem<OfImage>(({ image }) => image._id);
const Row = memo(ImageRow, isSameImage);
const Tile = memo(
  ImageTile,
  isSameItem<ImageTileProps>(({ image }) => image._id),
);

function ImageRow({ image, ...tile }: OfImage) {
  const { _id, name, width, height, contentType, size, _creationTime } = image;
  const { selection } = tile;
  const to = useItemAddresses().image(image.designId, _id);
  const shape =
    "grid min-w-0 flex-1 grid-cols-[3.5rem_minmax(0,1fr)] items-center gap-x-4 rounded-md md:grid-cols-[3.5rem_minmax(0,1fr)_auto]";
  const content = (
    <>
      <span className="relative size-14 overflow-hidden rounded-sm bg-mat max-md:row-span-2">
        <Picture image={{ ...image, imageId: _id }} alt="" sizes="56px" scalable={isDrawing(image)} className="size-full object-cover" />
        <MovingMark image={image} />
      </span>
      <span className="flex min-w-0 items-center gap-3 max-md:self-end">
        <span dir="auto" className="truncate">
          {name} <PendingIndicator of={image} />
        </span>
        {image.review ? <ReviewMark status={image.review.status} className="shrink-0 text-sm text-faint" /> : null}
      </span>
      <span className="tabular flex flex-wrap gap-x-4 text-sm text-faint max-md:self-start">
        <span className="md:w-28 md:text-end">
          {number.format(width)} × {number.format(height)}
        </span>
        <span className="md:w-12">{isAcceptedType(contentType) ? ACCEPTED[contentType].name : contentType}</span>
        <span className="md:w-18 md:text-end">{bytesText(size)}</span>
        <span className="md:w-28 md:text-end">
          <RelativeTime at={_creationTime} />
        </span>
      </span>
    </>
  );
  return (
    <li id={`image-${_id}`} {...selectableProps(image)} className="flex items-center gap-3 py-1.5">
      {selection.on ? (
        <Selectable item={image} selection={selection} className={clsx(shape, "pick-row")}>
          {content}
        </Selectable>
      ) : (
        <>
          <Link to={to} prefetch="intent" viewTransition preventScrollReset state={FROM_GALLERY} className={shape}>
            {content}
          </Link>
          <SelectMark item={image} selection={selection} />
          {tile.isManual ? <DragHandle item={image} /> : null}
          <ImageMenu image={image} {...tile} />
        </>
      )}
    </li>
  );
}

const isDrawing = ({ contentType }: DesignImage) => contentType === "image/svg+xml";

function MovingMark({ image }: { image: DesignImage }) {
  if (!image.animated) return null;
  return (
    <span
      title="Animated"
      className="absolute bottom-1 start-1 flex items-center gap-1 rounded-sm bg-black/70 px-1.5 py-0.5 text-xs text-white"
    >
      <Icon of={Play} className="size-3" />
      <span className="sr-only">Animated</span>
    </span>
  );
}

const WIDEST = 4;
const TALLEST = 0.45;

function ImageTile({ image, first, alone, density, ...tile }: ImageTileProps) {
  const { _id, name, caption, width, height } = image;
  const ratio = Math.min(WIDEST, Math.max(TALLEST, width / height));
  const scalable = isDrawing(image);
  const to = useItemAddresses().image(image.designId, _id);
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
        sizes={gallerySizes(ratio, density, alone)}
        priority={first}
        scalable={scalable}
        className={clsx(moving && "gallery-picture-grows")}
      />
      <MovingMark image={image} />
      <PictureReviewMark item={image} />
      <PendingIndicator of={image} className="absolute top-1 start-1" />
    </>
  );
  return (
    <li id={`image-${_id}`} {...selectableProps(image)} style={style}>
      {selection.on ? (
        <Selectable item={image} selection={selection} className="gallery-picture">
          {content}
        </Selectable>
      ) : (
        <Link to={to} prefetch="intent" viewTransition preventScrollReset state={FROM_GALLERY} className="gallery-picture relative">
          {content}
        </Link>
      )}
      {selection.on ? null : <SelectMark item={image} selection={selection} />}
      <div className="flex items-center gap-1 pt-1 ps-1">
        <span aria-hidden={caption === "" || undefined} dir="auto" className="min-w-0 flex-1 truncate text-sm text-soft" title={name}>
          {name}
        </span>
        {image.isUnread ? <UnreadMark /> : null}
        {tile.isManual && !selection.on ? <DragHandle item={image} /> : null}
        {selection.on ? null : <ImageMenu image={image} {...tile} />}
      </div>
    </li>
  );
}

function ImageMenu({ image, openDialog, projectId, isManual, selection }: OfImage) {
  const to = useItemAddresses().image(image.designId, image._id);
  if (useIsVisitor()) return null;
  return (
    <ItemMenu item={image} to={to} openDialog={openDialog} remove="removeImage" select={() => selectFirst(selection, image._id)}>
      <ImageActions image={image} projectId={projectId} openDialog={openDialog}>
        {isManual ? <OrderActions intent="orderImage" id={image._id} /> : null}
      </ImageActions>
    </ItemMenu>
  );
}

const FROM_GALLERY = { fromGallery: true };

export function isFromGallery(state: unknown): boolean {
  return typeof state === "object" && state !== null && "fromGallery" in state;
}

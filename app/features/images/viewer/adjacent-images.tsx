import { ChevronLeft, ChevronRight } from "lucide";
import { clsx } from "clsx";
import { memo, type MouseEvent, useEffect, useRef } from "react";
import { useLocation } from "react-router";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import { buttonClass } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import { Link } from "~/lib/ui/navigation/link";
import { imageAddress, imageSrcSet, nearestWidth } from "../display/image-address";
import type { DesignImage } from "../gallery/image-intents";
import { Picture } from "../display/picture";
import { isDrawing } from "./viewer-canvas";

export type AdjacentImages = {
  previous: string | null;
  next: string | null;
  position: number | null;
  total: number;
  isPending: boolean;
};

export type Side = "previous" | "next";

export const SIZES = "100vw";

type NeighbourProps = { to: string | null; image: DesignImage; side: Side; open: (id: string) => void };

export const AdjacentImage = memo(NeighbourLink);

function NeighbourLink({ to, image, side, open }: NeighbourProps) {
  const { state } = useLocation();
  const { image: addressOf } = useItemAddresses();
  if (to === null) return null;
  const label = side === "previous" ? "Previous image" : "Next image";
  return (
    <Link
      to={addressOf(image.designId, to)}
      rel={side === "previous" ? "prev" : "next"}
      prefetch="render"
      replace
      state={state}
      preventScrollReset
      onClick={(event) => openInViewer(event, () => open(to))}
      aria-label={label}
      data-command=""
      className={clsx(
        buttonClass({ variant: "quiet", size: "icon" }),
        "viewer-adjacent absolute bottom-2.5 size-10 pointer-coarse:size-11 rounded-full bg-raised/85 backdrop-blur-sm md:top-[calc(50%-1.25rem)] md:bottom-auto",
        side === "previous" ? "end-16 md:end-auto md:start-3" : "viewer-next end-3",
      )}
    >
      <Icon of={side === "previous" ? ChevronLeft : ChevronRight} className="size-5 rtl:-scale-x-100" />
    </Link>
  );
}

function openInViewer(event: MouseEvent, open: () => void) {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  open();
}

function showInStrip(element: HTMLElement | null) {
  element?.scrollIntoView({ inline: "center", block: "nearest" });
}

type FilmstripProps = { image: DesignImage; around: DesignImage[]; open: (id: string) => void };

export const Filmstrip = memo(Strip);

function Strip({ image, around, open }: FilmstripProps) {
  const { state } = useLocation();
  const { image: addressOf } = useItemAddresses();
  if (around.length < 2) return null;
  return (
    <nav aria-label="Adjacent images" className="overflow-x-auto border-t bg-panel" data-print="hide">
      <ol className="mx-auto flex w-max gap-1.5 p-2">
        {around.map((each) => {
          const isCurrent = each._id === image._id;
          return (
            <li key={each._id} ref={isCurrent ? showInStrip : undefined}>
              <Link
                to={addressOf(each.designId, each._id)}
                prefetch="intent"
                replace
                state={state}
                preventScrollReset
                onClick={(event) => openInViewer(event, () => open(each._id))}
                aria-current={isCurrent ? "page" : undefined}
                aria-label={each.name}
                className={clsx(
                  "block size-14 overflow-hidden rounded-sm bg-mat",
                  isCurrent ? "outline-2 outline-accent-text" : "opacity-60 hover:opacity-100",
                )}
              >
                <Picture image={{ ...each, imageId: each._id }} alt="" sizes="56px" className="size-full object-cover" />
              </Link>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

const REACH = 2;

export function usePreload(around: DesignImage[], currentId: string) {
  const cache = useRef(new Map<string, HTMLImageElement>());
  const { files } = useItemAddresses();
  useEffect(() => {
    const index = around.findIndex(({ _id }) => _id === currentId);
    const near = around.filter((_, at) => index >= 0 && Math.abs(at - index) <= REACH);
    const keys = new Set(near.map(keyOf));
    for (const [key, image] of cache.current) if (!keys.has(key)) release(cache.current, key, image);
    // `keys` includes the shown image, because releasing it could cancel its request.
    for (const image of near.toSorted((a, b) => Math.abs(around.indexOf(a) - index) - Math.abs(around.indexOf(b) - index))) {
      if (image._id !== currentId && !cache.current.has(keyOf(image))) cache.current.set(keyOf(image), preloaded(image, files));
    }
  }, [around, currentId, files]);
  useEffect(() => {
    const all = cache.current;
    return () => {
      for (const [key, image] of all) release(all, key, image);
    };
  }, []);
}

const keyOf = ({ _id, versionId, rotation = 0 }: DesignImage) => `${_id} ${versionId ?? ""} ${rotation}`;

function preloaded({ _id, width, versionId, rotation, ...each }: DesignImage, files: string): HTMLImageElement {
  const image = new Image();
  image.fetchPriority = "low";
  image.sizes = SIZES;
  image.srcset = imageSrcSet(_id, width, { versionId, rotation, files }, { scalable: isDrawing(each), exact: true });
  image.src = imageAddress(_id, nearestWidth(960), { versionId, rotation, files });
  // Decoding fails for a released or missing image. The viewer's own element then shows the error.
  image.decode().catch(() => {});
  return image;
}

function release(all: Map<string, HTMLImageElement>, key: string, image: HTMLImageElement) {
  // Keeps the `src`: Chromium retains an image that loses its last source.
  image.removeAttribute("srcset");
  all.delete(key);
}

import { ChevronLeft, ChevronRight } from "lucide-react";
import { clsx } from "clsx";
import { useEffect } from "react";
import { href, Link, useLocation, useNavigate } from "react-router";
import { buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { imageAddress, imageSrcSet, nearestWidth } from "./address";
import type { DesignImage } from "./intents";
import { Picture } from "./picture";
import { isDrawing } from "./stage";

/** Where an image stands in its design. */
export type Place = {
  previous: string | null;
  next: string | null;
  /** From 1; null where it is too far down the design to be counted. */
  position: number | null;
  total: number;
};

/** As wide as the viewer may show a picture. */
export const SIZES = "100vw";

/** The way to the image before or after it. */
export function Neighbour({ to, image, side }: { to: string | null; image: DesignImage; side: "previous" | "next" }) {
  const { state } = useLocation();
  if (to === null) return null;
  const label = side === "previous" ? "Previous image" : "Next image";
  return (
    <Link
      to={href("/design/:id/images/:imageId", { id: image.designId, imageId: to })}
      rel={side === "previous" ? "prev" : "next"}
      prefetch="render"
      replace
      state={state}
      preventScrollReset
      aria-label={label}
      data-command=""
      className={clsx(
        buttonClass({ look: "quiet", size: "icon" }),
        "absolute bottom-2.5 size-10 pointer-coarse:size-11 rounded-full bg-raised/85 backdrop-blur-sm md:top-[calc(50%-1.25rem)] md:bottom-auto",
        side === "previous" ? "right-16 md:right-auto md:left-3" : "viewer-next right-3",
      )}
    >
      <Icon of={side === "previous" ? ChevronLeft : ChevronRight} className="size-5" />
    </Link>
  );
}

/** A ref: what becomes the current one is brought into the middle. */
function showInStrip(element: HTMLElement | null) {
  element?.scrollIntoView({ inline: "center", block: "nearest" });
}

/** The images around it, small. */
export function Filmstrip({ image, around }: { image: DesignImage; around: DesignImage[] }) {
  const { state } = useLocation();
  if (around.length < 2) return null;
  return (
    <nav aria-label="Images around this one" className="overflow-x-auto border-t bg-panel" data-print="hide">
      <ol className="mx-auto flex w-max gap-1.5 p-2">
        {around.map((each) => {
          const isCurrent = each._id === image._id;
          return (
            <li key={each._id} ref={isCurrent ? showInStrip : undefined}>
              <Link
                to={href("/design/:id/images/:imageId", { id: each.designId, imageId: each._id })}
                prefetch="intent"
                replace
                state={state}
                preventScrollReset
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

/** Turns to a neighbour, if there is one. */
export function useTurn(designId: string, { previous, next }: Place) {
  const navigate = useNavigate();
  const { state } = useLocation();
  return (side: "previous" | "next"): boolean => {
    const to = side === "previous" ? previous : next;
    if (to === null) return false;
    void navigate(href("/design/:id/images/:imageId", { id: designId, imageId: to }), { replace: true, state, preventScrollReset: true });
    return true;
  };
}

/** Has the browser fetch the pictures on both sides, once this one is there. */
export function usePreload(around: DesignImage[], { previous, next }: Place) {
  useEffect(() => {
    const neighbours = around.filter(({ _id }) => _id === previous || _id === next);
    const images = neighbours.map(({ _id, width, versionId, ...each }) => {
      const image = new Image();
      image.fetchPriority = "low";
      image.sizes = SIZES;
      image.srcset = imageSrcSet(_id, width, { versionId }, { scalable: isDrawing(each), exact: true });
      image.src = imageAddress(_id, nearestWidth(960), { versionId });
      return image;
    });
    return () => {
      for (const image of images) image.removeAttribute("srcset");
    };
  }, [around, previous, next]);
}

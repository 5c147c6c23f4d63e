import { ArrowLeftRight, Download, Info, Maximize, Trash2, X } from "lucide-react";
import { type MouseEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { href, Link, useActionData, useLocation, useNavigate } from "react-router";
import { useRoot } from "~/data/use-root";
import { PageMenu } from "~/forms/page-menu";
import { RemoveButton } from "~/forms/remove-dialog";
import { Button, buttonClass } from "~/ui/button";
import { clsx } from "clsx";
import { Icon } from "~/ui/icon";
import { isElsewhere } from "~/ui/keys";
import type { Ground } from "~/ui/preferences";
import { originalAddress } from "./address";
import { compareAddress } from "./compare-address";
import { isFromGallery } from "./gallery";
import { GroundChoice, useGround } from "./ground";
import type { DesignImage } from "./intents";
import { Filmstrip, Neighbour, type Place, SIZES, usePreload, useTurn } from "./neighbours";
import { isDrawing, StagedPicture } from "./stage";
import { usePageKeys, useZoom, zoomByKey } from "./use-zoom";
import { ZoomTools } from "./zoom-tools";

type ViewerProps = {
  image: DesignImage;
  place: Place;
  /** The image's name, to be renamed. */
  title: ReactNode;
  /** What else can be done with it, in a menu. */
  actions: ReactNode;
  /** Its neighbours, for the filmstrip. */
  around: DesignImage[];
  /** What stands behind it at first. */
  ground: Ground;
  /** Facts and versions, at the side. */
  children: ReactNode;
};

/**
 * One picture, large, at an address of its own, over the gallery that it was opened from or alone. All that leads somewhere is a link and works
 * without scripts; with them it is zoomed and moved by wheel, fingers, keys and double click.
 */
export function Viewer({ image, place, title, actions, around, ground: groundAtFirst, children }: ViewerProps) {
  const { close, toGallery } = useClose(image);
  const turn = useTurn(image.designId, place);
  // A new picture is first seen whole.
  const zoom = useZoom({ picture: image, scalable: isDrawing(image), onSwipe: turn });
  const ground = useGround(groundAtFirst);
  const side = useRef<HTMLDetailsElement>(null);
  // Without scripts the page comes anew after each form: what became of one of the panel's is seen in it.
  const answered = useAnsweredByPage();
  const viewer = useRef<HTMLElement>(null);
  useFocusOver(viewer);
  usePreload(around, place);
  const { fit } = zoom;
  useLayoutEffect(() => fit("fit"), [image._id, fit]);
  const navigate = useNavigate();
  usePageKeys((event) => {
    const { key } = event;
    if (event.shiftKey && key !== "+" && key !== "_") return false;
    if (zoomByKey(event, zoom)) return true;
    if (key === "Escape") close();
    else if (key === "ArrowLeft") return turn("previous");
    else if (key === "ArrowRight") return turn("next");
    else if (key === "f") toggleFullscreen();
    else if (key === "g") ground.next();
    else if (key === "c") void navigate(compareAddress({ imageId: image._id }, null));
    else if (key === "i" && side.current) side.current.open = !side.current.open;
    else return false;
    return true;
  }, isElsewhere);
  const of = new Intl.NumberFormat("en");

  return (
    <article ref={viewer} aria-label={image.name} tabIndex={-1} className="viewer">
      <header className="flex items-center gap-1 border-b px-2 py-1.5 md:gap-2 md:px-4">
        <Link
          to={toGallery}
          prefetch="intent"
          viewTransition
          onClick={close}
          aria-label="Close"
          data-tooltip="Close"
          className={buttonClass({ look: "ghost", size: "icon" })}
        >
          <Icon of={X} className="size-5" />
        </Link>
        {/* On a phone below each other, where beside each other there would be room for neither. */}
        <div className="flex min-w-0 flex-1 items-center gap-x-2 max-sm:grid">
          <div className="min-w-0 flex-1">{title}</div>
          <p className="tabular shrink-0 text-sm text-faint max-sm:-mt-1.5 pointer-coarse:max-sm:-mt-3">
            {place.position === null ? `of ${of.format(place.total)}` : `${of.format(place.position)} of ${of.format(place.total)}`}
          </p>
        </div>
        <Link
          to={compareAddress({ imageId: image._id }, null)}
          prefetch="intent"
          aria-label="Compare"
          data-command=""
          data-tooltip="Compare"
          className={buttonClass({ look: "ghost", size: "icon" })}
        >
          <Icon of={ArrowLeftRight} />
        </Link>
        <a
          href={originalAddress(image._id)}
          download
          aria-label="Download the original"
          data-command=""
          data-tooltip="Download"
          className={buttonClass({ look: "ghost", size: "icon" })}
        >
          <Icon of={Download} />
        </a>
        <PageMenu thing="image" size="icon">
          {actions}
        </PageMenu>
        <RemoveButton item={image} size="icon" aria-label="Delete image" data-tooltip="Delete">
          <Icon of={Trash2} />
        </RemoveButton>
      </header>
      <div className="viewer-room">
        <figure ref={zoom.stage} data-ground={ground.ground} data-larger={zoom.isLarger || undefined} className="viewer-wall">
          <StagedPicture image={image} zoom={zoom} sizes={SIZES} grows />
        </figure>
        <Neighbour to={place.previous} image={image} side="previous" />
        <Neighbour to={place.next} image={image} side="next" />
        <details ref={side} open={answered} className="viewer-side">
          <summary aria-label="Facts" data-command="" className={clsx(buttonClass({ look: "quiet", size: "sm" }), "list-none")}>
            <Icon of={Info} />
            Facts
          </summary>
          <div tabIndex={-1} className="viewer-panel">
            {children}
          </div>
        </details>
      </div>
      {image.caption === "" ? null : <p className="viewer-caption">{image.caption}</p>}
      <div className="viewer-tools">
        <ZoomTools zoom={zoom} />
        <GroundChoice {...ground} />
        <Button
          look="ghost"
          size="icon-sm"
          aria-label="Full screen"
          title="Full screen (f)"
          data-command=""
          className="noscript:hidden"
          onClick={toggleFullscreen}
        >
          <Icon of={Maximize} />
        </Button>
      </div>
      <Filmstrip image={image} around={around} />
    </article>
  );
}

/** Closing goes back to the gallery that the viewer was opened from, at the place where it was left; else to the picture's place in it. */
function useClose({ designId, _id }: DesignImage) {
  const navigate = useNavigate();
  const { state } = useLocation();
  const gallery = href("/design/:id", { id: designId });
  return {
    toGallery: `${gallery}#image-${_id}`,
    close: (event?: MouseEvent) => {
      if (event && (event.metaKey || event.ctrlKey || event.shiftKey)) return;
      event?.preventDefault();
      if (isFromGallery(state)) void navigate(-1);
      else void navigate(gallery, { viewTransition: true });
    },
  };
}

/** Whether the document itself came as the answer to a form. What scripts have led to since has a key of its own. */
function useAnsweredByPage(): true | undefined {
  const { key } = useLocation();
  const told = useRoot()?.flash != null && key === "default";
  const [toldAtFirst] = useState(told);
  const refused = useActionData() !== undefined;
  return refused || toldAtFirst || undefined;
}

/** Opened over the gallery the viewer takes the focus, as the thumbnail that has it is hidden; back in it, the thumbnail gets it (`ui/focus.ts`). */
function useFocusOver(viewer: { readonly current: HTMLElement | null }) {
  useLayoutEffect(() => {
    const active = document.activeElement;
    if (active?.closest(".design-page")) viewer.current?.focus({ preventScroll: true });
  }, [viewer]);
}

/** The whole document, so that dialogs and messages are seen as well. */
function toggleFullscreen() {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen().catch(() => {});
}

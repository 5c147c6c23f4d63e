import { ArrowLeftRight, CirclePause, CirclePlay, Download, EyeOff, Info, Maximize, Minimize, Pause, Play, Trash, X } from "lucide";
import { type ComponentType, type MouseEvent, type ReactNode, useDeferredValue, useLayoutEffect, useRef, useState } from "react";
import { useActionData, useLocation, useNavigate } from "react-router";
import { useRoot } from "~/lib/data/use-root";
import { PageMenu } from "~/lib/forms/dialogs/page-menu";
import { RemoveButton } from "~/lib/forms/dialogs/remove-button";
import { ReviewMark } from "~/features/review/review-mark";
import { useItemAddresses } from "~/lib/rights/item-addresses";
import { useMay } from "~/lib/rights/rights";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { clsx } from "clsx";
import { Icon } from "~/lib/ui/icons/icon";
import { isElsewhere, pressedKey } from "~/lib/ui/inputs/keys";
import { CommentsLink } from "~/features/comments/viewer/comments-link";
import { useViewerComments } from "~/features/comments/viewer/use-viewer-comments";
import { isMirrored } from "~/lib/ui/is-mirrored";
import { Link } from "~/lib/ui/navigation/link";
import type { Background } from "~/lib/ui/theme/preferences";
import { originalAddress } from "../display/image-address";
import { compareAddress } from "./compare-address";
import { isFromGallery } from "../gallery/gallery";
import { BackgroundPicker, useBackground } from "./background";
import type { DesignImage } from "../gallery/image-intents";
import { Filmstrip, AdjacentImage, type AdjacentImages, SIZES, usePreload } from "./adjacent-images";
import { isDrawing, ViewerImage } from "./viewer-canvas";
import { useAnimation } from "./use-animation";
import { useSlideshow } from "./use-slideshow";
import { useImageNavigation } from "./use-open-image";
import { usePageKeys } from "~/lib/ui/inputs/use-page-keys";
import { useZoom, type Zoom, zoomByKey } from "./use-zoom";
import { RotateButtons } from "./rotate-buttons";
import { ZoomTools } from "./zoom-tools";

type ViewerProps = {
  image: DesignImage;
  adjacent: AdjacentImages;
  open: (id: string) => void;
  form: string;
  title: ReactNode;
  actions: ReactNode | null;
  comments?: { projectId: string; versionNumber: number | undefined };
  Presence?: ComponentType<{ image: DesignImage; zoom: Zoom; layer: HTMLElement | null; open: (id: string) => void }> | undefined;
  hasGallery?: boolean;
  around: DesignImage[];
  background: Background;
  children: ReactNode;
};

export function Viewer({
  image,
  adjacent,
  open,
  form,
  title,
  actions,
  comments,
  Presence,
  hasGallery = true,
  around,
  background: initialBackground,
  children,
}: ViewerProps) {
  const addresses = useItemAddresses();
  const mayDownload = useMay()("download");
  const { close, toGallery } = useClose(image);
  const turn = useImageNavigation(adjacent, open);
  const slideshow = useSlideshow(image, turn);
  const [areBarsHidden, setBarsHidden] = useState(false);
  const toggleBars = () => setBarsHidden((hidden) => !hidden);
  const onSwipe = (to: "previous" | "next") => turn((to === "next") === isMirrored() ? "previous" : "next");
  const animation = useAnimation(image._id);
  const zoom = useZoom({
    picture: image,
    scalable: isDrawing(image),
    onSwipe,
    onTap: toggleBars,
    onDismiss: hasGallery ? close : () => {},
  });
  const background = useBackground(initialBackground);
  const side = useRef<HTMLDetailsElement>(null);
  const {
    Comments,
    state: commentsState,
    change: changeComments,
  } = useViewerComments(image.lastCommentAt !== undefined, comments !== undefined);
  const [commentLayer, setCommentLayer] = useState<HTMLElement | null>(null);
  const mayComment = useMay()("comment");
  const openComments = (isOpen: boolean) => {
    if (isOpen && side.current) side.current.open = false;
    changeComments({ isOpen });
  };
  const answered = useAnsweredByPage();
  const viewer = useRef<HTMLElement>(null);
  useFocusAbovePage(viewer);
  usePreload(around, image._id);
  // The next image is painted before the filmstrip is rendered.
  const stripImage = useDeferredValue(image);
  const stripImages = useDeferredValue(around);
  const { fit } = zoom;
  useLayoutEffect(() => fit("fit"), [image._id, image.rotation, fit]);
  const navigate = useNavigate();
  usePageKeys((event) => {
    const key = pressedKey(event);
    if (key === "r") return rotate(event.shiftKey ? "left" : "right");
    if (key === "c" && event.shiftKey && hasGallery) return compare();
    // On AZERTY keyboards, digits need Shift.
    if (event.shiftKey && !/^[+_\d]$/.test(key)) return false;
    if (key.startsWith("Arrow") && event.target instanceof Element && event.target.closest(".viewer-comments")) return false;
    if (zoomByKey(event, zoom)) return true;
    if (key === "Escape" && areBarsHidden) toggleBars();
    else if (key === "Escape" && commentsState.isOpen) openComments(false);
    else if (key === "Escape" && hasGallery) close();
    else if (key === "ArrowLeft" || key === "ArrowRight") return turn((key === "ArrowLeft") === isMirrored() ? "next" : "previous");
    else if (key === "f") toggleFullscreen();
    else if (key === "g") background.next();
    else if (key === "h") toggleBars();
    else if (key === "s") slideshow.toggle();
    else if (key === "c" && comments && mayComment) changeComments({ isPlacing: true });
    else if (key === "Delete") viewer.current?.querySelector<HTMLElement>("[data-remove]")?.click();
    else if (key === "i" && side.current) side.current.open = !side.current.open;
    else return false;
    return true;
  }, isElsewhere);
  function rotate(direction: "left" | "right"): true {
    viewer.current?.querySelector<HTMLElement>(`[data-rotate="${direction}"]`)?.click();
    return true;
  }
  function compare(): true {
    void navigate(compareAddress({ imageId: image._id }, null, "side", addresses.compare));
    return true;
  }
  const of = new Intl.NumberFormat("en");
  const removal = { id: image._id, designId: image.designId, next: adjacent.next ?? adjacent.previous ?? "" };

  return (
    <article ref={viewer} aria-label={image.name} tabIndex={-1} data-bars={areBarsHidden ? "hidden" : undefined} className="viewer">
      <header className="flex items-center gap-1 border-b px-2 py-1.5 md:gap-2 md:px-4">
        {hasGallery ? (
          <Link
            to={toGallery}
            prefetch="intent"
            viewTransition
            onClick={close}
            aria-label="Close"
            data-tooltip="Close"
            className={buttonClass({ variant: "ghost", size: "icon" })}
          >
            <Icon of={X} className="size-5" />
          </Link>
        ) : null}
        <div className="flex min-w-0 flex-1 items-center gap-x-2 max-sm:grid">
          <div className="min-w-0 flex-1">{title}</div>
          {hasGallery ? (
            <p className="tabular flex min-w-0 gap-2 text-sm text-faint max-sm:-mt-1.5 sm:shrink-0 pointer-coarse:max-sm:-mt-3">
              <span className="shrink-0">
                {adjacent.position === null
                  ? `of ${of.format(adjacent.total)}`
                  : `${of.format(adjacent.position)} of ${of.format(adjacent.total)}`}
              </span>
              {image.review ? <ReviewMark status={image.review.status} /> : null}
            </p>
          ) : null}
        </div>
        {Presence ? <Presence image={image} zoom={zoom} layer={commentLayer} open={open} /> : null}
        {hasGallery ? (
          <Link
            to={compareAddress({ imageId: image._id }, null, "side", addresses.compare)}
            prefetch="intent"
            aria-label="Compare"
            data-command=""
            data-tooltip="Compare"
            className={buttonClass({ variant: "ghost", size: "icon" })}
          >
            <Icon of={ArrowLeftRight} />
          </Link>
        ) : null}
        {mayDownload ? (
          <a
            href={originalAddress(image._id, { rotation: image.rotation, files: addresses.files })}
            download
            aria-label={image.rotation ? "Download the rotated image" : "Download the original"}
            data-command=""
            data-tooltip="Download"
            className={buttonClass({ variant: "ghost", size: "icon" })}
          >
            <Icon of={Download} />
          </a>
        ) : null}
        {actions === null ? null : (
          <PageMenu thing="image" size="icon">
            {actions}
          </PageMenu>
        )}
        <RemoveButton intent="removeImage" values={removal} form={form} size="icon" aria-label="Delete image" data-tooltip="Delete">
          <Icon of={Trash} />
        </RemoveButton>
      </header>
      <div className="viewer-layout">
        <div className="viewer-stage">
          <figure
            ref={zoom.stage}
            data-background={background.background}
            data-larger={zoom.isLarger || undefined}
            className="viewer-backdrop"
          >
            <ViewerImage image={image} zoom={zoom} sizes={SIZES} grows animation={animation} />
            {comments ? <div ref={setCommentLayer} className="comment-layer" /> : null}
          </figure>
          <AdjacentImage to={adjacent.previous} image={image} side="previous" open={open} />
          <AdjacentImage to={adjacent.next} image={image} side="next" open={open} />
          {areBarsHidden ? (
            <Button
              variant="quiet"
              size="icon"
              aria-label="Show controls"
              title="Show controls (h)"
              data-command=""
              className="viewer-show-bars"
              onClick={toggleBars}
            >
              <Icon of={Minimize} />
            </Button>
          ) : null}
        </div>
        {comments ? <CommentsLink image={image} isOpen={commentsState.isOpen} onOpen={openComments} /> : null}
        <details
          ref={side}
          open={answered}
          className="viewer-side"
          onToggle={(event) => {
            if (event.currentTarget.open) changeComments({ isOpen: false });
          }}
        >
          <summary aria-label="Details" data-command="" className={clsx(buttonClass({ variant: "quiet", size: "sm" }), "list-none")}>
            <Icon of={Info} />
            <span className="flex-1">Details</span>
            <Icon of={X} className="viewer-side-close" />
          </summary>
          <div tabIndex={-1} className="viewer-panel">
            {children}
          </div>
        </details>
        {Comments && comments ? (
          <Comments {...comments} image={image} zoom={zoom} layer={commentLayer} state={commentsState} change={changeComments} />
        ) : null}
      </div>
      {image.caption === "" ? null : (
        <p dir="auto" className="viewer-caption">
          {image.caption}
        </p>
      )}
      <div className="viewer-tools">
        <ZoomTools zoom={zoom} />
        <RotateButtons image={image} form={form} />
        {image.animated ? (
          <Button
            variant="ghost"
            size="icon-sm"
            aria-label={animation.isPlaying ? "Pause animation" : "Play animation"}
            title={animation.isPlaying ? "Pause animation" : "Play animation"}
            data-command=""
            className="noscript:hidden"
            onClick={animation.toggle}
          >
            <Icon of={animation.isPlaying ? CirclePause : CirclePlay} />
          </Button>
        ) : null}
        <Button
          variant="ghost"
          size="icon-sm"
          aria-label={slideshow.isPlaying ? "Pause slideshow" : "Start slideshow"}
          title={slideshow.isPlaying ? "Pause slideshow (s)" : "Start slideshow (s)"}
          data-command=""
          className="noscript:hidden"
          onClick={slideshow.toggle}
        >
          <Icon of={slideshow.isPlaying ? Pause : Play} />
        </Button>
        <BackgroundPicker {...background} />
        <div className="flex noscript:hidden">
          <Button variant="ghost" size="icon-sm" aria-label="Hide controls" title="Hide controls (h)" data-command="" onClick={toggleBars}>
            <Icon of={EyeOff} />
          </Button>
          <Button
            variant="ghost"
            size="icon-sm"
            aria-label="Full screen"
            title="Full screen (f)"
            data-command=""
            onClick={toggleFullscreen}
          >
            <Icon of={Maximize} />
          </Button>
        </div>
      </div>
      <Filmstrip image={stripImage} around={stripImages} open={open} />
    </article>
  );
}

function useClose({ designId, _id }: DesignImage) {
  const navigate = useNavigate();
  const { state } = useLocation();
  const gallery = useItemAddresses().design(designId);
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

/** Returns whether the document is the response to a form. Client-side navigation has another location key. */
function useAnsweredByPage(): true | undefined {
  const { key } = useLocation();
  const hasFlash = useRoot()?.flash != null && key === "default";
  const [hadFlashAtFirstRender] = useState(hasFlash);
  const refused = useActionData() !== undefined;
  return refused || hadFlashAtFirstRender || undefined;
}

/** Moves focus to the viewer, as the focused thumbnail is hidden; on return, `lib/ui/inputs/focus.ts` moves it back. */
function useFocusAbovePage(viewer: { readonly current: HTMLElement | null }) {
  useLayoutEffect(() => {
    const active = document.activeElement;
    if (active?.closest(".design-page")) viewer.current?.focus({ preventScroll: true });
  }, [viewer]);
}

function toggleFullscreen() {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen().catch(() => {});
}

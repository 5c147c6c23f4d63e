import { ChevronLeft, ChevronRight, Download, Info, Trash2, X } from "lucide-react";
import { type CSSProperties, type MouseEvent, type ReactNode, useEffect } from "react";
import { href, Link, useLocation, useNavigate } from "react-router";
import { RemoveButton } from "~/forms/remove-dialog";
import { buttonClass } from "~/ui/button";
import { cx } from "~/ui/cx";
import { Icon } from "~/ui/icon";
import { isElsewhere } from "~/ui/keys";
import { ACCEPTED, isAcceptedType } from "./accepted";
import { originalAddress } from "./address";
import { isFromGallery, SCALABLE } from "./gallery";
import type { DesignImage } from "./intents";
import { Picture } from "./picture";
import { bytesText } from "./upload";

/** Where an image stands in its design. */
export type Place = {
  previous: string | null;
  next: string | null;
  /** From 1; null where it is too far down the design to be counted. */
  position: number | null;
  total: number;
};

type ViewerProps = {
  image: DesignImage;
  place: Place;
  /** The image's name, to be renamed. */
  title: ReactNode;
  /** Its neighbours, for the filmstrip. */
  around: DesignImage[];
};

/**
 * One picture, large, at an address of its own. Everything in it is a link, and works without scripts; with them the arrow keys lead to its
 * neighbours and Escape back to the gallery.
 */
export function Viewer({ image, place, title, around }: ViewerProps) {
  const { close, toGallery } = useClose(image.designId);
  useKeys(image.designId, place, close);
  const of = new Intl.NumberFormat("en");

  return (
    <article aria-label={image.name} className="viewer">
      <header className="flex items-center gap-2 border-b px-3 py-2 md:px-4">
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
        <div className="min-w-0 flex-1">{title}</div>
        <p className="tabular shrink-0 text-sm text-faint">
          {place.position === null ? `of ${of.format(place.total)}` : `${of.format(place.position)} of ${of.format(place.total)}`}
        </p>
        <a
          href={originalAddress(image._id)}
          download
          aria-label="Download the original"
          data-tooltip="Download"
          className={buttonClass({ look: "ghost", size: "icon" })}
        >
          <Icon of={Download} />
        </a>
        <RemoveButton item={image} look="ghost" aria-label="Delete image" data-tooltip="Delete">
          <Icon of={Trash2} />
        </RemoveButton>
      </header>
      <div className="relative grid min-h-0 min-w-0 bg-mat p-3 pb-16 md:p-4 md:pb-16">
        <Large image={image} />
        <Neighbour to={place.previous} image={image} side="previous" />
        <Neighbour to={place.next} image={image} side="next" />
        <Facts image={image} />
      </div>
      <Filmstrip image={image} around={around} />
    </article>
  );
}

function Large({ image }: { image: DesignImage }) {
  const { width, height, name } = image;
  const scalable = image.contentType === "image/svg+xml";
  const style: CSSProperties & Record<"--ratio" | "--own-width", string> = {
    "--ratio": (width / height).toFixed(5),
    "--own-width": scalable ? SCALABLE : `${width}px`,
  };
  return (
    <figure className="viewer-wall">
      <div style={style} className="viewer-picture">
        <Picture
          key={image._id}
          image={{ ...image, imageId: image._id }}
          alt={name}
          sizes="(width < 768px) 100vw, 80vw"
          scalable={scalable}
          priority
        />
      </div>
    </figure>
  );
}

function Neighbour({ to, image, side }: { to: string | null; image: DesignImage; side: "previous" | "next" }) {
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
      className={cx(
        buttonClass({ look: "quiet", size: "icon" }),
        "absolute bottom-2.5 size-10 rounded-full bg-raised/85 backdrop-blur-sm md:top-[calc(50%-1.25rem)] md:bottom-auto",
        side === "previous" ? "right-16 md:right-auto md:left-3" : "right-3",
      )}
    >
      <Icon of={side === "previous" ? ChevronLeft : ChevronRight} className="size-5" />
    </Link>
  );
}

function Facts({ image }: { image: DesignImage }) {
  const { width, height, size, contentType, animated, _creationTime } = image;
  const number = new Intl.NumberFormat("en");
  const type = isAcceptedType(contentType) ? ACCEPTED[contentType].name : contentType;
  const added = new Date(_creationTime);
  return (
    <details className="absolute bottom-3 left-3 text-sm md:left-4">
      <summary className={cx(buttonClass({ look: "ghost", size: "sm" }), "list-none")}>
        <Icon of={Info} />
        Facts
      </summary>
      <dl className="tabular absolute bottom-full mb-2 grid w-max max-w-[calc(100vw-1.5rem)] grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-md border bg-raised p-3 text-soft shadow-lift">
        <Fact name="Dimensions">
          {number.format(width)} × {number.format(height)} {contentType === "image/svg+xml" ? "units" : "px"}
        </Fact>
        <Fact name="Size">
          {bytesText(size)} <span className="text-faint">({number.format(size)} bytes)</span>
        </Fact>
        <Fact name="Type">{animated ? `${type}, animated` : type}</Fact>
        <Fact name="Added">
          <time dateTime={added.toISOString()} suppressHydrationWarning>
            {new Intl.DateTimeFormat("en", { dateStyle: "long" }).format(added)}
          </time>
        </Fact>
        <Fact name="SHA-256">
          <code className="font-mono text-xs break-all">{image.checksum}</code>
        </Fact>
      </dl>
    </details>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="text-ink">{children}</dd>
    </>
  );
}

/** A ref: what becomes the current one is brought into the middle. */
function showInStrip(element: HTMLElement | null) {
  element?.scrollIntoView({ inline: "center", block: "nearest" });
}

function Filmstrip({ image, around }: { image: DesignImage; around: DesignImage[] }) {
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
                replace
                state={state}
                preventScrollReset
                aria-current={isCurrent ? "page" : undefined}
                aria-label={each.name}
                className={cx(
                  "block size-14 overflow-hidden rounded-sm bg-mat opacity-60 hover:opacity-100",
                  isCurrent && "opacity-100 outline-2 outline-accent-text",
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

/** Closing goes back to the gallery that the viewer was opened from, at the place where it was left; else to the gallery's start. */
function useClose(designId: string) {
  const navigate = useNavigate();
  const { state } = useLocation();
  const toGallery = href("/design/:id", { id: designId });
  return {
    toGallery,
    close: (event?: MouseEvent) => {
      if (event && (event.metaKey || event.ctrlKey || event.shiftKey)) return;
      event?.preventDefault();
      if (isFromGallery(state)) void navigate(-1);
      else void navigate(toGallery, { viewTransition: true });
    },
  };
}

function useKeys(designId: string, { previous, next }: Place, close: () => void) {
  const navigate = useNavigate();
  const { state } = useLocation();
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || event.shiftKey || isElsewhere(event.target)) return;
      if (event.key === "Escape") return close();
      const to = event.key === "ArrowLeft" ? previous : event.key === "ArrowRight" ? next : null;
      if (to === null) return;
      event.preventDefault();
      void navigate(href("/design/:id/images/:imageId", { id: designId, imageId: to }), { replace: true, state, preventScrollReset: true });
    }
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
}

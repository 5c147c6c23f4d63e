import { type PointerEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import { Button } from "~/lib/ui/inputs/button";
import { isElsewhere, pressedKey } from "~/lib/ui/inputs/keys";
import { announce } from "~/lib/ui/overlays/announcer";
import type { Rotation } from "~/features/images/display/image-address";
import { type Anchor, anchorAt, anchorBetween, type Box, fractionAt, movedBy, panToShow, positionText, rotateAnchor } from "../anchor";
import type { StageZoom } from "./viewer-comments";

/** CSS pixels per press of an arrow key, and per step while the key is held. */
const STEP = 10;
const LARGE_STEP = 40;

const DIRECTIONS: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

type Point = { x: number; y: number };
type PlacingProps = {
  box: Box;
  layer: HTMLElement;
  zoom: StageZoom;
  rotation: Rotation;
  onPlace: (anchor: Anchor | undefined) => void;
  onCancel: () => void;
};

export function Placing({ box, layer, zoom, rotation, onPlace, onCancel }: PlacingProps) {
  const surface = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ from: Point; to: Point } | null>(null);
  const [moved, setMoved] = useState<Point | null>(null);
  const [corner, setCorner] = useState<Point | null>(null);

  const crosshair = moved ?? fractionAt({ x: layer.clientWidth / 2, y: layer.clientHeight / 2 }, box);
  useEffect(() => {
    surface.current?.focus({ preventScroll: true });
    announce(HELP);
  }, []);

  const onStage = ({ x, y }: Point): Point => ({ x: box.left + x * box.width, y: box.top + y * box.height });
  const area = corner && anchorBetween(onStage(corner), onStage(crosshair), box, rotation);

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event.target)) return;
    const key = pressedKey(event);
    const direction = DIRECTIONS[key];
    const isOnControl = event.target instanceof Element && event.target.closest("a, button, summary") !== null;
    if (direction) move(direction, event.repeat ? LARGE_STEP : STEP, event.shiftKey);
    else if (key === "Enter" && !isOnControl) onPlace(area ?? anchorAt(crosshair, rotation));
    else if (key === "Escape") onCancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  // Listens in the capture phase, to precede the viewer's keys.
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    window.addEventListener("keydown", listen, { capture: true });
    return () => window.removeEventListener("keydown", listen, { capture: true });
  }, []);

  function move([x, y]: [number, number], step: number, isGrowing: boolean) {
    const next = movedBy(crosshair, { x: x * step, y: y * step }, box);
    const from = isGrowing ? (corner ?? crosshair) : null;
    setMoved(next);
    setCorner(from);
    const at = { left: box.left + next.x * box.width, top: box.top + next.y * box.height, width: 0, height: 0 };
    const { clientWidth: width, clientHeight: height } = layer;
    const pan = panToShow(at, { width, height });
    if (zoom.isLarger && (pan.x !== 0 || pan.y !== 0)) zoom.pan(pan.x, pan.y);
    announce(placeText(from ? anchorBetween(onStage(from), onStage(next), box, rotation) : anchorAt(next, rotation), rotation));
  }

  const pointOf = ({ clientX, clientY, currentTarget }: PointerEvent): Point => {
    const { left, top } = currentTarget.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const place = (from: Point, to: Point) => onPlace(anchorBetween(from, to, box, rotation));
  const ends = drag ?? (corner && { from: onStage(corner), to: onStage(crosshair) });
  const drawn = ends && anchorBetween(ends.from, ends.to, box, 0);

  return (
    <>
      <div
        ref={surface}
        role="application"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- an application takes keys
        tabIndex={0}
        aria-label="Comment position"
        aria-describedby="comment-placing-help"
        className="comment-placing"
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          if (!event.isPrimary) return setDrag(null);
          // Otherwise the mouse events after a tap would take the focus from the text field.
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrag({ from: pointOf(event), to: pointOf(event) });
        }}
        onPointerMove={(event) => {
          if (drag && event.isPrimary) setDrag({ ...drag, to: pointOf(event) });
        }}
        onPointerUp={(event) => {
          if (drag && event.isPrimary) place(drag.from, pointOf(event));
        }}
        onPointerCancel={() => setDrag(null)}
      >
        {drawn?.width === undefined || drawn.height === undefined ? null : (
          <span
            className="comment-area"
            style={{
              left: box.left + drawn.x * box.width,
              top: box.top + drawn.y * box.height,
              width: drawn.width * box.width,
              height: drawn.height * box.height,
            }}
          />
        )}
        {drag ? null : (
          <span
            className="comment-crosshair"
            style={{ left: box.left + crosshair.x * box.width, top: box.top + crosshair.y * box.height }}
          />
        )}
      </div>
      <div className="comment-placing-bar">
        <p id="comment-placing-help" className="text-sm max-sm:hidden pointer-coarse:hidden">
          {HELP}
        </p>
        <p aria-hidden="true" className="hidden text-sm max-sm:block pointer-coarse:block">
          Tap or drag
        </p>
        <Button size="sm" onClick={() => onPlace(undefined)}>
          Whole image
        </Button>
        <Button size="sm" variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </>
  );
}

function placeText(anchor: Anchor, rotation: Rotation): string {
  const { width, height } = rotateAnchor(anchor, rotation);
  const size = width > 0 ? `Area ${Math.round(width * 100)}% by ${Math.round(height * 100)}%, middle ` : "";
  return size + positionText(anchor, rotation);
}

const HELP = "Click a point or drag over an area. Or move the crosshair with the arrow keys, hold Shift to draw an area, then press Enter.";

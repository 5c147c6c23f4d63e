import { isLarger, panBy, pinch, type Point, type Scene, toggleZoom, type View, zoomBy } from "./zoom";

export type GestureTarget = {
  now(): { view: View; scene: Scene } | null;
  show(view: View, fitting?: "fit" | "actual" | "free"): void;
  swipe?: ((to: "previous" | "next") => void) | undefined;
  tap?: (() => void) | undefined;
  dismiss?: (() => void) | undefined;
};

const WHEEL = 400;
/** A trackpad pinch sends small steps with Ctrl. */
const PINCH_WHEEL = 100;
const LINE = 20;
/** Minimum length of a swipe in pixels, and its minimum ratio of horizontal to vertical. */
const SWIPE = 50;
const SWIPE_STRAIGHT = 1.5;
const DOUBLE_MS = 350;
const DOUBLE_NEAR = 30;
const MOVE_THRESHOLD = 4;

const CONTROLS = "a, button, input, select, summary, details, form, [role=application]";

export function listenToGestures(stage: HTMLElement, staged: GestureTarget): () => void {
  const controller = new AbortController();
  const fingers = new Map<number, Point>();
  let start: { at: Point; moved: boolean; together: number } | null = null;
  let tap: { at: Point; time: number } | null = null;
  let single: ReturnType<typeof setTimeout> | undefined;
  controller.signal.addEventListener("abort", () => clearTimeout(single));

  const pointOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top, width, height } = stage.getBoundingClientRect();
    return { x: clientX - left - width / 2, y: clientY - top - height / 2 };
  };
  const isControl = ({ target }: Event) => target instanceof Element && target.closest(CONTROLS) !== null;
  const two = (points: Map<number, Point>): [Point, Point] | null => {
    const [a, b] = points.values();
    return a && b ? [a, b] : null;
  };

  function onWheel(event: WheelEvent) {
    const now = staged.now();
    if (!now || isInPanel(event)) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
    const [x, y] = [event.deltaX * unit, event.deltaY * unit];
    if (event.shiftKey) return staged.show(panBy(now.view, { x: -(x || y), y: x ? -y : 0 }, now.scene), "free");
    const factor = Math.exp(-y / (event.ctrlKey ? PINCH_WHEEL : WHEEL));
    staged.show(zoomBy(now.view, factor, pointOf(event), now.scene), "free");
  }

  function onDown(event: PointerEvent) {
    if (event.button !== 0 || isControl(event)) return;
    fingers.set(event.pointerId, pointOf(event));
    if (fingers.size === 1) start = { at: pointOf(event), moved: false, together: 1 };
    else if (start) start.together = fingers.size;
  }

  function onMove(event: PointerEvent) {
    const before = fingers.get(event.pointerId);
    const now = staged.now();
    if (!before || !start || !now) return;
    const after = pointOf(event);
    if (!start.moved && fingers.size === 1 && Math.hypot(after.x - start.at.x, after.y - start.at.y) < MOVE_THRESHOLD) return;
    if (!start.moved) {
      start.moved = true;
      stage.setPointerCapture(event.pointerId);
    }
    const previousPair = two(fingers);
    fingers.set(event.pointerId, after);
    const pairAfter = two(fingers);
    if (previousPair && pairAfter) staged.show(pinch(now.view, previousPair, pairAfter, now.scene), "free");
    else if (isLarger(now.view, now.scene))
      staged.show(panBy(now.view, { x: after.x - before.x, y: after.y - before.y }, now.scene), "free");
  }

  function onUp(event: PointerEvent) {
    if (!fingers.delete(event.pointerId) || !start || fingers.size > 0) return;
    const { at, moved, together } = start;
    start = null;
    const now = staged.now();
    if (event.type === "pointercancel" || together > 1 || !now) return;
    const end = pointOf(event);
    if (!moved) return onTap(end, event);
    if (event.pointerType !== "touch" || isLarger(now.view, now.scene)) return;
    const [along, down] = [end.x - at.x, end.y - at.y];
    if (Math.abs(along) > SWIPE && Math.abs(along) > SWIPE_STRAIGHT * Math.abs(down)) staged.swipe?.(along > 0 ? "previous" : "next");
    else if (down > SWIPE && down > SWIPE_STRAIGHT * Math.abs(along)) staged.dismiss?.();
  }

  function onTap(at: Point, { timeStamp: time, pointerType }: PointerEvent) {
    const now = staged.now();
    const isSecond = tap !== null && time - tap.time < DOUBLE_MS && Math.hypot(at.x - tap.at.x, at.y - tap.at.y) < DOUBLE_NEAR;
    tap = isSecond ? null : { at, time };
    clearTimeout(single);
    if (!isSecond && pointerType === "touch") single = setTimeout(() => staged.tap?.(), DOUBLE_MS);
    if (!isSecond || !now) return;
    const { view, fitting } = toggleZoom(now.view, now.scene, at);
    staged.show(view, fitting === "fit" ? "fit" : "free");
  }

  const options = { signal: controller.signal };
  stage.addEventListener("wheel", onWheel, { ...options, passive: false });
  stage.addEventListener("pointerdown", onDown, options);
  stage.addEventListener("pointermove", onMove, options);
  stage.addEventListener("pointerup", onUp, options);
  stage.addEventListener("pointercancel", onUp, options);
  return () => controller.abort();
}

function isInPanel({ target }: Event): boolean {
  return target instanceof Element && target.closest("details") !== null;
}

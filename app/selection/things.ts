import type { Box } from "./range";

/** The things of a list as the document has them: elements that are marked `data-pick`, by hands on them and by rectangles. */

export const thingsIn = (list: HTMLElement | null): HTMLElement[] => [...(list?.querySelectorAll<HTMLElement>("[data-pick]") ?? [])];

/** The thing that an element belongs to. */
export const idOf = (element: Element): string | null => element.closest<HTMLElement>("[data-pick]")?.dataset["pick"] ?? null;

/** Where a thing is on the page. */
export function boxOf(thing: Element): Box {
  const { left, top, right, bottom } = thing.getBoundingClientRect();
  return { left: left + scrollX, top: top + scrollY, right: right + scrollX, bottom: bottom + scrollY };
}

/** How near an edge of the window the page moves on (pixels), and how fast: the nearer, the faster (pixels a second). */
const EDGE = 64;
const SLOWEST = 150;
const FASTEST = 2400;
/** A frame that came late moves the page no farther than one that is this long (ms). */
const LONGEST_FRAME = 50;

/** How fast the page moves on while the pointer is held there, in pixels a second: upwards below zero. */
export function edgeSpeed(y: number, height: number): number {
  const [above, below] = [EDGE - y, y - (height - EDGE)];
  const within = Math.min(1, Math.max(above, below) / EDGE);
  if (within <= 0) return 0;
  return (above > below ? -1 : 1) * (SLOWEST + (FASTEST - SLOWEST) * within ** 2);
}

/** Moves the page on while the pointer is held near the window's upper or lower edge. Answers what stops that. */
export function scrollAtEdges(pointerY: () => number, moved: () => void): () => void {
  let last: number | null = null;
  const look = (now: number) => {
    const speed = edgeSpeed(pointerY(), innerHeight);
    if (speed !== 0 && last !== null) {
      scrollBy({ top: (speed * Math.min(now - last, LONGEST_FRAME)) / 1000, behavior: "instant" });
      moved();
    }
    last = now;
    frame = requestAnimationFrame(look);
  };
  let frame = requestAnimationFrame(look);
  return () => cancelAnimationFrame(frame);
}

/** The click that the release of the pointer makes is none: what was held was drawn, or carried. */
export function swallowClick(): void {
  const over = new AbortController();
  window.addEventListener(
    "click",
    (event) => {
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true, signal: over.signal },
  );
  setTimeout(() => over.abort());
}

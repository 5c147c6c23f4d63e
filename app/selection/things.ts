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

/** How near an edge of the window the page moves on, and by how much in each frame (pixels). */
const EDGE = 48;
const STEP = 14;

/** Moves the page on while the pointer is held near the window's upper or lower edge. Answers what stops that. */
export function scrollAtEdges(pointerY: () => number, moved: () => void): () => void {
  const look = () => {
    const y = pointerY();
    const by = y < EDGE ? -STEP : y > innerHeight - EDGE ? STEP : 0;
    if (by !== 0) {
      scrollBy(0, by);
      moved();
    }
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

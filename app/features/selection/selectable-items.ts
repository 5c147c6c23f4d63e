import { SELECTED_FIELD } from "./address";
import type { Box } from "./range";

export const selectableItems = (list: HTMLElement | null): HTMLElement[] => [...(list?.querySelectorAll<HTMLElement>("[data-pick]") ?? [])];

export const idOf = (element: Element): string | null => element.closest<HTMLElement>("[data-pick]")?.dataset["pick"] ?? null;

export function boxOf(thing: Element): Box {
  const { left, top, right, bottom } = thing.getBoundingClientRect();
  return { left: left + scrollX, top: top + scrollY, right: right + scrollX, bottom: bottom + scrollY };
}

/** Distance in pixels from the window's edge at which scrolling starts, and speeds in pixels per second. */
const EDGE = 64;
const SLOWEST = 150;
const FASTEST = 2400;
const LONGEST_FRAME = 50;

export function edgeSpeed(y: number, height: number): number {
  const [above, below] = [EDGE - y, y - (height - EDGE)];
  const within = Math.min(1, Math.max(above, below) / EDGE);
  if (within <= 0) return 0;
  return (above > below ? -1 : 1) * (SLOWEST + (FASTEST - SLOWEST) * within ** 2);
}

export function scrollAtEdges(pointerY: () => number, moved: () => void): () => void {
  let last: number | null = null;
  const onFrame = (now: number) => {
    const speed = edgeSpeed(pointerY(), innerHeight);
    if (speed !== 0 && last !== null) {
      scrollBy({ top: (speed * Math.min(now - last, LONGEST_FRAME)) / 1000, behavior: "instant" });
      moved();
    }
    last = now;
    frame = requestAnimationFrame(onFrame);
  };
  let frame = requestAnimationFrame(onFrame);
  return () => cancelAnimationFrame(frame);
}

export function suppressClick(): void {
  const controller = new AbortController();
  window.addEventListener(
    "click",
    (event) => {
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true, signal: controller.signal },
  );
  setTimeout(() => controller.abort());
}

export function controlOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-pick="${CSS.escape(id)}"] :is(input[name="${SELECTED_FIELD}"], a[href])`);
}

import type { Box } from "~/selection/range";

/** Where something that is carried is to be put: beside which of a list's things, by its place in the list. */
export type Drop = { side: "before" | "after"; index: number };

/** Things that lie one below the other, not beside each other. */
function isColumn(boxes: readonly Box[]): boolean {
  const [first, second] = boxes;
  return first !== undefined && second !== undefined && first.left === second.left && first.right === second.right;
}

/** Beside the thing that a point is nearest to, on the side of it where the point is. */
export function dropAt(boxes: readonly Box[], { x, y }: { x: number; y: number }): Drop | null {
  const column = isColumn(boxes);
  let best: { index: number; distance: number } | null = null;
  for (const [index, { left, right, top, bottom }] of boxes.entries()) {
    // A row is a row: what is far to the side but level with the point is nearer than what is close above it.
    const distance = Math.max(left - x, x - right, 0) + 3 * Math.max(top - y, y - bottom, 0);
    if (best === null || distance < best.distance) best = { index, distance };
  }
  const box = best && boxes[best.index];
  if (!best || !box) return null;
  const before = column ? y < (box.top + box.bottom) / 2 : x < (box.left + box.right) / 2;
  return { side: before ? "before" : "after", index: best.index };
}

/** Beside which thing something is put that moves from one place of a list to another; null: it stays. */
export function dropFor(from: number, to: number): Drop | null {
  return from === to ? null : { side: to < from ? "before" : "after", index: to };
}

/** The line that shows where something would go: thin, in the gap beside a thing. */
export function markerBox(boxes: readonly Box[], { side, index }: Drop): Box | null {
  const box = boxes[index];
  if (!box) return null;
  const gap = 7;
  const { left, right, top, bottom } = box;
  if (isColumn(boxes)) {
    const y = side === "before" ? top : bottom;
    return { left, right, top: y - 1, bottom: y + 2 };
  }
  const x = side === "before" ? left - gap : right + gap;
  return { left: x - 1, right: x + 2, top, bottom };
}

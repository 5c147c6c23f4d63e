import type { Box } from "~/features/selection/range";

export type DropPosition = { side: "before" | "after"; index: number };

function isColumn(boxes: readonly Box[]): boolean {
  const [first, second] = boxes;
  return first !== undefined && second !== undefined && first.left === second.left && first.right === second.right;
}

export function dropPositionAt(boxes: readonly Box[], { x, y }: { x: number; y: number }, mirrored: boolean): DropPosition | null {
  const column = isColumn(boxes);
  let best: { index: number; distance: number } | null = null;
  for (const [index, { left, right, top, bottom }] of boxes.entries()) {
    // Vertical distance counts three times, so that an item in the same row is preferred to one above it.
    const distance = Math.max(left - x, x - right, 0) + 3 * Math.max(top - y, y - bottom, 0);
    if (best === null || distance < best.distance) best = { index, distance };
  }
  const box = best && boxes[best.index];
  if (!best || !box) return null;
  const before = column ? y < (box.top + box.bottom) / 2 : x < (box.left + box.right) / 2 !== mirrored;
  return { side: before ? "before" : "after", index: best.index };
}

export function dropPositionFor(from: number, to: number): DropPosition | null {
  return from === to ? null : { side: to < from ? "before" : "after", index: to };
}

export function indexBeside(side: DropPosition["side"], from: number, beside: number): number {
  if (side === "before") return beside > from ? beside - 1 : beside;
  return beside < from ? beside + 1 : beside;
}

export function markerBox(boxes: readonly Box[], { side, index }: DropPosition, mirrored: boolean): Box | null {
  const box = boxes[index];
  if (!box) return null;
  const gap = 7;
  const { left, right, top, bottom } = box;
  if (isColumn(boxes)) {
    const y = side === "before" ? top : bottom;
    return { left, right, top: y - 1, bottom: y + 2 };
  }
  const x = (side === "before") !== mirrored ? left - gap : right + gap;
  return { left: x - 1, right: x + 2, top, bottom };
}

/** All from one to the other, both of them, in their list's order, whichever comes first. What is not in the list is left out. */
export function between(ids: readonly string[], one: string, other: string): string[] {
  const [a, b] = [ids.indexOf(one), ids.indexOf(other)];
  if (a < 0 || b < 0) return ids.filter((id) => id === other);
  return ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/** A rectangle on the page. */
export type Box = { left: number; top: number; right: number; bottom: number };

export const touches = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

export type Arrow = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Home" | "End";
const ARROWS: readonly string[] = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"] satisfies Arrow[];

export const isArrow = (key: string): key is Arrow => ARROWS.includes(key);

/**
 * Where an arrow leads from one of several boxes, which lie in rows from left to right: to the one before or after, or to the one of the next row
 * that lies nearest. At an end: nowhere else.
 *
 * @param boxes in their list's order
 */
export function besideBy(key: Arrow, boxes: readonly Box[], from: number): number {
  const here = boxes[from];
  if (!here || key === "Home") return 0;
  const last = boxes.length - 1;
  if (key === "End") return last;
  if (key === "ArrowLeft") return Math.max(0, from - 1);
  if (key === "ArrowRight") return Math.min(last, from + 1);

  const middle = (here.left + here.right) / 2;
  const beyond = boxes.flatMap((box, index) => {
    const rows = key === "ArrowDown" ? box.top - here.bottom : here.top - box.bottom;
    return rows >= -1 ? [{ index, rows, aside: Math.max(box.left - middle, middle - box.right, 0) }] : [];
  });
  const nearest = Math.min(...beyond.map(({ rows }) => rows));
  // What begins within a few lines of the nearest is its row: tiles of one row are not all of one height.
  const row = beyond.filter(({ rows }) => rows < nearest + (here.bottom - here.top) / 2);
  return row.toSorted((a, b) => a.aside - b.aside || a.index - b.index)[0]?.index ?? from;
}

export function between(ids: readonly string[], one: string, other: string): string[] {
  const [a, b] = [ids.indexOf(one), ids.indexOf(other)];
  if (a < 0 || b < 0) return ids.filter((id) => id === other);
  return ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}

export type Box = { left: number; top: number; right: number; bottom: number };

export const touches = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

export type Arrow = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Home" | "End";
const ARROWS: readonly string[] = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"] satisfies Arrow[];

export const isArrow = (key: string): key is Arrow => ARROWS.includes(key);

export function neighbourInDirection(key: Arrow, boxes: readonly Box[], from: number, mirrored: boolean): number {
  const currentBox = boxes[from];
  if (!currentBox || key === "Home") return 0;
  const last = boxes.length - 1;
  if (key === "End") return last;
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const next = (key === "ArrowRight") !== mirrored;
    return next ? Math.min(last, from + 1) : Math.max(0, from - 1);
  }

  const middle = (currentBox.left + currentBox.right) / 2;
  const beyond = boxes.flatMap((box, index) => {
    const rows = key === "ArrowDown" ? box.top - currentBox.bottom : currentBox.top - box.bottom;
    return rows >= -1 ? [{ index, rows, distance: Math.max(box.left - middle, middle - box.right, 0) }] : [];
  });
  const nearest = Math.min(...beyond.map(({ rows }) => rows));
  // Tiles of one row differ in height, so boxes starting within half a height share a row.
  const row = beyond.filter(({ rows }) => rows < nearest + (currentBox.bottom - currentBox.top) / 2);
  return row.toSorted((a, b) => a.distance - b.distance || a.index - b.index)[0]?.index ?? from;
}

import type { Thread } from "../optimistic";

const percent = (fraction: number): string => `${Math.round(fraction * 100)}%`;

export function placeText({ anchor }: Pick<Thread, "anchor">): string {
  if (!anchor) return "";
  const { x, y, width, height } = anchor;
  const start = `${percent(x)} from the left and ${percent(y)} from the top`;
  if (width === undefined || height === undefined) return `Point ${start}`;
  return `Area from ${start}, ${percent(width)} wide and ${percent(height)} high`;
}

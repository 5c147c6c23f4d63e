import { MAX_PIXELS } from "./decoder.server";

export const WEBP_SIDE_MAX = 16_383;

/** Returns the DPI that draws `own` units as `target` pixels. librsvg draws one pixel per unit at 72 DPI; sharp accepts 1 to 100,000. */
export function svgDensity(own: number, target: number): number {
  return Math.min(100_000, Math.max(1, (72 * target) / own));
}

/** Returns the requested width, reduced where the height would exceed the limits of WebP or the decoder. */
export function svgWidth({ width: own, height }: { width: number; height: number }, width: number): number {
  const tallest = Math.min(WEBP_SIDE_MAX, MAX_PIXELS / width);
  return Math.max(1, Math.round(Math.min(width, (tallest * own) / height)));
}

import { MAX_PIXELS } from "./decoder.server";

/** WebP knows no side longer than this. */
export const WEBP_SIDE_MAX = 16_383;

/**
 * The dots per inch at which a drawing of `own` units comes out with `wanted` pixels, for `drawer`. At 72, librsvg's own measure, one unit is one
 * pixel; sharp takes 1 to 100,000.
 */
export function drawingDensity(own: number, wanted: number): number {
  return Math.min(100_000, Math.max(1, (72 * wanted) / own));
}

/** How wide a drawing is drawn: as wide as is asked for, as long as its height stays within what a WebP and a decoder take. */
export function drawnWidth({ width: own, height }: { width: number; height: number }, width: number): number {
  const tallest = Math.min(WEBP_SIDE_MAX, MAX_PIXELS / width);
  return Math.max(1, Math.round(Math.min(width, (tallest * own) / height)));
}

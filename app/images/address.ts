import { href } from "react-router";

/**
 * The widths in pixels in which `/images/:id` serves a picture. A fixed list: otherwise anyone could fill the cache, and
 * keep every core busy, by counting up `?w=`.
 */
export const VARIANT_WIDTHS = [160, 320, 480, 640, 960, 1280, 1920, 2560, 3840] as const;

export type VariantWidth = (typeof VARIANT_WIDTHS)[number];

/** The address of a picture for display, `width` pixels wide (or its own width, where that is less). */
export function imageAddress(imageId: string, width: VariantWidth): string {
  return `${href("/images/:id", { id: imageId })}?w=${width}`;
}

/** The address of the file as it was uploaded, to be saved under its own name. */
export function originalAddress(imageId: string): string {
  return `${href("/images/:id", { id: imageId })}?original=1`;
}

/**
 * The `srcset` of a picture that is `width` pixels wide: every listed width below its own, then the first that gives all
 * of its pixels, described by the width that really comes back, since nothing is ever enlarged. A drawing (`scalable`) comes
 * in every width.
 */
export function imageSrcSet(imageId: string, width: number, scalable = false): string {
  if (scalable) return VARIANT_WIDTHS.map((each) => `${imageAddress(imageId, each)} ${each}w`).join(", ");
  const smaller = VARIANT_WIDTHS.filter((each) => each < width);
  const full = VARIANT_WIDTHS.find((each) => each >= width);
  const candidates = smaller.map((each) => `${imageAddress(imageId, each)} ${each}w`);
  if (full !== undefined) candidates.push(`${imageAddress(imageId, full)} ${width}w`);
  return candidates.join(", ");
}

/** The listed width that comes nearest to `wanted` pixels from above, for `src` and for reading a request. */
export function nearestWidth(wanted: number): VariantWidth {
  return VARIANT_WIDTHS.find((each) => each >= wanted) ?? 3840;
}

import { href } from "react-router";

/**
 * The widths in pixels in which `/images/:id` serves a picture. A fixed list: otherwise anyone could fill the cache, and
 * keep every core busy, by counting up `?w=`. 720 and 1080 are phones': a picture across the page has 650 to 700 pixels there, or just
 * over 1000, and the next larger of the other widths has twice as many.
 */
export const VARIANT_WIDTHS = [160, 320, 480, 640, 720, 960, 1080, 1280, 1920, 2560, 3840, 7680] as const;

export type VariantWidth = (typeof VARIANT_WIDTHS)[number];

/** Asks for every pixel as it was uploaded. */
export const OWN_WIDTH = "own";

/** Wider ones are for drawings alone, and for looking at their details. */
const WIDEST_LISTED: VariantWidth = 3840;

/** What of an image's picture is meant: which version (left out: the current one), and a moving one `still`, by its first frame. */
export type Which = { versionId?: string | undefined; still?: boolean };

/** The address of a picture for display, `width` pixels wide (or its own width, where that is less). */
export function imageAddress(imageId: string, width: VariantWidth | typeof OWN_WIDTH, { versionId, still = false }: Which = {}): string {
  const version = versionId === undefined ? "" : `&version=${versionId}`;
  return `${href("/images/:id", { id: imageId })}?w=${width}${version}${still ? "&still=1" : ""}`;
}

/** The address of the file as it was uploaded, to be saved under its own name. */
export function originalAddress(imageId: string, versionId?: string): string {
  const version = versionId === undefined ? "" : `&version=${versionId}`;
  return `${href("/images/:id", { id: imageId })}?original=1${version}`;
}

type Widths = {
  /** A drawing, which comes in every width. */
  scalable?: boolean;
  /** Where the place shows all of its pixels, they are its own and not an encoder's. */
  exact?: boolean;
};

/**
 * The `srcset` of a picture that is `width` pixels wide: every listed width below its own, then the first that gives all
 * of its pixels, described by the width that really comes back, since nothing is ever enlarged.
 */
export function imageSrcSet(imageId: string, width: number, which: Which = {}, { scalable = false, exact = false }: Widths = {}): string {
  const listed = VARIANT_WIDTHS.filter((each) => each <= WIDEST_LISTED);
  if (scalable) return listed.map((each) => `${imageAddress(imageId, each, which)} ${each}w`).join(", ");
  const smaller = listed.filter((each) => each < width);
  const full = exact ? OWN_WIDTH : listed.find((each) => each >= width);
  const candidates = smaller.map((each) => `${imageAddress(imageId, each, which)} ${each}w`);
  if (full !== undefined) candidates.push(`${imageAddress(imageId, full, which)} ${width}w`);
  return candidates.join(", ");
}

/** The listed width that comes nearest to `wanted` pixels from above. */
export function nearestWidth(wanted: number): VariantWidth {
  return VARIANT_WIDTHS.find((each) => each >= wanted) ?? WIDEST_LISTED;
}

import { href } from "react-router";

/** A fixed list, so that arbitrary widths cannot fill the cache and occupy the CPU. 720 and 1080 are for phones. */
export const VARIANT_WIDTHS = [160, 320, 480, 640, 720, 960, 1080, 1280, 1920, 2560, 3840, 7680] as const;

export type VariantWidth = (typeof VARIANT_WIDTHS)[number];

export const OWN_WIDTH = "own";

const WIDEST_LISTED: VariantWidth = 3840;

export const ROTATIONS = [0, 90, 180, 270] as const;
export type Rotation = (typeof ROTATIONS)[number];

export const isSideways = (rotation: Rotation): boolean => rotation === 90 || rotation === 270;

/** The version of an image (default: the current one); `still` is the first frame of an animation. `files` is that of `ItemAddresses`. */
export type ImageVersion = { versionId?: string | undefined; rotation?: Rotation | undefined; still?: boolean; files?: string };

export function imageAddress(
  imageId: string,
  width: VariantWidth | typeof OWN_WIDTH,
  { still = false, files, ...version }: ImageVersion = {},
): string {
  return `${fileAddress(imageId, files)}?w=${width}${versionSearch(version)}${still ? "&still=1" : ""}`;
}

export function originalAddress(imageId: string, { files, ...version }: Omit<ImageVersion, "still"> = {}): string {
  return `${fileAddress(imageId, files)}?original=1${versionSearch(version)}`;
}

const fileAddress = (id: string, files: string | undefined) => (files === undefined ? href("/images/:id", { id }) : `${files}/${id}`);

function versionSearch({ versionId, rotation }: Pick<ImageVersion, "versionId" | "rotation">): string {
  return (versionId === undefined ? "" : `&version=${versionId}`) + (rotation === undefined ? "" : `&turn=${rotation}`);
}

type Widths = {
  scalable?: boolean;
  /** At full size, use the original pixels instead of re-encoded ones. */
  exact?: boolean;
};

/** Returns all widths below the picture's, and the next larger one. The last descriptor is the picture's real width. */
export function imageSrcSet(
  imageId: string,
  width: number,
  which: ImageVersion = {},
  { scalable = false, exact = false }: Widths = {},
): string {
  const listed = VARIANT_WIDTHS.filter((each) => each <= WIDEST_LISTED);
  if (scalable) return listed.map((each) => `${imageAddress(imageId, each, which)} ${each}w`).join(", ");
  const smaller = listed.filter((each) => each < width);
  const full = exact ? OWN_WIDTH : listed.find((each) => each >= width);
  const candidates = smaller.map((each) => `${imageAddress(imageId, each, which)} ${each}w`);
  if (full !== undefined) candidates.push(`${imageAddress(imageId, full, which)} ${width}w`);
  return candidates.join(", ");
}

export function nearestWidth(minimum: number): VariantWidth {
  return VARIANT_WIDTHS.find((each) => each >= minimum) ?? WIDEST_LISTED;
}

import { v } from "convex/values";
import type { Doc } from "../../_generated/dataModel";

/** Filters by the appearance of images. The filters are checked row by row, because no index covers them. */

export const ORIENTATIONS = ["landscape", "portrait", "square"] as const;
export const PIXEL_SIZES = ["small", "medium", "large"] as const;
export const COLOURS = ["red", "orange", "yellow", "green", "blue", "purple", "pink", "black", "grey", "white"] as const;

export const orientation = v.union(v.literal("landscape"), v.literal("portrait"), v.literal("square"));
export const pixelSize = v.union(v.literal("small"), v.literal("medium"), v.literal("large"));
export const colour = v.union(...COLOURS.map((each) => v.literal(each)));

export type Appearance = {
  orientation?: (typeof ORIENTATIONS)[number] | undefined;
  size?: (typeof PIXEL_SIZES)[number] | undefined;
  colour?: (typeof COLOURS)[number] | undefined;
};

type Image = Pick<Doc<"designImages">, "width" | "height" | "placeholder">;

export const hasAppearance = (image: Image, appearance: Appearance): boolean =>
  (appearance.orientation === undefined || orientationOf(image) === appearance.orientation) &&
  (appearance.size === undefined || sizeOf(image) === appearance.size) &&
  (appearance.colour === undefined || colourOf(image) === appearance.colour);

const SQUARE = 1.05;

function orientationOf({ width, height }: Image): Appearance["orientation"] {
  if (width > height * SQUARE) return "landscape";
  return height > width * SQUARE ? "portrait" : "square";
}

const MEDIUM_PIXELS = 1_000_000;
const LARGE_PIXELS = 8_000_000;

function sizeOf({ width, height }: Image): Appearance["size"] {
  const pixels = width * height;
  return pixels < MEDIUM_PIXELS ? "small" : pixels < LARGE_PIXELS ? "medium" : "large";
}

const HUES = [
  [15, "red"],
  [45, "orange"],
  [70, "yellow"],
  [165, "green"],
  [255, "blue"],
  [290, "purple"],
  [345, "pink"],
  [360, "red"],
] as const;
const LEAST_COLOUR = 0.08;

/** Returns the name of the average colour, which the placeholder begins with. Undefined without a placeholder. */
export function colourOf({ placeholder }: Pick<Image, "placeholder">): Appearance["colour"] {
  const average = placeholder === null ? null : averageOf(placeholder);
  if (!average) return undefined;
  const [red, green, blue] = average;
  const most = Math.max(...average);
  const least = Math.min(...average);
  const range = most - least;
  const lightness = (most + least) / 2;
  if (range < LEAST_COLOUR || lightness < 0.12) return lightness < 0.25 ? "black" : lightness > 0.8 ? "white" : "grey";
  const sixth = most === red ? (green - blue) / range : most === green ? 2 + (blue - red) / range : 4 + (red - green) / range;
  const hue = (sixth * 60 + 360) % 360;
  return HUES.find(([end]) => hue < end)?.[1] ?? "red";
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Reads red, green and blue from 0 to 1 from a thumbhash in base64 (https://github.com/evanw/thumbhash). */
function averageOf(thumbhash: string): [number, number, number] | null {
  const digits = Array.from(thumbhash.slice(0, 4), (letter) => BASE64.indexOf(letter));
  const [a = -1, b = -1, c = -1, d = -1] = digits;
  if (Math.min(a, b, c, d) < 0) return null;
  const bytes = (a << 18) | (b << 12) | (c << 6) | d;
  const header = (bytes >> 16) | (bytes & 0xff00) | ((bytes & 255) << 16);
  const lightness = (header & 63) / 63;
  const yellowBlue = ((header >> 6) & 63) / 31.5 - 1;
  const redGreen = ((header >> 12) & 63) / 31.5 - 1;
  const blue = lightness - (2 / 3) * yellowBlue;
  const red = (3 * lightness - blue + redGreen) / 2;
  const within = (part: number) => Math.min(1, Math.max(0, part));
  return [within(red), within(red - redGreen), within(blue)];
}

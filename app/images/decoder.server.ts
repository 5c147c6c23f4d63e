import sharp, { type Sharp, type SharpOptions } from "sharp";
import { createQueue } from "./queue.server";

/**
 * The one place where picture files are decoded. libvips reads only what is named here, whatever else its build could;
 * every other loader is shut for the whole process (the decoders of rare formats are where the holes are).
 */
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: [
    "VipsForeignLoadJpeg",
    "VipsForeignLoadPng",
    "VipsForeignLoadWebp",
    "VipsForeignLoadNsgif",
    "VipsForeignLoadHeif",
    "VipsForeignLoadSvg",
  ],
});
// Each picture is decoded once and its variants are kept as files, so libvips' own cache would only hold memory. Two jobs
// at a time fill two cores; more threads within each would only take turns.
sharp.cache(false);
sharp.concurrency(1);

/** Most pixels that a picture may have: a small file can otherwise take gigabytes once it is decoded. */
export const MAX_PIXELS = 50_000_000;
/** Most pixels of all frames of an animation together. */
export const MAX_ANIMATION_PIXELS = 2 * MAX_PIXELS;

/** Seconds after which a picture is given up. */
const PATIENCE_SECONDS = 30;

/** Decodes two pictures at a time; with 500 waiting, throws BusyError. Fetching the bytes belongs into the job as well. */
export const decoding = createQueue({ running: 2, waiting: 500 });

/**
 * Opens a picture for decoding. A file that is cut off or broken fails, rather than coming out half grey. A drawing (SVG)
 * must come as bytes and not as a path: without a place of its own it has no neighbours that it could read.
 */
export function decoder(input: string | Buffer, options: SharpOptions = {}): Sharp {
  return sharp(input, { failOn: "error", limitInputPixels: MAX_ANIMATION_PIXELS, sequentialRead: true, ...options }).timeout({
    seconds: PATIENCE_SECONDS,
  });
}

/**
 * The dots per inch at which a drawing of `own` units comes out with `wanted` pixels, for `decoder`'s `density`. At 72, librsvg's own measure,
 * one unit is one pixel; sharp takes 1 to 100,000.
 */
export function drawingDensity(own: number, wanted: number): number {
  return Math.min(100_000, Math.max(1, (72 * wanted) / own));
}

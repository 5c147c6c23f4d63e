import sharp, { type Sharp, type SharpOptions } from "sharp";
import { createDrawer } from "./drawing.server";
import { createQueue } from "./queue.server";

/**
 * The one place where picture files are decoded. libvips reads only what is named here, whatever else its build could;
 * every other loader is shut for the whole process (the decoders of rare formats are where the holes are), also that of drawings (`drawer`).
 */
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp", "VipsForeignLoadNsgif", "VipsForeignLoadHeif"],
});
// Each picture is decoded once and its variants are kept as files, so libvips' own cache would only hold memory. Two jobs
// at a time fill two cores; more threads within each would only take turns.
sharp.cache(false);
sharp.concurrency(1);

/** Most pixels that a picture may have: a small file can otherwise take gigabytes once it is decoded. */
export const MAX_PIXELS = 50_000_000;
/** Most pixels of all frames of an animation together. */
export const MAX_ANIMATION_PIXELS = 2 * MAX_PIXELS;

/**
 * Seconds after which a picture is given up, by the clock: how much there is to compute is bounded by its pixels, so this only ends what hangs, and does
 * not refuse on a busy machine what it takes on an idle one.
 */
const PATIENCE_SECONDS = 120;

/** Most pixels of a picture that is decoded beside another: an AVIF takes 16 bytes for each while it is, the others up to ten. */
const LARGE_PIXELS = 12_000_000;
const alone = createQueue({ running: 1, waiting: 2 });

/**
 * Lets one large picture be decoded at a time, within `decoding`: what all decoding takes stays below `DECODING_MEMORY` then.
 * @param pixels of one frame
 */
export const weighed = <T>(pixels: number, job: () => Promise<T>): Promise<T> => (pixels > LARGE_PIXELS ? alone(job) : job());

/** What decoding may take of this process's memory, in bytes: the largest AVIF and a small one beside it, with the buffers around them. */
export const DECODING_MEMORY = 1280 * 2 ** 20;

/** How long a drawing may be computed for, in ms: what pages show takes a fraction of a second, and each that takes longer keeps others waiting. */
const DRAWING_PATIENCE = 10_000;
/** What a process that draws (SVG) may have, in bytes: a page 2560 pixels wide and 16,383 high with room to spare. */
const DRAWING_MEMORY = 768 * 2 ** 20;
export const drawer = createDrawer({ patience: DRAWING_PATIENCE, ceiling: DRAWING_MEMORY });

/** Decodes two pictures at a time; with 500 waiting, throws BusyError. Fetching the bytes belongs into the job as well. */
export const decoding = createQueue({ running: 2, waiting: 500 });

/**
 * Opens a picture for decoding; a drawing (SVG) is no such, it goes through `drawer` first. A file that is cut off or broken fails, rather than
 * coming out half grey.
 */
export function decoder(input: string | Buffer, options: SharpOptions = {}): Sharp {
  return sharp(input, { failOn: "error", limitInputPixels: MAX_ANIMATION_PIXELS, sequentialRead: true, ...options }).timeout({
    seconds: PATIENCE_SECONDS,
  });
}

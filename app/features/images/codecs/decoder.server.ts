import { totalmem } from "node:os";
import sharp, { type Sharp, type SharpOptions } from "sharp";
import { createSvgRenderer } from "./processes/svg-renderer.server";
import { createQueue } from "./work-queue.server";

/** Allows only these libvips loaders in this process, because decoders of rare formats have more vulnerabilities. */
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({
  operation: ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp", "VipsForeignLoadNsgif", "VipsForeignLoadHeif"],
});
// The variants are cached as files, so libvips' cache would only use memory. Two jobs at a time already fill two cores.
sharp.cache(false);
sharp.concurrency(1);

/** A small file can otherwise take gigabytes once it is decoded. */
export const MAX_PIXELS = 50_000_000;
export const MAX_ANIMATION_PIXELS = 2 * MAX_PIXELS;

/** Wall-clock limit for jobs that hang. Work is bounded by pixels, so a busy machine accepts the same pictures as an idle one. */
const TIMEOUT_SECONDS = 120;

/** Larger pictures are decoded one at a time: AVIF takes 16 bytes per pixel, other formats up to 10. */
const LARGE_PIXELS = 12_000_000;
const largeImageQueue = createQueue({ running: 1, waiting: 2 });

/** Decodes one large picture at a time, within `decodeQueue`, to stay below `DECODING_MEMORY`. `pixels` are those in memory at once. */
export const limitLargeDecoding = <T>(pixels: number, job: () => Promise<T>): Promise<T> =>
  pixels > LARGE_PIXELS ? largeImageQueue("", job) : job();

/** Bytes for the largest AVIF, a small one at the same time, and their buffers. */
export const DECODING_MEMORY = 1280 * 2 ** 20;

/** CPU time of a drawing in ms. Ordinary drawings take a fraction of a second. */
const DRAWING_CPU_LIMIT = 2000;
/** Memory of an SVG process in bytes, with a margin above a page of 2560 × 16,383 pixels. */
const DRAWING_MEMORY = 768 * 2 ** 20;
export const svgRenderer = createSvgRenderer({ cpuLimit: DRAWING_CPU_LIMIT, memoryLimit: DRAWING_MEMORY });

const memory = Math.min(process.constrainedMemory() || Infinity, totalmem());

/** Fetch the bytes inside the job: otherwise those of all 500 waiting jobs are in memory. */
export const decodeQueue = createQueue({ running: memory < 2 ** 30 ? 1 : 2, waiting: 500 });

/** A small drawing can use all its time, so `decodeQueue` must never wait for `svgQueue`; the reverse is allowed. */
export const svgQueue = createQueue({ running: 1, waiting: 100 });

/** Opens a picture for decoding, SVG only after `svgRenderer`. A truncated or broken file throws instead of being half grey. */
export function decoder(input: string | Buffer, options: SharpOptions = {}): Sharp {
  return sharp(input, { failOn: "error", limitInputPixels: MAX_ANIMATION_PIXELS, sequentialRead: true, ...options }).timeout({
    seconds: TIMEOUT_SECONDS,
  });
}

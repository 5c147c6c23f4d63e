import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import * as z from "zod";
import { WALL_CLOCK_PER_CPU } from "./svg-renderer.server";
import { decoder } from "../decoder.server";
import { withIccProfile } from "../metadata/icc-chunk.server";
import { nclxPrimaries } from "../metadata/colour-space.server";
// oxlint-disable-next-line import/default -- Vite makes one of the text of a file
import source from "./decode-process.js?raw";

/** Types that libvips cannot decode. Their pictures are decoded in a process of their own. */
export type IsolatedType = "image/heic" | "application/pdf";

export const isIsolatedType = (contentType: string): contentType is IsolatedType =>
  contentType === "image/heic" || contentType === "application/pdf";

export class DecodeError extends Error {
  override name = "DecodeError";
  readonly problem: DecodeProblem;

  constructor(problem: DecodeProblem) {
    super(`The file could not be decoded (${problem}).`);
    this.problem = problem;
  }
}

const PROBLEMS = ["broken", "encrypted", "large", "memory", "pages", "time"] as const;
export type DecodeProblem = (typeof PROBLEMS)[number];

export const PDF_PAGES_MAX = 50;
/** Pixels of a page or picture. A page of a PDF has a size in points and is rendered within this limit. */
const MAX_PIXELS = { "image/heic": 50_000_000, "application/pdf": 25_000_000 } as const;
const PDF_DPI = 200;

/** Memory of the decoder alone (pages of 64 KiB) and of its process (bytes); a process starts with about 60 MB. */
const MEMORY = {
  "image/heic": { wasmPages: 16_384, memoryLimit: 1200 * 2 ** 20 },
  "application/pdf": { wasmPages: 4096, memoryLimit: 640 * 2 ** 20 },
} as const;
/** CPU time in ms. A 12 megapixel picture takes about 1 s, a page of a PDF about 0.2 s. */
const CPU_LIMIT_MS = 20_000;

const size = z.object({ width: z.int().positive(), height: z.int().positive() });
/** `own` is a page's size without the limit `side`. */
const headers = z.object({ pictures: z.array(size.extend({ own: size.optional() })) });

export type DecodedPicture = { width: number; height: number; pixels: Buffer; own: { width: number; height: number } };

/** `page` of a PDF, from 1 (default: all); its longest `side` in pixels (default: its own size). `cpuLimit`: CPU limit in ms. */
export type DecodeRequest = { page?: number | undefined; side?: number; cpuLimit?: number };

/** Decodes a file in a process with time and memory limits. Throws `DecodeError`. */
export async function decodeIsolated(
  bytes: Buffer,
  contentType: IsolatedType,
  { cpuLimit = CPU_LIMIT_MS, ...request }: DecodeRequest = {},
): Promise<DecodedPicture[]> {
  const { wasmPages, memoryLimit } = MEMORY[contentType];
  const require = createRequire(import.meta.url);
  const isHeic = contentType === "image/heic";
  // The default module of libheif-js is asm.js, which is slower and takes more memory.
  const module = isHeic ? require.resolve("libheif-js/wasm-bundle.js") : require.resolve("@hyzyla/pdfium");
  const limits = { memoryLimit, cpuLimit, maxPixels: MAX_PIXELS[contentType], maxPages: PDF_PAGES_MAX, dpi: PDF_DPI };
  // The child gets no environment, since ours contains secrets.
  const child = spawn(
    process.execPath,
    [
      "--max-old-space-size=64",
      `--wasm-max-mem-pages=${wasmPages}`,
      "--input-type=module",
      "-e",
      source,
      isHeic ? "heic" : "pdf",
      module,
      JSON.stringify({ ...limits, ...request }),
    ],
    { env: {}, stdio: ["pipe", "pipe", "pipe"] },
  );
  const chunks: Buffer[] = [];
  let reason = "";
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => {
    if (reason.length < 10_000) reason += chunk.toString("latin1");
  });
  // A process that has refused the file no longer reads it.
  child.stdin.on("error", () => undefined);
  child.stdin.end(bytes);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, WALL_CLOCK_PER_CPU * cpuLimit);
  await new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  clearTimeout(timer);
  const pictures = split(Buffer.concat(chunks));
  if (!pictures) throw new DecodeError(late ? "time" : problemOf(reason));
  return pictures;
}

/** Returns the problem. The decoders print warnings before the reason, and can report other errors when memory runs out. */
function problemOf(reason: string): DecodeProblem {
  if (reason.includes("not enough memory")) return "memory";
  const last = PROBLEMS.find((each) => reason.endsWith(each));
  return last ?? (/memory|out of bounds/i.test(reason) || reason === "" ? "memory" : "broken");
}

function split(output: Buffer): DecodedPicture[] | null {
  const end = output.indexOf("\n");
  if (end < 0) return null;
  const { pictures } = headers.parse(JSON.parse(output.toString("utf8", 0, end)));
  let offset = end + 1;
  const decoded = pictures.map(({ width, height, own = { width, height } }) => {
    return { width, height, pixels: output.subarray(offset, (offset += width * height * 4)), own };
  });
  return offset === output.length ? decoded : null;
}

/** Returns a PNG with the picture's pixels and colour space, which every other function here can read. */
export async function isolatedToPng(bytes: Buffer, contentType: IsolatedType, page = 1): Promise<Buffer> {
  const [picture] = await decodeIsolated(bytes, contentType, contentType === "application/pdf" ? { page } : {});
  if (!picture) throw new DecodeError("broken");
  return pixelsToPng(picture, contentType === "image/heic" ? await heicProfile(bytes) : undefined);
}

export async function pixelsToPng({ pixels, width, height }: DecodedPicture, profile?: Buffer): Promise<Buffer> {
  const png = await decoder(pixels, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 0 })
    .toBuffer();
  return profile ? withIccProfile(png, profile) : png;
}

/** Returns the colour profile in the container's `colr` box (ISO/IEC 23008-12, 6.5.5), because the decoder returns none. */
export async function heicProfile(bytes: Buffer): Promise<Buffer | undefined> {
  const { icc } = await decoder(bytes, { limitInputPixels: false }).metadata();
  if (icc) return icc;
  return nclxPrimaries(bytes) === DISPLAY_P3 ? p3Profile() : undefined;
}

const DISPLAY_P3 = 12;

let p3: Promise<Buffer | undefined> | null = null;

function p3Profile(): Promise<Buffer | undefined> {
  p3 ??= decoder(Buffer.alloc(3), { raw: { width: 1, height: 1, channels: 3 } })
    .png()
    .withIccProfile("p3")
    .toBuffer()
    .then(async (png) => (await decoder(png).metadata()).icc);
  return p3;
}

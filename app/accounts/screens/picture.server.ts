import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { api } from "#convex/_generated/api";
import type { RouterContextProvider } from "react-router";
import { FORM_FIELD } from "~/forms/intents";
import { configContext } from "~/http/context";
import { Unavailable } from "~/http/unavailable.server";
import { decoder, decoding, drawer } from "~/images/decoder.server";
import { drawingDensity } from "~/images/drawing-size.server";
import { inspect, type PictureFacts } from "~/images/inspect.server";
import { picturesFor } from "~/images/pictures.server";
import { BusyError } from "~/images/queue.server";
import { BrokenOff, NotAForm, receive } from "~/images/receive.server";
import { isUpload } from "~/images/take.server";
import { serviceConvex } from "../service.server";
import { toSignIn, visitor } from "../session.server";
import { answer, asking, Refused } from "./account-action.server";
import { type Crop, readCrop, toPixels } from "./crop";

type Sent = { request: Request; context: Readonly<RouterContextProvider>; url: URL };

/** Pixels of a side of the picture that is kept: sharp where it is shown largest, on a dense screen. */
const SIDE = 256;
/** No photograph of somebody needs more; the server's own limit may be lower. */
const MAX_BYTES = 20 * 1024 * 1024;
const SILENCE_MS = 30_000;

/** Where a person's picture is served. `v` changes with it, so that it can be kept for ever. */
const pictureAddress = (userId: string, checksum: string) => `/people/${userId}/picture?v=${checksum.slice(0, 16)}`;

/** The picture's forms: both are multipart, the one that removes it brings no file. */
export const isPictureForm = isUpload;

/**
 * Takes a picture, cuts its square out and keeps that; or removes the one that is there. What is said of its crop comes before the file; without
 * scripts nothing is, and the middle is taken.
 */
export async function takePicture({ request, context, url }: Sent) {
  const who = await visitor(context);
  if (!who) throw toSignIn(request);
  const config = context.get(configContext);
  const fields = new Map<string, string>();
  const maxFileBytes = Math.min(MAX_BYTES, config.uploadMaxBytes);
  try {
    const { results } = await receive(
      request,
      { maxFileBytes, maxFiles: 1, silenceMs: SILENCE_MS },
      {
        newPath: picturesFor(config).newPath,
        onField: (name, value) => void fields.set(name, value),
        onFile: async ({ path, tooLarge }) => (tooLarge ? tooLargeText(maxFileBytes) : square(path, readCrop(fields))),
      },
    );
    const [made] = results;
    const form = fields.get(FORM_FIELD) ?? "";
    const refused = (problem: string, status = 422) =>
      answer({ refused: { status: "error" as const, error: { picture: [problem] } }, status }, form, { request, context, url });
    if (typeof made === "string") return refused(made);
    const removing = fields.get("remove") === "picture";
    if (!made && !removing) return refused("Choose a picture.");

    const { post } = asking({ request, context, url });
    const convex = serviceConvex(config);
    const { sessionId, userId } = who;
    try {
      if (made) {
        const checksum = createHash("sha256").update(made).digest("hex");
        const bytes = new Uint8Array(made).buffer;
        await convex.mutation(api.accounts.pictures.put, { sessionId, contentType: "image/webp", checksum, bytes }, { skipQueue: true });
        await post("/update-user", { image: pictureAddress(userId, checksum) });
        return answer({ done: "picture" }, form, { request, context, url });
      }
      await post("/update-user", { image: null });
      await convex.mutation(api.accounts.pictures.remove, { sessionId }, { skipQueue: true });
      return answer({ done: "picture-removed" }, form, { request, context, url });
    } catch (error) {
      if (error instanceof Refused) return refused(error.message, error.status);
      if (error instanceof Unavailable)
        return refused("The server does not answer. Your picture was not changed: try again in a moment.", 503);
      throw error;
    }
  } catch (error) {
    if (error instanceof NotAForm || error instanceof BrokenOff) throw new Response("The picture did not arrive whole.\n", { status: 400 });
    throw error;
  }
}

/** The square of a file as WebP, or a sentence that says why there is none. */
async function square(path: string, crop: Crop | null): Promise<Buffer | string> {
  try {
    const inspection = await inspect(path);
    if (!inspection.ok) return inspection.problem;
    return await decoding(async () => cut(await readFile(path), inspection.facts, crop));
  } catch (error) {
    if (error instanceof BusyError) return "Too many pictures are being looked at right now. Try again in a moment.";
    throw error;
  }
}

async function cut(bytes: Buffer, { contentType, width, height }: PictureFacts, crop: Crop | null): Promise<Buffer> {
  // A drawing comes out at the density at which its shorter side fills the square.
  const density = contentType === "image/svg+xml" ? drawingDensity(Math.min(width, height), SIDE) : undefined;
  const drawn = density === undefined ? 1 : density / 72;
  const area = crop && toPixels(crop, Math.round(width * drawn), Math.round(height * drawn));
  const picture = decoder(density === undefined ? bytes : await drawer.draw(bytes, density)).autoOrient();
  return (area ? picture.extract(area) : picture)
    .resize(SIDE, SIDE, { fit: "cover" })
    .toColourspace("srgb")
    .webp({ quality: 85 })
    .toBuffer();
}

const tooLargeText = (bytes: number) => `The file is too large: a picture of you may have ${Math.round(bytes / 1024 / 1024)} MB at most.`;

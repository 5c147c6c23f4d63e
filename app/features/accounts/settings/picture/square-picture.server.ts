import { readFile } from "node:fs/promises";
import { isolatedToPng, isIsolatedType } from "~/features/images/codecs/processes/decode-isolated.server";
import { decoder, decodeQueue, svgRenderer, svgQueue } from "~/features/images/codecs/decoder.server";
import { inspectImage } from "~/features/images/codecs/inspect-image.server";
import { svgDensity } from "~/features/images/codecs/svg-size.server";
import { BusyError } from "~/features/images/codecs/work-queue.server";
import { type Crop, toPixels } from "./crop";

/** In pixels. Covers the largest display size on dense screens. */
const SIDE = 256;

/** Returns the picture's address. `v` changes with the picture, so that browsers can cache it permanently. */
export const pictureAddress = (userId: string, checksum: string) => `/people/${userId}/picture?v=${checksum.slice(0, 16)}`;

export async function cropSquare(path: string, userId: string, crop: Crop | null): Promise<Buffer | string> {
  try {
    const inspection = await inspectImage(path, userId);
    if (!inspection.ok) return inspection.problem;
    const { properties } = inspection;
    if (properties.contentType !== "image/svg+xml")
      return await decodeQueue(userId, async () => {
        const bytes = await readFile(path);
        return cut(isIsolatedType(properties.contentType) ? await isolatedToPng(bytes, properties.contentType) : bytes, properties, crop);
      });
    const density = svgDensity(Math.min(properties.width, properties.height), SIDE);
    return await svgQueue(userId, async () => {
      const rendered = await svgRenderer.draw(await readFile(path), density);
      const scale = density / 72;
      return decodeQueue(userId, () => cut(rendered, { width: properties.width * scale, height: properties.height * scale }, crop));
    });
  } catch (error) {
    if (error instanceof BusyError) return "The server is busy. Try again in a moment.";
    throw error;
  }
}

async function cut(bytes: Buffer, { width, height }: { width: number; height: number }, crop: Crop | null): Promise<Buffer> {
  const area = crop && toPixels(crop, Math.round(width), Math.round(height));
  const picture = decoder(bytes).autoOrient();
  return (area ? picture.extract(area) : picture)
    .resize(SIDE, SIDE, { fit: "cover" })
    .toColourspace("srgb")
    .webp({ quality: 85 })
    .toBuffer();
}

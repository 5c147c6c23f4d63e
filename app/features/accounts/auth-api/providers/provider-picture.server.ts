import { createHash } from "node:crypto";
import { unlink, writeFile } from "node:fs/promises";
import { api } from "#convex/_generated/api";
import type { AppConfig } from "~/config";
import { fetchPublic } from "~/lib/http/fetch/public-fetch.server";
import { imageServiceFor } from "~/features/images/serve/image-service.server";
import { pictureAddress, cropSquare } from "../../settings/picture/square-picture.server";
import { serviceConvex } from "../../session/convex/service-client.server";

const LIMITS = { maxBytes: 2 * 1024 * 1024, timeoutMs: 5000 };

type PictureRequest = {
  config: AppConfig;
  sessionId: string;
  userId: string;
  address: string;
  fetchPicture?: (address: string) => Promise<Buffer>;
};

/** Copies a provider's picture to our server, so that pages load nothing from elsewhere. Throws if it cannot be fetched or decoded. */
export async function copyProviderPicture({
  config,
  sessionId,
  userId,
  address,
  fetchPicture = fetchPublicPicture,
}: PictureRequest): Promise<string> {
  const path = imageServiceFor(config).newPath();
  try {
    await writeFile(path, await fetchPicture(address), { mode: 0o600 });
    const cropped = await cropSquare(path, userId, null);
    if (typeof cropped === "string") throw new Error(cropped);
    const checksum = createHash("sha256").update(cropped).digest("hex");
    const picture = { sessionId, contentType: "image/webp", checksum, bytes: new Uint8Array(cropped).buffer };
    await serviceConvex(config).mutation(api.accounts.pictures.put, picture, { skipQueue: true });
    return pictureAddress(userId, checksum);
  } finally {
    await unlink(path).catch(() => {});
  }
}

/** Fetches a picture over https, because some providers report an http address (Kakao). */
const fetchPublicPicture = async (address: string) =>
  isInlinePicture(address) ? decodeInlinePicture(address) : fetchPublic(address.replace(/^http:/, "https:"), LIMITS);

export const isProviderPicture = (image: string | null | undefined): image is string => /^https?:/.test(image ?? "");

export const isInlinePicture = (image: string): boolean => image.startsWith("data:image/");

function decodeInlinePicture(url: string): Buffer {
  if (url.length > (LIMITS.maxBytes * 4) / 3) throw new Error("The file is too large.");
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

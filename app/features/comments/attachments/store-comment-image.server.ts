import { readFile, rm, writeFile } from "node:fs/promises";
import type { AppConfig } from "~/config";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { decodeQueue, svgQueue } from "~/features/images/codecs/decoder.server";
import { inspectImage } from "~/features/images/codecs/inspect-image.server";
import { makeVariant } from "~/features/images/codecs/make-variant.server";
import { OWN_WIDTH } from "~/features/images/display/image-address";
import { imageServiceFor } from "~/features/images/serve/image-service.server";
import {
  checkImage,
  finalizeStored,
  type ImageProperties,
  resultOf,
  type Sender,
  senderOf,
  storeBytes,
} from "~/features/uploads/server/store-image.server";
import type { ArrivedFile } from "~/lib/http/forms/receive-multipart.server";
import { api } from "#convex/_generated/api";
import type { CommentImage } from "./comment-images";

type Upload = Sender & { config: AppConfig; userId: string; itemId: string; sending: string };
export type StoredCommentImage = { name: string } & ({ image: CommentImage } | { problem: string; isRetryable: boolean });

/** Stores an image for a comment without its metadata. Throws `not_found` (the item), `unauthenticated`, `DiskFull`. */
export async function storeCommentImage(file: ArrivedFile, upload: Upload): Promise<StoredCommentImage> {
  const { name } = file;
  const refused = (problem: string) => ({ name, problem, isRetryable: false });
  const { config, userId } = upload;
  const strippedPath = imageServiceFor(config).newPath();
  try {
    const url = await uploadUrl(upload);
    const checked = await checkImage(file, { config, userId, checksum: null });
    if ("refused" in checked) return refused(checked.refused.problem);
    const { properties } = checked;
    if (properties.contentType === "application/pdf") return refused("Comments can contain images, but not PDFs.");
    const bytes = await strippedBytes(file.path, properties, userId);
    await writeFile(strippedPath, bytes, { mode: 0o600, flag: "wx" });
    const stripped = await inspectImage(strippedPath, userId);
    if (!stripped.ok) return refused(stripped.problem);
    return { name, image: await store(strippedPath, stripped.properties, { ...upload, url, name }) };
  } catch (error) {
    const failed = await resultOf(error, file, config);
    return { name, problem: failed.ok ? "" : failed.problem, isRetryable: !failed.ok && failed.again };
  } finally {
    await rm(strippedPath, { force: true });
  }
}

async function strippedBytes(path: string, { contentType, width, height }: ImageProperties, userId: string): Promise<Buffer> {
  const queue = contentType === "image/svg+xml" ? svgQueue : decodeQueue;
  const { bytes } = await queue(userId, async () =>
    makeVariant({ bytes: await readFile(path), contentType, width, height }, { width: OWN_WIDTH, targetFormat: "webp" }, (job) =>
      decodeQueue(userId, job),
    ),
  );
  return bytes;
}

const itemOf = ({ config, itemId, ...sender }: Upload) => ({ ...senderOf(sender), itemId, quota: config.storageQuotaBytes });

/** `finalize` checks the quota, because the size of the image is known only then. */
const uploadUrl = (upload: Upload) =>
  serviceConvex(upload.config).mutation(api.commentImages.generateUploadUrl, { ...itemOf(upload), bytes: 0 }, { skipQueue: true });

async function store(path: string, properties: ImageProperties, { url, name, ...upload }: Upload & { url: string; name: string }) {
  const convex = serviceConvex(upload.config);
  const { contentType, size, width, height, checksum, placeholder, animated } = properties;
  const storageId = await storeBytes(upload.config, url, path, properties);
  const args = { ...itemOf(upload), storageId, name, contentType, size, width, height, checksum, placeholder, animated };
  const uploadId = `${upload.sending}:${checksum}`;
  return finalizeStored(convex, storageId, () => convex.mutation(api.commentImages.finalize, { ...args, uploadId }, { skipQueue: true }));
}

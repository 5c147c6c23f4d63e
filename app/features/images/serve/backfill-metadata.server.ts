import { api } from "#convex/_generated/api";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import type { AppConfig } from "~/config";
import { log } from "~/lib/http/telemetry/log.server";
import { decodeQueue } from "../codecs/decoder.server";
import { readDetails } from "../codecs/inspect-image.server";
import { type ImageReference, imageServiceFor } from "./image-service.server";

type DisplayedImage = { image: { contentType: string; checksum: string }; details?: object };

const reading = new Set<string>();

/** Reads and stores metadata that an earlier build did not store, in the background of the first view. */
export function backfillMetadata(
  of: ImageReference,
  { image: { contentType, checksum }, details }: DisplayedImage,
  config: AppConfig,
): void {
  if (details !== undefined || contentType === "image/svg+xml" || contentType === "application/pdf" || reading.has(checksum)) return;
  reading.add(checksum);
  void storeDetails(of, { contentType, checksum }, config)
    .catch((error: unknown) => log.warn({ error }, "the metadata of images could not be read"))
    .finally(() => reading.delete(checksum));
}

async function storeDetails(of: ImageReference, { contentType, checksum }: DisplayedImage["image"], config: AppConfig): Promise<void> {
  const details = await decodeQueue(of.userId, async () => {
    const response = await imageServiceFor(config).original(of, checksum, null, AbortSignal.timeout(60_000));
    if (!response.ok) throw new Error(`The storage answered ${response.status}`);
    return readDetails(Buffer.from(await response.arrayBuffer()), contentType);
  });
  if (!details) return;
  const { sessionId, imageId } = of;
  await serviceConvex(config).mutation(api.uploads.noteDetails, { sessionId, imageId, checksum, details }, { skipQueue: true });
}

import { api } from "#convex/_generated/api";
import { serviceConvex } from "~/accounts/service.server";
import type { AppConfig } from "~/config";
import { log } from "~/http/log.server";
import { decoding } from "./decoder.server";
import { detailsIn } from "./inspect.server";
import { type Of, picturesFor } from "./pictures.server";

type Shown = { image: { contentType: string; checksum: string }; details?: object };

/** One reading of a file at a time, whoever looks at it. */
const reading = new Set<string>();

/**
 * Images of an earlier build came without what their files tell (EXIF, colours). When somebody looks at one its original is read once more, beside
 * the request, and what it tells is noted: whoever looks is told live, and no later look has anything to do. A drawing tells nothing.
 */
export function readDetailsLate(of: Of, { image: { contentType, checksum }, details }: Shown, config: AppConfig): void {
  if (details !== undefined || contentType === "image/svg+xml" || reading.has(checksum)) return;
  reading.add(checksum);
  void noteDetails(of, { contentType, checksum }, config)
    // The page does without them, and the next look tries again.
    .catch((error: unknown) => log.warn({ error }, "what a picture's file tells could not be read"))
    .finally(() => reading.delete(checksum));
}

async function noteDetails(of: Of, { contentType, checksum }: Shown["image"], config: AppConfig): Promise<void> {
  const details = await decoding(async () => {
    const response = await picturesFor(config).original(of, null, AbortSignal.timeout(60_000));
    if (!response.ok) throw new Error(`The storage answered ${response.status}`);
    return detailsIn(Buffer.from(await response.arrayBuffer()), contentType);
  });
  if (!details) return;
  const { sessionId, imageId } = of;
  await serviceConvex(config).mutation(api.uploads.noteDetails, { sessionId, imageId, checksum, details }, { skipQueue: true });
}

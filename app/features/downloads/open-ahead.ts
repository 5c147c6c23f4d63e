import type { Row } from "./content-reader.server";

export type OpenOriginal<Image extends Row = Row> = (image: Image) => Promise<Response | null>;

type Opened<Image extends Row> = { image: Image; original: Promise<Response | null> };

/** Enough to hide the latency of a remote deployment, which is asked for each image and then for its file. */
export const OPENED_AHEAD = 24;
const TOGETHER = 8;
/** In bytes. Files that a slow client does not reach soon are not opened, because the storage may close idle connections. */
const BYTES = 16 * 1024 * 1024;

/** Yields the images in order, and opens the files of the next ones ahead. Closes opened files that are not read. */
export async function* openAhead<Image extends Row>(
  images: AsyncIterable<Image>,
  open: OpenOriginal<Image>,
  signal: AbortSignal,
): AsyncGenerator<Opened<Image>> {
  const rows = images[Symbol.asyncIterator]();
  const queue: Opened<Image>[] = [];
  let current: Opened<Image> | undefined;
  let hasEnded = false;
  const bytes = () => [...(current ? [current] : []), ...queue].reduce((sum, { image }) => sum + (Number(image["size"]) || 0), 0);

  async function fill(): Promise<void> {
    if (queue.length > OPENED_AHEAD - TOGETHER) return;
    while (!hasEnded && queue.length < OPENED_AHEAD && bytes() < BYTES) {
      const { done, value: image } = await rows.next();
      if (hasEnded) return;
      if (done) hasEnded = true;
      else {
        signal.throwIfAborted();
        const original = open(image);
        original.catch(() => {});
        queue.push({ image, original });
      }
    }
  }

  let filling = Promise.resolve();
  function fillFurther(): void {
    filling = filling.then(fill);
    filling.catch(() => {});
  }
  try {
    for (;;) {
      current = undefined;
      fillFurther();
      if (queue.length === 0) await filling;
      current = queue.shift();
      if (!current) return;
      fillFurther();
      yield current;
    }
  } finally {
    hasEnded = true;
    for (const { original } of queue) void original.then((response) => response?.body?.cancel()).catch(() => {});
    await rows.return?.();
  }
}

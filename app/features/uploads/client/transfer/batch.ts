import { BATCH_MAX_FILE_BYTES, BATCH_MAX_FILES, type BatchEntry } from "../../upload-result";
import { SMALLEST_CHUNK } from "./chunk-size";

export type BatchFile = { file: File; entry: BatchEntry };

export const BATCH_MIN_FILES = 8;

/** With the entries, a batch fits into the chunk size that proxies accept. */
const BATCH_MAX_BYTES = SMALLEST_CHUNK / 2;

export const isSmall = ({ size }: File): boolean => size > 0 && size <= BATCH_MAX_FILE_BYTES;

export function fillBatch<Item>(items: readonly Item[], sizeOf: (item: Item) => number): Item[] {
  const batch: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += sizeOf(item);
    if (batch.length === BATCH_MAX_FILES || bytes > BATCH_MAX_BYTES) break;
    batch.push(item);
  }
  return batch;
}

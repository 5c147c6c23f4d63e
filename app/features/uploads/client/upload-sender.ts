import { PROBLEM_TEXTS } from "../upload-problem";
import { BATCH_MIN_FILES, type BatchFile, fillBatch } from "./transfer/batch";
import { checksumOf } from "./transfer/checksum";
import { FILE_CHANGED, isReadable } from "./transfer/is-readable";
import { NotSent, type Transport } from "./transfer/transport";
import { isBatchable, type UploadItem } from "./upload-item";
import type { UploadOutcomes } from "./upload-outcomes";
import type { UploadStore } from "./upload-store";

/** More simultaneous uploads would only share the same bandwidth. */
const AT_ONCE = 4;

/** Minimum interval between updates of a file's progress, in ms: each renders the tray and paints a frame. */
const PROGRESS_EVERY_MS = 250;

type Dependencies = { store: UploadStore; outcomes: UploadOutcomes; transport: Transport; now: () => number };

export class UploadSender {
  readonly #store: UploadStore;
  readonly #outcomes: UploadOutcomes;
  readonly #transport: Transport;
  readonly #now: () => number;

  constructor({ store, outcomes, transport, now }: Dependencies) {
    this.#store = store;
    this.#outcomes = outcomes;
    this.#transport = transport;
    this.#now = now;
  }

  sendNext(): void {
    let busy = new Set(this.#store.items.flatMap(({ stop }) => stop ?? [])).size;
    for (const [index, item] of this.#store.items.entries()) {
      if (busy >= AT_ONCE) break;
      if (item.upload.state !== "waiting") continue;
      const batch = this.#batchFrom(index);
      if (batch.length > 0) void this.#sendBatch(batch);
      else void this.#send(item);
      busy++;
    }
    this.#store.publish();
  }

  #batchFrom(index: number): UploadItem[] {
    const { items } = this.#store;
    const first = items[index];
    if (!first || !isBatchable(first)) return [];
    const candidates = items.slice(index).filter((each) => isBatchable(each) && each.upload.designId === first.upload.designId);
    const batch = fillBatch(candidates, ({ upload }) => upload.size);
    return batch.length >= BATCH_MIN_FILES || first.key !== null ? batch : [];
  }

  async #sendBatch(items: UploadItem[]): Promise<void> {
    const stop = new AbortController();
    for (const item of items) {
      item.stop = stop;
      item.key ??= item.queued.id;
      this.#store.change(item, { state: "processing", sent: item.upload.size, problem: null, speed: null });
    }
    try {
      const files: BatchFile[] = [];
      for (const item of items) files.push(await toBatchFile(item));
      const outcomes = await this.#transport.sendBatch(items[0]?.upload.designId ?? "", files);
      if (outcomes.length !== items.length) throw new NotSent(500, { problem: PROBLEM_TEXTS.failed });
      for (const [index, item] of items.entries()) if (outcomes[index]) this.#outcomes.end(item, outcomes[index]);
    } catch (error) {
      const notSent = toNotSent(error);
      await Promise.all(items.map((item) => this.#fail(item, stop, notSent)));
    }
    for (const item of items) item.stop = null;
    this.sendNext();
  }

  async #send(item: UploadItem): Promise<void> {
    const stop = new AbortController();
    item.stop = stop;
    const { file, upload } = item;
    try {
      if (file) await this.#sendBytes(item, file, stop.signal);
      this.#store.change(item, { state: "processing", sent: upload.size, problem: null, speed: null });
      if (item.url === null) throw new Error("A sent file has no URL");
      this.#outcomes.end(item, await this.#transport.finish(item.url, item.anyway, stop.signal));
    } catch (error) {
      if (item.stop !== stop) return;
      await this.#fail(item, stop, toNotSent(error));
      if (item.stop !== stop) return;
    }
    item.stop = null;
    this.sendNext();
  }

  async #fail(item: UploadItem, stop: AbortController, error: NotSent): Promise<void> {
    const isGone = error.status === null && item.file !== null && !(await isReadable(item.file));
    if (item.stop !== stop) return;
    if (isGone) this.#store.change(item, { state: "failed", problem: FILE_CHANGED, canRetry: false, speed: null });
    else this.#outcomes.fail(item, error);
  }

  async #sendBytes(item: UploadItem, file: File, signal: AbortSignal): Promise<void> {
    this.#store.change(item, { state: "sending", problem: null, speed: null });
    const checksum = this.#transport.isFastFor(file.size) ? null : await (item.checksum ??= checksumOf(file));
    signal.throwIfAborted();
    await this.#transport.send({
      file,
      url: item.url,
      metadata: {
        design: item.upload.designId,
        filename: file.name,
        ...(checksum && { checksum }),
        ...(item.queued.batch !== null && { batch: item.queued.batch, index: String(item.queued.index) }),
        ...(item.anyway && { anyway: "1" }),
      },
      signal,
      onUrl: (url) => this.#outcomes.storeUrl(item, url),
      onProgress: (bytes) => this.#progress(item, bytes),
    });
  }

  #progress(item: UploadItem, bytes: number): void {
    const now = this.#now();
    // A proxy can accept the same bytes repeatedly without a response from the server.
    if (bytes > item.furthest) {
      item.furthest = bytes;
      item.tries = 0;
    }
    item.rate.record(bytes, now);
    if (item.upload.state !== "sending" || (now - item.progressAt < PROGRESS_EVERY_MS && bytes < item.upload.size)) return;
    item.progressAt = now;
    this.#store.change(item, { sent: bytes, speed: item.rate.speed(now) });
  }
}

async function toBatchFile(item: UploadItem): Promise<BatchFile> {
  const { file, key, anyway, queued } = item;
  if (file === null || key === null) throw new Error("A file of a batch has no key");
  const checksum = await (item.checksum ??= checksumOf(file));
  const chosenAs = queued.batch === null ? null : { batch: queued.batch, index: queued.index };
  return { file, entry: { key, name: file.name, checksum, anyway, chosenAs } };
}

function toNotSent(error: unknown): NotSent {
  if (error instanceof NotSent) return error;
  console.error(error);
  return new NotSent(500, { problem: PROBLEM_TEXTS.failed });
}

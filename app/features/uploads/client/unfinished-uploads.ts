import { readFileHandle } from "./file-selection/file-handles";
import { isSameFile, type QueuedUpload } from "./queue/queued-upload";
import type { UploadQueue } from "./queue/upload-queue";
import { RETRY_MS } from "./transfer/retry-delays";
import { NotSent, remedyFor, type Transport } from "./transfer/transport";
import type { UploadStore } from "./upload-store";

type Dependencies = { store: UploadStore; queue: UploadQueue; transport: Transport; sendNext: () => void };

export class UnfinishedUploads {
  readonly #store: UploadStore;
  readonly #queue: UploadQueue;
  readonly #transport: Transport;
  readonly #sendNext: () => void;

  constructor({ store, queue, transport, sendNext }: Dependencies) {
    this.#store = store;
    this.#queue = queue;
    this.#transport = transport;
    this.#sendNext = sendNext;
  }

  async restore(): Promise<void> {
    const { uploads, isExclusive } = await this.#queue.takeOver();
    for (const queued of uploads) {
      const blob = isExclusive && queued.isStored ? await this.#queue.read(queued.id) : null;
      if (!blob && queued.url !== null) this.#store.unknown.add(queued);
      if (blob) this.#store.add(queued, asFile(queued, blob), { isResumed: true });
      else this.#store.unfinished.push(queued);
    }
    this.#sendNext();
    void this.#finishArrived();
  }

  async resume(): Promise<void> {
    for (const queued of this.#store.snapshot().unfinished.filter(isFileAvailable)) {
      const blob = queued.isStored ? await this.#queue.read(queued.id) : null;
      const file = blob ? asFile(queued, blob) : queued.handle && (await readFileHandle(queued.handle));
      const isGone = queued.isStored && !file;
      if (!isGone && !(file && isSameFile(queued, file))) continue;
      this.remove([queued]);
      if (file) this.#store.add(queued, file, { isResumed: true });
    }
    this.#sendNext();
  }

  discard(): void {
    const shown = this.#store.snapshot().unfinished;
    for (const { id, url } of shown) {
      this.#queue.remove(id);
      if (url !== null) this.#transport.discard(url);
    }
    this.remove(shown);
    this.#store.publish();
  }

  match(files: readonly File[], designId?: string): (QueuedUpload | null)[] {
    const free = new Set(this.#store.unfinished.filter((each) => designId === undefined || each.designId === designId));
    return files.map((file) => {
      const found = [...free].find((each) => isSameFile(each, file)) ?? null;
      if (found) free.delete(found);
      return found;
    });
  }

  remove(uploads: readonly QueuedUpload[]): void {
    this.#store.unfinished = this.#store.unfinished.filter((each) => !uploads.includes(each));
  }

  async #finishArrived(tries = 0): Promise<void> {
    const { unknown } = this.#store;
    const queried = [...unknown];
    if (queried.length === 0) return;
    try {
      const hasArrived = await Promise.all(queried.map(async ({ url }) => url !== null && this.#transport.hasArrived(url)));
      const arrived = queried.filter((_, index) => hasArrived[index]);
      for (const each of arrived) if (this.#store.unfinished.includes(each)) this.#store.add(each, null);
      for (const each of queried) unknown.delete(each);
      this.remove(arrived);
      this.#sendNext();
    } catch (error) {
      if (!(error instanceof NotSent)) throw error;
      if (remedyFor(error).kind === "wait")
        setTimeout(() => void this.#finishArrived(tries + 1), RETRY_MS[Math.min(tries, RETRY_MS.length - 1)]);
    }
  }
}

const asFile = ({ name, type, modified }: QueuedUpload, blob: Blob) => new File([blob], name, { type, lastModified: modified });

export const isFileAvailable = ({ isStored, handle }: QueuedUpload): boolean => isStored || handle !== null;

import { randomId } from "~/lib/random-id";
import type { QueuedUpload } from "./queue/queued-upload";
import type { UploadQueue } from "./queue/upload-queue";
import type { Transport } from "./transfer/transport";
import { UnfinishedUploads } from "./unfinished-uploads";
import { canCancel, canPause, isActive, type UploadTarget } from "./upload";
import { canResume, type UploadItem } from "./upload-item";
import { UploadOutcomes } from "./upload-outcomes";
import { UploadSender } from "./upload-sender";
import { type PageEvents, UploadStore } from "./upload-store";

type Dependencies = { transport: Transport; queue: UploadQueue; now?: () => number; window?: PageEvents };

/** Each read of a file's size is a call to the browser process: a thousand at once would block the page. */
const FILES_PER_TASK = 16;

export class Uploads {
  readonly #store: UploadStore;
  readonly #sender: UploadSender;
  readonly #outcomes: UploadOutcomes;
  readonly #unfinished: UnfinishedUploads;
  readonly #queue: UploadQueue;
  readonly #now: () => number;

  constructor({ transport, queue, now = Date.now, window = globalThis.window }: Dependencies) {
    const store = new UploadStore(window, () => this.#resumeInterrupted());
    this.#store = store;
    this.#queue = queue;
    this.#now = now;
    this.#outcomes = new UploadOutcomes({ store, transport, queue, retry: ({ upload }) => this.resume(upload.id) });
    this.#sender = new UploadSender({ store, outcomes: this.#outcomes, transport, now });
    this.#unfinished = new UnfinishedUploads({ store, queue, transport, sendNext: () => this.#sender.sendNext() });
  }

  readonly subscribe = (listener: () => void) => this.#store.subscribe(listener);
  readonly snapshot = () => this.#store.snapshot();

  add(target: UploadTarget, files: readonly File[]): void {
    const store = this.#store;
    if (!store.items.some(({ upload }) => isActive(upload)))
      store.items = store.items.filter(({ upload }) => upload.state === "failed" || upload.state === "duplicate");
    this.#addFrom(0, files, target, randomId());
  }

  restoreUnfinished(): Promise<void> {
    return this.#unfinished.restore();
  }

  resumeWith(files: readonly File[]): File[] {
    const matches = this.#unfinished.match(files);
    this.#start(
      matches.filter((queued) => queued !== null),
      files.filter((_, index) => matches[index]),
    );
    return files.filter((_, index) => !matches[index]);
  }

  resumeUnfinished(): Promise<void> {
    return this.#unfinished.resume();
  }

  discardUnfinished(): void {
    this.#unfinished.discard();
  }

  pause(id: string): void {
    const item = this.#store.find(id);
    if (!item || !canPause(item.upload)) return;
    this.#outcomes.stop(item);
    this.#store.change(item, { state: "paused", problem: null, speed: null });
    this.#queue.change(item.queued.id, { paused: true });
    this.#sender.sendNext();
  }

  resume(id: string): void {
    const item = this.#store.find(id);
    if (item?.upload.state !== "paused" && item?.upload.state !== "interrupted") return;
    this.#outcomes.stop(item);
    if (item.upload.state === "paused") this.#queue.change(item.queued.id, { paused: false });
    this.#store.change(item, { state: "waiting", problem: null });
    this.#sender.sendNext();
  }

  cancel(id: string): void {
    const item = this.#store.find(id);
    if (!item || !canCancel(item.upload)) return;
    this.#outcomes.stop(item);
    this.#outcomes.removeUpload(item, { discard: true });
    const canRetry = canResume(item);
    this.#store.change(item, { state: "cancelled", problem: null, canRetry, duplicateOf: null, sent: 0, speed: null });
    this.#sender.sendNext();
  }

  retry(id: string): void {
    const item = this.#store.find(id);
    if (!item?.upload.canRetry || isActive(item.upload)) return;
    item.tries = 0;
    if (item.upload.state === "cancelled" && item.file) this.#queue.add([item.queued], [item.file]);
    this.#store.change(item, { state: "waiting", problem: null, canRetry: false });
    this.#sender.sendNext();
  }

  addAnyway(id: string): void {
    const item = this.#store.find(id);
    if (item?.upload.state !== "duplicate") return;
    item.anyway = true;
    this.#store.change(item, { state: "waiting", problem: null, duplicateOf: null });
    this.#sender.sendNext();
  }

  dismiss(id?: string): void {
    const store = this.#store;
    const isDismissed = ({ upload }: UploadItem) => !isActive(upload) && (id === undefined || upload.id === id);
    for (const item of store.items.filter(isDismissed))
      this.#outcomes.removeUpload(item, { discard: item.url !== null && item.upload.state !== "added" });
    store.items = store.items.filter((item) => !isDismissed(item));
    store.publish();
  }

  #addFrom(start: number, files: readonly File[], target: UploadTarget, batch: string): void {
    const end = start + FILES_PER_TASK;
    const slice = files.slice(start, end);
    const matches = this.#unfinished.match(slice, target.designId);
    this.#start(
      slice.map((file, index) => matches[index] ?? this.#describe(target, file, { batch, index: start + index })),
      slice,
    );
    if (end < files.length) setTimeout(() => this.#addFrom(end, files, target, batch));
  }

  #describe({ designId, designName }: UploadTarget, file: File, chosenAs: { batch: string; index: number }): QueuedUpload {
    const { name, size, type, lastModified: modified } = file;
    const owner = { id: randomId(), userId: this.#queue.userId, tab: this.#queue.tab, at: this.#now() };
    const state = { url: null, paused: false, isStored: false, handle: null };
    return { ...owner, ...state, ...chosenAs, designId, designName, name, size, type, modified };
  }

  #start(queued: readonly QueuedUpload[], files: readonly File[]): void {
    const added: { upload: QueuedUpload; file: File }[] = [];
    for (const [index, file] of files.entries()) {
      const upload = queued[index];
      if (upload && this.#store.add(upload, file)) added.push({ upload, file });
    }
    this.#unfinished.remove(queued);
    this.#queue.add(
      added.map(({ upload }) => upload),
      added.map(({ file }) => file),
    );
    this.#sender.sendNext();
  }

  #resumeInterrupted(): void {
    for (const { upload } of this.#store.items) if (upload.state === "interrupted") this.resume(upload.id);
  }
}

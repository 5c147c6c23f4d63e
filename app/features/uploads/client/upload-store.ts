import type { QueuedUpload } from "./queue/queued-upload";
import { isActive, type Upload } from "./upload";
import { createUploadItem, type UploadItem } from "./upload-item";

const UNTHROTTLED_UPLOADS = 20;
const NOTIFIED_EVERY_MS = 250;

export type PageEvents = Pick<Window, "addEventListener" | "removeEventListener">;

type Snapshot = { uploads: readonly Upload[]; unfinished: readonly QueuedUpload[] };

export class UploadStore {
  items: UploadItem[] = [];
  unfinished: QueuedUpload[] = [];
  /** Uploads in `unfinished` that may be complete on the server. They are not shown. */
  readonly unknown = new Set<QueuedUpload>();
  #snapshot: Snapshot | null = { uploads: [], unfinished: [] };
  #count = 0;
  #isNotifying = false;
  #isGuarded = false;
  readonly #listeners = new Set<() => void>();
  readonly #page: PageEvents;
  readonly #onOnline: () => void;

  constructor(page: PageEvents, onOnline: () => void) {
    this.#page = page;
    this.#onOnline = onOnline;
  }

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly snapshot = () => (this.#snapshot ??= this.#takeSnapshot());

  find(id: string): UploadItem | undefined {
    return this.items.find(({ upload }) => upload.id === id);
  }

  /** Adds an upload. `file` is null if an earlier page sent all bytes. Returns false if the file is rejected. */
  add(queued: QueuedUpload, file: File | null, { isResumed = false } = {}): boolean {
    const isFromEarlierPage = isResumed || this.unfinished.includes(queued);
    const item = createUploadItem(queued, file, { id: String(++this.#count), isResumed, isFromEarlierPage });
    this.items.push(item);
    return item.upload.state !== "failed";
  }

  change(item: UploadItem, change: Partial<Upload>): void {
    item.upload = { ...item.upload, ...change };
    this.publish();
  }

  publish(): void {
    this.#snapshot = null;
    this.#guard(this.items.some(({ upload }) => isActive(upload)));
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    setTimeout(() => this.#notify(), this.items.length > UNTHROTTLED_UPLOADS ? NOTIFIED_EVERY_MS : 0);
  }

  #notify(): void {
    this.#isNotifying = false;
    for (const listener of this.#listeners) listener();
  }

  #takeSnapshot(): Snapshot {
    const unfinished = this.unfinished.filter((each) => !this.unknown.has(each));
    return { uploads: this.items.map(({ upload }) => upload), unfinished };
  }

  #guard(needed: boolean): void {
    if (needed === this.#isGuarded) return;
    this.#isGuarded = needed;
    if (needed) {
      this.#page.addEventListener("beforeunload", preventUnload);
      this.#page.addEventListener("online", this.#onOnline);
    } else {
      this.#page.removeEventListener("beforeunload", preventUnload);
      this.#page.removeEventListener("online", this.#onOnline);
    }
  }
}

const preventUnload = (event: Event) => event.preventDefault();

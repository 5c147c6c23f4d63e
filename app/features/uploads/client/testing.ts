import { afterEach, beforeEach, expect, vi } from "vitest";
import type { UploadOutcome } from "../upload-result";
import type { QueuedUpload } from "./queue/queued-upload";
import type { UploadQueue } from "./queue/upload-queue";
import type { BatchFile } from "./transfer/batch";
import type { Sending, Transport } from "./transfer/transport";
import { Uploads } from "./uploads";

export const uploadTarget = { designId: "d", designName: "Cover" };
export const file = (name: string, text = "0123456789") => new File([text], name, { type: "image/png", lastModified: 7 });

export class FakeTransport implements Transport {
  readonly sendings: Sending[] = [];
  readonly discarded: string[] = [];
  readonly finished: string[] = [];
  readonly queried: string[] = [];
  hasAll: (url: string) => Promise<boolean> = () => Promise.resolve(false);
  onSend: (sending: Sending) => Promise<void> = async ({ onUrl, url }) => onUrl(url ?? `/uploads/${this.sendings.length}`);
  onFinish: Transport["finish"] = () => Promise.resolve({ name: "x", ok: true, imageId: "i" });

  urlOf = (name: string) => `/uploads/${this.sendings.findIndex(({ file }) => file.name === name) + 1}`;

  isFast = false;
  isFastFor = () => this.isFast;

  send(sending: Sending): Promise<void> {
    this.sendings.push(sending);
    return this.onSend(sending);
  }
  finish(...args: Parameters<Transport["finish"]>) {
    this.finished.push(args[0]);
    return this.onFinish(...args);
  }
  hasArrived(url: string) {
    this.queried.push(url);
    return this.hasAll(url);
  }
  discard(url: string): void {
    this.discarded.push(url);
  }
  readonly batches: BatchFile[][] = [];
  onBatch: (files: readonly BatchFile[]) => Promise<UploadOutcome[]> = (files) =>
    Promise.resolve(files.map(() => ({ ok: true, imageId: "i" })));
  sendBatch(_designId: string, files: readonly BatchFile[]) {
    this.batches.push([...files]);
    return this.onBatch(files);
  }
}

class FakeQueue implements UploadQueue {
  readonly userId = "ada";
  readonly tab = "tab";
  readonly uploads = new Map<string, QueuedUpload>();
  readonly contents = new Map<string, Blob>();
  storesFiles = false;
  isExclusive = true;

  takeOver = () => Promise.resolve({ uploads: [...this.uploads.values()], isExclusive: this.isExclusive });
  add(uploads: readonly QueuedUpload[], files: readonly File[]) {
    for (const [index, upload] of uploads.entries()) {
      this.uploads.set(upload.id, { ...upload, isStored: this.storesFiles });
      if (this.storesFiles) this.contents.set(upload.id, files[index] ?? new Blob());
    }
  }
  change(id: string, change: Partial<QueuedUpload>) {
    const upload = this.uploads.get(id);
    if (upload) this.uploads.set(id, { ...upload, ...change });
  }
  remove = (id: string) => void this.uploads.delete(id);
  read = (id: string) => Promise.resolve((this.uploads.has(id) && this.contents.get(id)) || null);
  names = () => [...this.uploads.values()].map(({ name }) => name);
  urls = () => [...this.uploads.values()].flatMap(({ url }) => url ?? []);
}

export const hang = ({ signal }: { signal: AbortSignal }) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

export class TestPage {
  transport = new FakeTransport();
  readonly queue = new FakeQueue();
  readonly window = new EventTarget();
  uploads = this.#newUploads();

  open(transport = this.transport): void {
    this.transport = transport;
    this.uploads = this.#newUploads();
  }

  #newUploads(): Uploads {
    return new Uploads({ transport: this.transport, queue: this.queue, window: this.window });
  }

  readonly all = () => this.uploads.snapshot().uploads;
  readonly states = () => this.all().map(({ state }) => state);
  readonly first = () => this.all()[0] ?? expect.fail("There is no upload");
}

export function fakeTimers(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());
}

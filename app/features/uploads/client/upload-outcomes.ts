import { CONTINUES } from "../upload-problem";
import type { UploadOutcome } from "../upload-result";
import type { UploadQueue } from "./queue/upload-queue";
import { RETRY_MS } from "./transfer/retry-delays";
import { type NotSent, remedyFor, type Transport } from "./transfer/transport";
import { canResume, type UploadItem } from "./upload-item";
import type { UploadStore } from "./upload-store";

const LOST = "The upload has expired. Add the file again.";

type Dependencies = {
  store: UploadStore;
  transport: Transport;
  queue: UploadQueue;
  retry: (item: UploadItem) => void;
};

export class UploadOutcomes {
  readonly #store: UploadStore;
  readonly #transport: Transport;
  readonly #queue: UploadQueue;
  readonly #retry: (item: UploadItem) => void;

  constructor({ store, transport, queue, retry }: Dependencies) {
    this.#store = store;
    this.#transport = transport;
    this.#queue = queue;
    this.#retry = retry;
  }

  end(item: UploadItem, outcome: UploadOutcome): void {
    if (outcome.ok) {
      this.removeUpload(item, { discard: false });
      return this.#store.change(item, { state: "added", imageId: outcome.imageId });
    }
    const { problem, again, duplicateOf = null, damaged = false, soon = false } = outcome;
    if (soon) return this.#retryLater(item, `${problem} ${CONTINUES}`);
    if (duplicateOf) {
      this.#discardBytes(item);
      return this.#store.change(item, { state: "duplicate", problem, duplicateOf });
    }
    if (damaged) this.storeUrl(item, null);
    const canRetry = again && canResume(item);
    if (!canRetry) this.removeUpload(item, { discard: false });
    this.#store.change(item, { state: "failed", problem, canRetry });
  }

  fail(item: UploadItem, error: NotSent): void {
    const { answer } = error;
    if (answer?.duplicateOf)
      return this.#store.change(item, { state: "duplicate", problem: answer.problem, duplicateOf: answer.duplicateOf, sent: 0 });
    const { kind, problem, canRetry } = remedyFor(error);
    if (kind === "fail") {
      if (!canRetry) this.removeUpload(item, { discard: false });
      return this.#store.change(item, { state: "failed", problem, canRetry, speed: null });
    }
    if (kind === "restart") this.storeUrl(item, null);
    if (!canResume(item)) {
      this.removeUpload(item, { discard: false });
      return this.#store.change(item, { state: "failed", problem: LOST, canRetry: false });
    }
    this.#retryLater(item, kind === "wait" && error.status !== null ? `${problem} ${CONTINUES}` : problem);
  }

  storeUrl(item: UploadItem, url: string | null): void {
    if (item.url === url) return;
    item.url = url;
    this.#queue.change(item.queued.id, { url });
  }

  stop(item: UploadItem): void {
    const { stop } = item;
    item.stop = null;
    stop?.abort();
    if (item.timer !== null) clearTimeout(item.timer);
    item.timer = null;
  }

  removeUpload(item: UploadItem, { discard }: { discard: boolean }): void {
    this.#queue.remove(item.queued.id);
    if (item.url === null) return;
    if (discard) this.#transport.discard(item.url);
    item.url = null;
  }

  #discardBytes(item: UploadItem): void {
    if (item.url === null || item.file === null) return;
    this.#transport.discard(item.url);
    this.storeUrl(item, null);
  }

  #retryLater(item: UploadItem, problem: string): void {
    const delay = RETRY_MS[Math.min(item.tries++, RETRY_MS.length - 1)];
    this.#store.change(item, { state: "interrupted", problem, speed: null });
    item.timer = setTimeout(() => this.#retry(item), delay);
  }
}

import type { Worker } from "node:worker_threads";
import { StorageError } from "../values/errors.ts";
import type { Batch, FromTransactor, LoadedCode, ToTransactor, TransactorData, WireError } from "./protocol.ts";
import { SystemError } from "./system-error.ts";
import { startThread } from "./thread.ts";
import { Watch } from "./watch.ts";

export type TransactorOptions = {
  dir: string;
  cloudUrl: string;
  siteUrl: string;
  /** After each durable batch, before any of its questions is answered. `restarted`: every subscription is gone. */
  onBatch: (batch: Omit<Batch, "answers">, restarted: boolean) => void;
  /** The data could not be opened again: nothing will be answered any more. */
  onFailure: (error: Error) => void;
};

export type Code = { code: LoadedCode | null; env: Record<string, string> };
export type Opened = Extract<FromTransactor, { kind: "opened" }>;

/** A thread that runs JavaScript, however busily, can be asked about itself at once. */
const ANSWERS_WITHIN_MS = 500;
/** Memory of user code and of what the engine keeps beside it. */
const HEAP_MIB = 512;

/** One life of the transactor thread: from its start, over the opening of the database, to its end. */
export class Incarnation {
  readonly watch = new Watch();
  readonly worker: Worker;
  readonly loaded: Promise<void>;
  readonly closed: Promise<void>;
  readonly #opened = Promise.withResolvers<Opened>();
  ended = false;
  /** It closed the database and ended because it was asked to: whoever asked knows what comes next. */
  leftInOrder = false;
  outOfMemory = false;

  constructor(options: TransactorOptions, preload: Code | null, onMessage: (batch: Batch) => void) {
    const { dir, cloudUrl, siteUrl } = options;
    const data: TransactorData = { dir, cloudUrl, siteUrl, watch: this.watch.memory, preload };
    this.worker = startThread(dir, new URL("./transactor.ts", import.meta.url), data, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    const loaded = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    this.loaded = loaded.promise;
    this.closed = closed.promise;
    const fail = (error: Error): void => {
      loaded.reject(error);
      this.#opened.reject(error);
    };
    // Whoever waits is told; nobody needs to.
    for (const promise of [this.loaded, this.#opened.promise]) promise.catch(() => undefined);
    this.worker.on("message", (message: FromTransactor) => {
      if (message.kind === "batch") onMessage(message.batch);
      else if (message.kind === "loaded") loaded.resolve();
      else if (message.kind === "opened") this.#opened.resolve(message);
      else if (message.kind === "closed") {
        this.leftInOrder = true;
        closed.resolve();
      } else fail(revived(message.error));
    });
    this.worker.on("error", (error: Error & { code?: string }) => {
      this.outOfMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      fail(error);
    });
    this.worker.on("exit", () => {
      this.ended = true;
      fail(new SystemError("The transactor thread has ended."));
      closed.resolve();
    });
  }

  async open(): Promise<Opened> {
    await this.loaded;
    this.post({ kind: "open" });
    return this.#opened.promise;
  }

  post(message: ToTransactor): void {
    if (!this.ended) this.worker.postMessage(message);
  }

  /** Processor time of the thread. Where Node cannot tell, the clock's; NaN when the thread does not answer. */
  async cpuMs(): Promise<number> {
    if (typeof this.worker.cpuUsage !== "function") return performance.now();
    const patience = Promise.withResolvers<null>();
    const timer = setTimeout(() => patience.resolve(null), ANSWERS_WITHIN_MS);
    const usage = await Promise.race([this.worker.cpuUsage(), patience.promise]).catch(() => null);
    clearTimeout(timer);
    return usage === null ? NaN : (usage.user + usage.system) / 1_000;
  }
}

/** Faults of the data (another process, a newer format) are told apart by callers. */
export const revived = ({ name, message }: WireError): Error =>
  name === "StorageError" ? new StorageError(message) : new SystemError(message);

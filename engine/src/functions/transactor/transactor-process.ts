import type { Worker } from "node:worker_threads";
import { DamagedDataError, DiskFullError, OverloadedError, StorageError } from "../../values/errors.ts";
import type {
  Batch,
  FromTransactor,
  LoadedCode,
  ToTransactor,
  TransactorData,
  TransactorSimulation,
  WireError,
} from "./transactor-protocol.ts";
import { SystemError } from "../system-error.ts";
import { startThread } from "../thread.ts";
import { Watch } from "../isolate/time-limit.ts";

export type TransactorOptions = {
  dir: string;
  cloudUrl: string;
  siteUrl: string;
  acceptLossUntil: number | null;
  hasFileBucket: boolean;
  simulation?: TransactorSimulation | undefined;
  /** Called after each durable batch, before its answers. `restarted`: all subscriptions are lost. */
  onBatch: (batch: Omit<Batch, "answers">, restarted: boolean) => void;
  onFailure: (error: Error) => void;
  warn?: ((line: string) => void) | undefined;
};

export type Code = { code: LoadedCode | null; env: Record<string, string> };
export type Opened = Extract<FromTransactor, { kind: "opened" }>;

const NO_SIMULATION: TransactorSimulation = { defersCommits: false, writeBytesPerSecond: null };
const HEAP_MIB = 512;

export class TransactorProcess {
  readonly watch = new Watch();
  readonly worker: Worker;
  readonly loaded: Promise<void>;
  readonly closed: Promise<void>;
  readonly #opened = Promise.withResolvers<Opened>();
  ended = false;
  closedCleanly = false;
  outOfMemory = false;

  constructor(options: TransactorOptions, preload: Code | null, onMessage: (batch: Batch) => void) {
    const { dir, cloudUrl, siteUrl, acceptLossUntil, hasFileBucket, simulation = NO_SIMULATION } = options;
    const data: TransactorData = { dir, cloudUrl, siteUrl, watch: this.watch.memory, preload, acceptLossUntil, hasFileBucket, simulation };
    this.worker = startThread(dir, new URL("./transactor-worker.ts", import.meta.url), data, {
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
    // Prevents unhandled rejections; callers that await still get the error.
    for (const promise of [this.loaded, this.#opened.promise]) promise.catch(() => undefined);
    this.worker.on("message", (message: FromTransactor) => {
      if (message.kind === "batch") onMessage(message.batch);
      else if (message.kind === "loaded") loaded.resolve();
      else if (message.kind === "opened") this.#opened.resolve(message);
      else if (message.kind === "closed") {
        this.closedCleanly = true;
        closed.resolve();
      } else fail(errorFromWire(message.error));
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
}

export function errorFromWire({ name, message, code }: WireError): Error {
  if (name === "OverloadedError") return new OverloadedError(code ?? "", message);
  if (name === "DamagedDataError") return DamagedDataError.fromMessage(message);
  if (name === "DiskFullError") return new DiskFullError(message);
  return name === "StorageError" ? new StorageError(message) : new SystemError(message);
}

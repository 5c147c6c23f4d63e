import { OverloadedError } from "../values/errors.ts";

const LONGEST_WAIT_MS = 5_000;
const QUEUE_PER_SLOT = 64;

export class ConcurrencyLimit {
  readonly #what: string;
  readonly #limit: number;
  readonly #waiting = new Set<Waiting>();
  #running = 0;
  #closed = false;

  constructor(what: string, limit: number) {
    this.#what = what;
    this.#limit = limit;
  }

  /** @throws {OverloadedError} when the queue is full, after five seconds in it, or when it is closed */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limit) this.#running += 1;
    else await this.#slot();
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  close(): void {
    this.#closed = true;
    for (const waiting of this.#waiting) this.#expire(waiting);
  }

  #slot(): Promise<void> {
    if (this.#closed || this.#waiting.size >= QUEUE_PER_SLOT * this.#limit) throw this.#overloaded("TooManyConcurrentRequests");
    return new Promise((start, reject) => {
      const waiting: Waiting = { start, reject, timer: setTimeout(() => this.#expire(waiting), LONGEST_WAIT_MS) };
      this.#waiting.add(waiting);
    });
  }

  #expire(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    this.#waiting.delete(waiting);
    waiting.reject(this.#overloaded("ExpiredInQueue"));
  }

  #release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#running -= 1;
      return;
    }
    clearTimeout(next.timer);
    this.#waiting.delete(next);
    next.start();
  }

  #overloaded(code: string): OverloadedError {
    return new OverloadedError(code, `Too many concurrent ${this.#what} (limit: ${this.#limit}). Try again later.`);
  }
}

type Waiting = { start: () => void; reject: (error: Error) => void; timer: NodeJS.Timeout };

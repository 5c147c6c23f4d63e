/** Sends the latest value: one call at a time, and one per interval (ms). Drops values that a newer one replaces. */
export class LatestSender<Value> {
  readonly #send: (value: Value) => Promise<unknown>;
  readonly #intervalMs: number;
  #next: { value: Value } | null = null;
  #isBusy = false;

  constructor(send: (value: Value) => Promise<unknown>, intervalMs: number) {
    this.#send = send;
    this.#intervalMs = intervalMs;
  }

  push(value: Value): void {
    this.#next = { value };
    if (!this.#isBusy) void this.#run();
  }

  clear(): void {
    this.#next = null;
  }

  async #run(): Promise<void> {
    this.#isBusy = true;
    while (this.#next) {
      const { value } = this.#next;
      this.#next = null;
      const interval = new Promise((resolve) => setTimeout(resolve, this.#intervalMs));
      // A lost value is replaced by the next one.
      await this.#send(value).catch(() => {});
      await interval;
    }
    this.#isBusy = false;
  }
}

import { OverloadedError } from "../values/errors.ts";
import { elapsed } from "../elapsed.ts";

/** Refuses writes while earlier commits exceed the limit. A single commit may exceed it, because it may be larger than a second's share. */
export class WriteThroughput {
  readonly #bytesPerSecond: number;
  #level = 0;
  #at = elapsed();

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  use(bytes: number): void {
    const passedMs = elapsed() - this.#at;
    this.#at += passedMs;
    this.#level = Math.max(0, this.#level - (passedMs / 1_000) * this.#bytesPerSecond);
    if (this.#level > this.#bytesPerSecond) {
      throw new OverloadedError(
        "TooManyWritesInTimePeriod",
        `Too many writes per second. This deployment commits at most ${this.#bytesPerSecond} bytes per second. Try again later.`,
      );
    }
    this.#level += bytes;
  }
}

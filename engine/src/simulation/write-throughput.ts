import { OverloadedError } from "../values/errors.ts";

const now = performance.now.bind(performance);

/** Refuses writes while those of earlier commits exceed the limit. One commit may exceed it, as it may be larger than a second's share. */
export class WriteThroughput {
  readonly #bytesPerSecond: number;
  #level = 0;
  #at = now();

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** @throws {OverloadedError} before the commit */
  use(bytes: number): void {
    const elapsed = now() - this.#at;
    this.#at += elapsed;
    this.#level = Math.max(0, this.#level - (elapsed / 1_000) * this.#bytesPerSecond);
    if (this.#level > this.#bytesPerSecond) {
      throw new OverloadedError(
        "TooManyWritesInTimePeriod",
        `Too many writes per second. This deployment commits at most ${this.#bytesPerSecond} bytes per second. Try again later.`,
      );
    }
    this.#level += bytes;
  }
}

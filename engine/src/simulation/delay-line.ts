export class DelayLine {
  readonly #delayMs: number;
  readonly #waiting: { due: number; run: () => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  push(run: () => void): void {
    this.#waiting.push({ due: performance.now() + this.#delayMs, run });
    this.#schedule();
  }

  #schedule(): void {
    const [next] = this.#waiting;
    if (this.#timer || !next) return;
    this.#timer = setTimeout(() => this.#runDue(), Math.max(0, next.due - performance.now()));
  }

  #runDue(): void {
    this.#timer = undefined;
    const now = performance.now();
    const later = this.#waiting.findIndex(({ due }) => due > now);
    const due = this.#waiting.splice(0, later === -1 ? this.#waiting.length : later);
    this.#schedule();
    for (const { run } of due) run();
  }
}

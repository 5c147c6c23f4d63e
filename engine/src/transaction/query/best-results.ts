export type VectorResult = { id: string; score: number };

/** Keeps the best results: the highest scores first, and the lower id among equal scores. */
export class BestResults {
  readonly #limit: number;
  readonly #floor: VectorResult | null;
  readonly #results: VectorResult[] = [];

  constructor(limit: number, floor: VectorResult | null = null) {
    this.#limit = limit;
    this.#floor = floor;
  }

  get floor(): VectorResult | null {
    return this.#results.length < this.#limit ? this.#floor : (this.#results.at(-1) ?? null);
  }

  accepts(score: number): boolean {
    const { floor } = this;
    return floor === null || score >= floor.score;
  }

  add(result: VectorResult): void {
    const { floor } = this;
    if (floor !== null && compare(result, floor) >= 0) return;
    const place = this.#results.findIndex((other) => compare(result, other) <= 0);
    if (place !== -1 && this.#results[place]?.id === result.id) return;
    this.#results.splice(place === -1 ? this.#results.length : place, 0, result);
    if (this.#results.length > this.#limit) this.#results.pop();
  }

  list(): VectorResult[] {
    return [...this.#results];
  }
}

function compare(one: VectorResult, other: VectorResult): number {
  return other.score - one.score || (one.id < other.id ? -1 : Number(one.id > other.id));
}

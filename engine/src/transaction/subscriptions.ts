import type { ReadSet } from "./types.ts";
import { LAST_KEY } from "../values/keys.ts";
import { IntervalTree, type Interval } from "./intervals.ts";

export class Subscriptions {
  private readonly indexes = new Map<number, IntervalTree>();
  private readonly held = new Map<string, { index: number; interval: Interval }[]>();

  add(token: string, readSet: ReadSet): void {
    this.remove(token);
    const ranges = readSet.map(({ index, low, high }) => {
      let tree = this.indexes.get(index);
      if (tree === undefined) this.indexes.set(index, (tree = new IntervalTree()));
      return { index, interval: tree.add(low, high ?? LAST_KEY, token) };
    });
    this.held.set(token, ranges);
  }

  remove(token: string): void {
    const held = this.held.get(token);
    if (held === undefined) return;
    this.held.delete(token);
    for (const { index, interval } of held) {
      const tree = this.indexes.get(index);
      tree?.remove(interval, token);
      if (tree?.isEmpty) this.indexes.delete(index);
    }
  }

  get size(): number {
    return this.held.size;
  }

  has(index: number): boolean {
    return this.indexes.has(index);
  }

  collect(index: number, key: Uint8Array, tokens: Set<string>): void {
    this.indexes.get(index)?.collect(key, tokens);
  }
}

import { randomUUID } from "node:crypto";

/** A backup that has died must not keep the log growing for ever. */
const HELD_AT_MOST_MS = 60 * 60 * 1_000;

const elapsed = performance.now.bind(performance);

/** What a backup is copying stays as it is: while somebody holds, bytes of deleted files are removed later. One hold at a time. */
export class HeldFiles {
  #hold: { id: string; since: number } | null = null;
  #postponed: (() => void)[] = [];

  get isOn(): boolean {
    return this.#hold !== null;
  }

  get isOverdue(): boolean {
    return this.#hold !== null && elapsed() - this.#hold.since > HELD_AT_MOST_MS;
  }

  take(): string {
    this.#hold = { id: randomUUID(), since: elapsed() };
    return this.#hold.id;
  }

  isHeldAs(id: string): boolean {
    return this.#hold?.id === id;
  }

  end(): void {
    this.#hold = null;
    for (const removal of this.#postponed.splice(0)) removal();
  }

  /** Removes now, or once nobody holds. */
  remove(removal: () => void): void {
    if (this.#hold) this.#postponed.push(removal);
    else removal();
  }
}

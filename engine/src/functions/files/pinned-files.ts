import { randomUUID } from "node:crypto";
import { elapsed } from "../../elapsed.ts";

/** A crashed backup must not let the log grow forever. */
const MAX_PIN_MS = 60 * 60 * 1_000;

export class PinnedFiles {
  #hold: { id: string; since: number } | null = null;
  #postponed: (() => void)[] = [];

  get isOn(): boolean {
    return this.#hold !== null;
  }

  get isOverdue(): boolean {
    return this.#hold !== null && elapsed() - this.#hold.since > MAX_PIN_MS;
  }

  pin(): string {
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

  remove(removal: () => void): void {
    if (this.#hold) this.#postponed.push(removal);
    else removal();
  }
}

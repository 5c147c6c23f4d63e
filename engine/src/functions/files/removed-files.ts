/** Removed files are recorded in the commit that deletes their rows, so that a crash leaves no bytes. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../../transaction/types.ts";

const PREFIX = "removed/";

export class RemovedFiles {
  readonly #settings: Settings;
  readonly #folder: string;
  #done: string[] = [];

  constructor(settings: Settings, folder: string) {
    this.#settings = settings;
    this.#folder = folder;
  }

  record(names: string[]): void {
    if (names.length === 0) return;
    for (const name of this.#done.splice(0)) this.#settings.delete(PREFIX + name);
    for (const name of names) this.#settings.set(PREFIX + name, "");
  }

  remove(name: string): void {
    try {
      rmSync(join(this.#folder, name), { force: true });
      this.#done.push(name);
    } catch {
      // Retried at the next start.
    }
  }

  resume(): void {
    for (const { name } of this.#settings.list(PREFIX)) this.remove(name.slice(PREFIX.length));
    for (const name of this.#done.splice(0)) this.#settings.delete(PREFIX + name);
  }
}

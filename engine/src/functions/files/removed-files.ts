/** Removed files are recorded in the commit that deletes their rows, so that a crash leaves no bytes, also not in a bucket. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { syncFolder } from "../../storage/folders.ts";
import type { Settings } from "../../transaction/types.ts";

const PREFIX = "removed/";

export class RemovedFiles {
  readonly #settings: Settings;
  readonly #folder: string;
  readonly #hasBucket: boolean;
  readonly #inBucket = new Set<string>();
  #done: string[] = [];

  constructor(settings: Settings, folder: string, { hasBucket }: { hasBucket: boolean }) {
    this.#settings = settings;
    this.#folder = folder;
    this.#hasBucket = hasBucket;
  }

  record(names: string[]): void {
    if (names.length === 0) return;
    this.#forgetRemoved();
    for (const name of names) this.#settings.set(PREFIX + name, "");
  }

  remove(name: string): void {
    try {
      rmSync(join(this.#folder, name), { force: true });
      if (this.#hasBucket) this.#inBucket.add(name);
      else this.#done.push(name);
    } catch {
      // Retried at the next start.
    }
  }

  objects(limit: number): string[] {
    return [...this.#inBucket.values().take(limit)];
  }

  objectsRemoved(names: string[]): void {
    for (const name of names) if (this.#inBucket.delete(name)) this.#done.push(name);
  }

  /** Continues removals of an earlier process. `isStored` tells whether a file has a row again, after an import. */
  resume(isStored: (name: string) => boolean): void {
    for (const { name: setting } of this.#settings.list(PREFIX)) {
      const name = setting.slice(PREFIX.length);
      if (isStored(name)) this.#done.push(name);
      else this.remove(name);
    }
    this.#forgetRemoved();
  }

  /** A power loss would bring back a file without its record. */
  #forgetRemoved(): void {
    if (this.#done.length === 0) return;
    syncFolder(this.#folder);
    for (const name of this.#done.splice(0)) this.#settings.delete(PREFIX + name);
  }
}

import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { link, mkdir, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { LocalCopy } from "../local-copy.ts";

const PARTIAL = ".partial";
const STATS_AT_ONCE = 16;
/** Free space that the database needs. */
export const RESERVED_BYTES = 512 * 1024 * 1024;

export type FileCacheOptions = {
  folder: string;
  maxBytes: number;
  freeBytes?: (folder: string) => Promise<number>;
};

/** Copies of files in a bucket. Evicts the least recently used ones, but none in use, so that larger files than `maxBytes` can be read. */
export class FileCache {
  readonly maxBytes: number;
  readonly #folder: string;
  readonly #freeBytes: (folder: string) => Promise<number>;
  readonly #sizes = new Map<string, number>();
  readonly #users = new Map<string, number>();
  readonly #downloads = new Map<string, Promise<void>>();
  #bytes = 0;

  private constructor({ folder, maxBytes, freeBytes = freeSpace }: FileCacheOptions) {
    this.#folder = folder;
    this.maxBytes = maxBytes;
    this.#freeBytes = freeBytes;
  }

  static async open(options: FileCacheOptions): Promise<FileCache> {
    const cache = new FileCache(options);
    await cache.#load();
    return cache;
  }

  get files(): number {
    return this.#sizes.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(name: string): boolean {
    return this.#sizes.has(name);
  }

  /** Returns a copy. Calls `write` if there is none, once for concurrent calls. `write` gets a path and stores the bytes there. */
  async fetch(name: string, size: number, write: (path: string) => Promise<void>): Promise<LocalCopy> {
    const release = this.#use(name);
    try {
      if (!this.#sizes.has(name)) await (this.#downloads.get(name) ?? this.#download(name, size, write));
      const known = this.#sizes.get(name);
      if (known !== undefined) this.#set(name, known);
      return { path: join(this.#folder, name), isCached: true, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async add(name: string, size: number, path: string): Promise<void> {
    if (size > this.maxBytes || this.#sizes.has(name)) return;
    const partial = this.#partial(name);
    await link(path, partial);
    await rename(partial, join(this.#folder, name));
    this.#set(name, size);
    this.#evict(this.maxBytes);
  }

  async remove(name: string): Promise<void> {
    await this.#downloads.get(name)?.catch(() => undefined);
    this.#forget(name);
    await rm(join(this.#folder, name), { force: true });
  }

  #use(name: string): () => void {
    this.#users.set(name, (this.#users.get(name) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const others = (this.#users.get(name) ?? 1) - 1;
      if (others > 0) this.#users.set(name, others);
      else this.#users.delete(name);
      this.#evict(this.maxBytes);
    };
  }

  #download(name: string, size: number, write: (path: string) => Promise<void>): Promise<void> {
    const download = this.#write(name, size, write).finally(() => this.#downloads.delete(name));
    this.#downloads.set(name, download);
    return download;
  }

  async #write(name: string, size: number, write: (path: string) => Promise<void>): Promise<void> {
    const lacking = size + RESERVED_BYTES - (await this.#freeBytes(this.#folder));
    if (lacking > 0) this.#evict(Math.max(0, this.#bytes - lacking));
    const partial = this.#partial(name);
    try {
      await write(partial);
      await rename(partial, join(this.#folder, name));
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    this.#set(name, size);
    this.#evict(this.maxBytes);
  }

  #set(name: string, size: number): void {
    this.#forget(name);
    this.#sizes.set(name, size);
    this.#bytes += size;
  }

  #forget(name: string): void {
    this.#bytes -= this.#sizes.get(name) ?? 0;
    this.#sizes.delete(name);
  }

  #evict(maxBytes: number): void {
    for (const name of this.#sizes.keys()) {
      if (this.#bytes <= maxBytes) return;
      if (this.#users.has(name)) continue;
      this.#forget(name);
      // Synchronous, because a later download of the file must not be removed.
      rmSync(join(this.#folder, name), { force: true });
    }
  }

  #partial(name: string): string {
    return join(this.#folder, `${name}.${randomUUID()}${PARTIAL}`);
  }

  async #load(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const names = await readdir(this.#folder);
    const found: { name: string; size: number; usedAt: number }[] = [];
    const statNext = async (): Promise<void> => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        const path = join(this.#folder, name);
        if (name.endsWith(PARTIAL)) await rm(path, { force: true });
        else {
          const { size, mtimeMs } = await stat(path);
          found.push({ name, size, usedAt: mtimeMs });
        }
      }
    };
    await Promise.all(Array.from({ length: STATS_AT_ONCE }, statNext));
    for (const { name, size } of found.toSorted((a, b) => a.usedAt - b.usedAt)) this.#set(name, size);
    this.#evict(this.maxBytes);
  }
}

async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

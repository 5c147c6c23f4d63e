import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { mkdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { log } from "~/http/log.server";
import { metrics } from "~/http/metrics.server";

/** What the cache keeps: a file's bytes and what they are. */
export type Cached = { type: string; bytes: Buffer };

export type DiskCache = {
  /** The entry with this key, made when it is missing: once, however many ask meanwhile. Keys are safe as file names. */
  get(key: string, make: () => Promise<Cached>): Promise<Cached>;
  /** Removes every entry whose key begins so, also what is being made. */
  forget(beginning: string): Promise<void>;
  /** Bytes on disk. */
  size(): number;
};

const ENDS: Record<string, string> = {
  "image/avif": "avif",
  "image/webp": "webp",
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
};
const TYPES = Object.fromEntries(Object.entries(ENDS).map(([type, end]) => [end, type]));

/** How long an entry may be read before its file is marked as used: its order after a restart need not be exact. */
const MARK_AFTER_MS = 60 * 60_000;

/**
 * A folder of finished pictures that never holds more than `maxBytes`: what was not used for longest goes. Losing it costs only time. Files
 * are named `key.bytes.end`, so that one whose bytes are not all there, after a power failure, is recognised and thrown away.
 *
 * @param unusedFor what was not used for so long (milliseconds) when it is opened goes, too
 */
export function openDiskCache(folder: string, maxBytes: number, unusedFor = Infinity): DiskCache {
  const entries = readEntries(folder, Date.now() - unusedFor);
  const making = new Map<string, Promise<Cached>>();
  let total = [...entries.values()].reduce((sum, entry) => sum + entry.size, 0);

  async function read(key: string): Promise<Cached | null> {
    const entry = entries.get(key);
    if (!entry) return null;
    try {
      const bytes = await readFile(entry.path);
      if (bytes.length !== entry.size) throw new Error("The file has another size.");
      // The Map's order is the order of use.
      if (entries.delete(key)) entries.set(key, entry);
      mark(entry);
      return { type: entry.type, bytes };
    } catch {
      await drop(key, entry);
      return null;
    }
  }

  async function write(key: string, { type, bytes }: Cached): Promise<void> {
    const end = ENDS[type];
    if (!end || bytes.length > maxBytes) return;
    const path = join(folder, key.slice(0, 2), `${key}.${bytes.length}.${end}`);
    const unfinished = join(folder, `${randomUUID()}.tmp`);
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(unfinished, bytes);
      await rename(unfinished, path);
    } catch (error) {
      // A full disk must not keep anybody from seeing the picture.
      log.error({ error }, "a picture could not be cached");
      await rm(unfinished, { force: true });
      return;
    }
    entries.set(key, { path, type, size: bytes.length, marked: Date.now() });
    total += bytes.length;
    for (const [oldest, entry] of entries) {
      if (total <= maxBytes) break;
      await drop(oldest, entry);
    }
  }

  async function drop(key: string, entry: Entry): Promise<void> {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    total -= entry.size;
    await rm(entry.path, { force: true });
  }

  return {
    size: () => total,
    async forget(beginning) {
      const isMeant = ([key]: [string, unknown]) => key.startsWith(beginning);
      await Promise.allSettled([...making].filter(isMeant).map(([, promise]) => promise));
      await Promise.all([...entries].filter(isMeant).map(([key, entry]) => drop(key, entry)));
      metrics.variantCacheBytes.set(total);
    },
    get(key, make) {
      const running = making.get(key);
      if (running) {
        metrics.variants.inc({ outcome: "joined" });
        return running;
      }
      const promise = (async () => {
        const known = await read(key);
        metrics.variants.inc({ outcome: known ? "found" : "made" });
        if (known) return known;
        const made = await make();
        await write(key, made);
        metrics.variantCacheBytes.set(total);
        return made;
      })().finally(() => making.delete(key));
      making.set(key, promise);
      return promise;
    },
  };
}

type Entry = { path: string; type: string; size: number; marked: number };

function mark(entry: Entry): void {
  const now = Date.now();
  if (now - entry.marked < MARK_AFTER_MS) return;
  entry.marked = now;
  utimes(entry.path, now / 1000, now / 1000).catch(() => {});
}

/** What an earlier process left, the longest unused first. Unfinished and broken files are removed, and those not used since `usedSince`. */
function readEntries(folder: string, usedSince: number): Map<string, Entry> {
  mkdirSync(folder, { recursive: true });
  const found: { key: string; entry: Entry }[] = [];
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    const [key = "", bytes, end = ""] = file.name.split(".");
    const { size, mtimeMs } = statSync(path);
    const type = TYPES[end];
    if (type && Number(bytes) === size && mtimeMs >= usedSince) found.push({ key, entry: { path, type, size, marked: mtimeMs } });
    else rm(path, { force: true }).catch(() => {});
  }
  found.sort((a, b) => a.entry.marked - b.entry.marked);
  return new Map(found.map(({ key, entry }) => [key, entry]));
}

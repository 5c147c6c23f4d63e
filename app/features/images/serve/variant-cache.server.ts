import { createHash, randomUUID } from "node:crypto";
import { mkdir, opendir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beginLater } from "~/lib/http/begin-later.server";
import { addActivity } from "~/lib/http/telemetry/request-activity.server";
import { log } from "~/lib/http/telemetry/log.server";
import { metrics } from "~/lib/http/telemetry/metrics.server";
import { createInsertionOrder } from "./insertion-order";

export type CachedVariant = { type: string; bytes: Buffer };

export type VariantCache = {
  /** Returns the entry, created once for simultaneous requests. Keys are safe file names; the part before the first "-" is the group. */
  get(key: string, make: () => Promise<CachedVariant>): Promise<CachedVariant>;
  evict(group: string): Promise<void>;
  groups(): Promise<string[]>;
  size(): number;
  count(): number;
  loaded(): Promise<void>;
};

const ENDS: Record<string, string> = {
  "image/avif": "avif",
  "image/webp": "webp",
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
};
const TYPES = Object.fromEntries(Object.entries(ENDS).map(([type, end]) => [end, type]));

/** Interval between updates of a file's time of use, in ms: the order after a restart need not be exact. */
const MARK_AFTER_MS = 60 * 60_000;
const FILES_AT_ONCE = 8;

/** Opens an LRU cache. File names (`key.bytes.hash.end`) show damage. `unusedFor` is in ms; `begin` starts reading the folder. */
export function openVariantCache(
  folder: string,
  maxBytes: number,
  unusedFor = Infinity,
  begin: Promise<void> = Promise.resolve(),
): VariantCache {
  const usedSince = Date.now() - unusedFor;
  const entries = new Map<string, Entry>();
  const order = createInsertionOrder();
  const making = new Map<string, Promise<CachedVariant>>();
  const groups = new Map<string, Set<string>>();
  const own = randomUUID();
  let total = 0;
  let isLoaded = false;
  const loaded = beginLater(begin, () =>
    load()
      .catch((error: unknown) => log.error({ error }, "cached images could not be read"))
      .then(() => {
        isLoaded = true;
        return evict();
      }),
  );

  function index(key: string): void {
    const group = groupOf(key);
    const keys = groups.get(group);
    if (keys) keys.add(key);
    else groups.set(group, new Set([key]));
  }

  function unindex(key: string): void {
    if (entries.has(key) || making.has(key)) return;
    const group = groupOf(key);
    const keys = groups.get(group);
    keys?.delete(key);
    if (keys?.size === 0) groups.delete(group);
  }

  function add(key: string, entry: Entry): void {
    total += entry.size - (entries.get(key)?.size ?? 0);
    entries.set(key, entry);
    order.set(key, entry.marked);
    index(key);
  }

  async function load(): Promise<void> {
    await mkdir(folder, { recursive: true });
    for await (const each of await opendir(folder)) {
      if (each.isDirectory()) await loadFolder(join(folder, each.name));
      else if (!each.name.startsWith(own)) await rm(join(folder, each.name), { force: true });
    }
  }

  async function loadFolder(path: string): Promise<void> {
    addActivity("loading the image cache");
    let names: string[] = [];
    for await (const { name } of await opendir(path)) {
      if (names.push(name) < FILES_AT_ONCE) continue;
      await Promise.all(names.map((each) => loadFile(path, each)));
      names = [];
    }
    await Promise.all(names.map((each) => loadFile(path, each)));
  }

  async function loadFile(parent: string, name: string): Promise<void> {
    const path = join(parent, name);
    const found = parse(name);
    const stats = await stat(path).catch(() => null);
    if (!stats || (found && (entries.has(found.key) || making.has(found.key)))) return;
    if (found && found.size === stats.size && stats.mtimeMs >= usedSince) add(found.key, { ...found, path, marked: stats.mtimeMs });
    else await rm(path, { force: true });
  }

  async function search(key: string): Promise<void> {
    const parent = folderOf(folder, key);
    for (const name of await readdir(parent).catch(() => [])) {
      const found = parse(name);
      if (found?.key === key && !entries.has(key)) add(key, { ...found, path: join(parent, name), marked: 0 });
    }
  }

  async function read(key: string): Promise<CachedVariant | null> {
    if (!isLoaded && !entries.has(key)) await search(key);
    const entry = entries.get(key);
    if (!entry) return null;
    try {
      const bytes = await readFile(entry.path);
      if (bytes.length !== entry.size || hashOf(bytes) !== entry.hash) throw new Error("The file is damaged.");
      if (entries.get(key) === entry) order.set(key, Date.now());
      mark(entry);
      return { type: entry.type, bytes };
    } catch {
      await drop(key, entry);
      return null;
    }
  }

  async function write(key: string, { type, bytes }: CachedVariant): Promise<void> {
    const end = ENDS[type];
    if (!end || bytes.length > maxBytes) return;
    const hash = hashOf(bytes);
    const path = join(folderOf(folder, key), `${key}.${bytes.length}.${hash}.${end}`);
    const unfinished = join(folder, `${own}-${randomUUID()}.tmp`);
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(unfinished, bytes);
      await rename(unfinished, path);
    } catch (error) {
      log.error({ error }, "an image could not be cached");
      await rm(unfinished, { force: true });
      return;
    }
    add(key, { path, type, size: bytes.length, hash, marked: Date.now() });
    await evict();
  }

  async function evict(): Promise<void> {
    if (!isLoaded) return metrics.variantCacheBytes.set(total);
    while (total > maxBytes) {
      const key = order.oldest();
      const entry = key === undefined ? undefined : entries.get(key);
      if (key === undefined || !entry) break;
      await drop(key, entry);
    }
    metrics.variantCacheBytes.set(total);
  }

  async function drop(key: string, entry: Entry): Promise<void> {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    order.delete(key);
    unindex(key);
    total -= entry.size;
    await rm(entry.path, { force: true });
  }

  return {
    loaded,
    size: () => total,
    count: () => entries.size,
    async groups() {
      await loaded();
      return [...groups.keys()];
    },
    async evict(group) {
      await loaded();
      const keys = [...(groups.get(group) ?? [])];
      if (keys.length === 0) return;
      await Promise.allSettled(keys.flatMap((key) => making.get(key) ?? []));
      for (const key of keys) {
        const entry = entries.get(key);
        if (entry) await drop(key, entry);
      }
      metrics.variantCacheBytes.set(total);
    },
    get(key, make) {
      const running = making.get(key);
      if (running) {
        metrics.variants.inc({ outcome: "joined" });
        return running;
      }
      const promise = (async () => {
        const cached = await read(key);
        metrics.variants.inc({ outcome: cached ? "found" : "made" });
        if (cached) return cached;
        const variant = await make();
        await write(key, variant);
        return variant;
      })().finally(() => {
        making.delete(key);
        unindex(key);
      });
      making.set(key, promise);
      index(key);
      return promise;
    },
  };
}

const groupOf = (key: string): string => key.split("-", 1)[0] ?? "";
const folderOf = (folder: string, key: string): string => join(folder, key.slice(0, 2));

type Entry = { path: string; type: string; size: number; hash: string; marked: number };

/** 128 bits of SHA-256 are enough against accidental collisions. */
const hashOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex").slice(0, 32);

function mark(entry: Entry): void {
  const now = Date.now();
  if (now - entry.marked < MARK_AFTER_MS) return;
  entry.marked = now;
  utimes(entry.path, now / 1000, now / 1000).catch(() => {});
}

function parse(name: string): { key: string; type: string; size: number; hash: string } | null {
  const [key = "", bytes, hash = "", end = ""] = name.split(".");
  const type = TYPES[end];
  return type === undefined ? null : { key, type, size: Number(bytes), hash };
}

import { createHash, type Hash, randomUUID } from "node:crypto";
import { mkdir, opendir, readFile, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { beginLater } from "~/lib/http/begin-later.server";
import { addActivity } from "~/lib/http/telemetry/request-activity.server";
import { asDiskFull, DiskFull } from "~/lib/http/disk-full.server";
import { log } from "~/lib/http/telemetry/log.server";
import type { UploadOutcome } from "~/features/uploads/upload-result";
import { appendBody, type Checksum, OffsetMismatch } from "./append.server";
import { type FinishedUpload, openOutcomes } from "./upload-outcomes.server";
import { createOwnerIndex } from "./owner-index";

export type PartialUpload = {
  /** Random, but not a capability: access is decided by `ownerId`. */
  id: string;
  ownerId: string;
  /** The owner of the design's project. The upload reserves space in this user's quota, or in that of `ownerId` if undefined. */
  storageOwnerId?: string | undefined;
  designId: string | null;
  /** Of an upload without a design. Earlier builds did not store it. */
  purpose?: "picture" | "comment" | undefined;
  name: string;
  length: number;
  checksum: string | null;
  chosenAs?: { batch: string; index: number } | undefined;
  /** Sent by a device's share sheet. Its user must choose a design within an hour. */
  isShared?: boolean | undefined;
  expiresAt: number;
};

export type PresentUploads = { unfinished: PartialUpload[]; reserving: PartialUpload[] };

export type PartialUploads = {
  /** Serializes the calls of each owner and of each storage owner. `admit` throws to reject the upload. */
  create(part: Omit<PartialUpload, "id" | "expiresAt">, admit?: (present: PresentUploads) => Promise<void>): Promise<PartialUpload>;
  find(id: string, ownerId: string): Promise<PartialUpload | null>;
  /** Returns the outcome for a client that did not receive it. Returns null as `find` does, and for an evicted upload. */
  findFinished(id: string, ownerId: string): Promise<FinishedUpload | null>;
  unfinished(ownerId: string): Promise<PartialUpload[]>;
  reserved(storageOwnerId: string): Promise<number>;
  offset(part: PartialUpload): Promise<number>;
  /** Appends bytes and returns the new length. Aborts an earlier request, whose connection may be dead. Throws as `appendBody` does. */
  append(part: PartialUpload, offset: number, body: AsyncIterable<Uint8Array>, checksum?: Checksum): Promise<number>;
  path(part: PartialUpload): string;
  /** Returns the SHA-256 in hexadecimal; null when this process did not receive the bytes in order. */
  digest(part: PartialUpload): string | null;
  finish(part: PartialUpload, outcome: UploadOutcome): Promise<void>;
  remove(part: PartialUpload): Promise<void>;
  removeFinished(id: string): Promise<void>;
  removeOwner(ownerId: string): Promise<void>;
  owners(): Promise<string[]>;
  sweep(): Promise<void>;
  counts(): { uploads: number; outcomes: number };
  close(): Promise<void>;
};

const KEPT_MS = 24 * 60 * 60_000;
/** Lifetime before the first byte: an announced file that is never sent must not reserve space for a day. */
const KEPT_EMPTY_MS = 30 * 60_000;
const KEPT_SHARED_MS = 60 * 60_000;
const SWEEP_EVERY_MS = 10 * 60_000;
const DISK_MARGIN = 64 * 1024 * 1024;

/** Reads the folder when `begin` resolves or on demand. Removes bytes without metadata, which is written last: they are from a crash. */
export function openPartialUploads(
  folder: string,
  { keptMs = KEPT_MS, keptEmptyMs = KEPT_EMPTY_MS, margin = DISK_MARGIN, begin = Promise.resolve() } = {},
): PartialUploads {
  const partialUploads = createOwnerIndex<PartialUpload>();
  const reservations = createOwnerIndex<{ id: string; ownerId: string; part: PartialUpload }>();
  /** Ids of uploads that changed while the folder is read: their state on disk is older. */
  const handled = new Set<string>();
  let isLoaded = false;
  let isClosed = false;
  const ready = mkdir(folder, { recursive: true, mode: 0o700 });
  const loaded = beginLater(begin, () =>
    ready
      .then(load)
      .catch((error: unknown) => log.error({ error }, "unfinished uploads could not be read"))
      .then(() => {
        isLoaded = true;
        handled.clear();
      }),
  );
  const outcomes = openOutcomes(join(folder, OUTCOMES), { begin });
  const writers = new Map<string, Writer>();
  const hashes = new Map<string, Hashed>();

  const path = ({ id }: { id: string }) => join(folder, `${id}${BYTES}`);
  const lifetimeOf = ({ isShared = false }: PartialUpload) => (isShared ? KEPT_SHARED_MS : keptMs);
  const offset = async (part: PartialUpload) => (await stat(path(part))).size;

  async function unfinished(ownerId: string): Promise<PartialUpload[]> {
    await loaded();
    return [...partialUploads.of(ownerId)].filter(isUnexpired);
  }

  async function reserving(storageOwnerId: string): Promise<PartialUpload[]> {
    await loaded();
    return Array.from(reservations.of(storageOwnerId), ({ part }) => part).filter(isUnexpired);
  }

  function setPart(part: PartialUpload): void {
    partialUploads.set(part);
    reservations.set({ id: part.id, ownerId: storageOwnerOf(part), part });
  }

  function deletePart(id: string): void {
    partialUploads.delete(id);
    reservations.delete(id);
  }

  async function load(): Promise<void> {
    for await (const { name } of await opendir(folder)) {
      const id = name.split(".", 1)[0] ?? "";
      if (isClosed) return;
      addActivity("reading unfinished uploads");
      if (name === OUTCOMES || handled.has(id)) continue;
      if (name === id + FACTS) await loadPart(id);
      else if (name !== id + BYTES || !(await exists(join(folder, id + FACTS)))) await removeRemains(id, name);
    }
  }

  async function removeRemains(id: string, name: string): Promise<void> {
    if (!handled.has(id)) await rm(join(folder, name), { force: true });
  }

  async function loadPart(id: string): Promise<void> {
    const part = await readPart(folder, id, lifetimeOf);
    if (handled.has(id)) return;
    if (part) return setPart(part);
    for (const end of [FACTS, BYTES]) await removeRemains(id, id + end);
  }

  async function lookUp(id: string): Promise<PartialUpload | undefined> {
    const part = partialUploads.get(id);
    if (part || isLoaded || handled.has(id) || !z.uuid().safeParse(id).success) return part;
    const found = await readPart(folder, id, lifetimeOf);
    if (!found || handled.has(id) || isLoaded) return partialUploads.get(id);
    handled.add(id);
    setPart(found);
    return found;
  }

  function handle(id: string): void {
    if (!isLoaded) handled.add(id);
  }

  async function write(part: PartialUpload): Promise<void> {
    handle(part.id);
    const target = join(folder, `${part.id}${FACTS}`);
    const unfinishedFile = join(folder, `${part.id}.${randomUUID()}${UNFINISHED}`);
    try {
      await writeFile(unfinishedFile, JSON.stringify(part), { mode: 0o600 });
      await rename(unfinishedFile, target);
    } catch (error) {
      await rm(unfinishedFile, { force: true });
      throw asDiskFull(error);
    }
    setPart(part);
  }

  async function expectRoom(length: number): Promise<void> {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < length + margin) throw new DiskFull("The disk has too little free space");
  }

  async function remove(part: PartialUpload): Promise<void> {
    handle(part.id);
    writers.get(part.id)?.stop.abort();
    await writers.get(part.id)?.ended;
    deletePart(part.id);
    hashes.delete(part.id);
    // Removes the metadata first: bytes without metadata are removed at the next start.
    await rm(join(folder, `${part.id}${FACTS}`), { force: true });
    await rm(path(part), { force: true });
  }

  async function sweep(): Promise<void> {
    await loaded();
    for (const { id, ownerId } of partialUploads.values()) {
      // A process that was killed during `finish` leaves both the upload and its outcome.
      const finished = await outcomes.find(id, ownerId);
      const part = partialUploads.get(id);
      if (part && (finished || part.expiresAt <= Date.now())) await remove(part);
    }
    await outcomes.sweep();
  }

  async function append(part: PartialUpload, from: number, body: AsyncIterable<Uint8Array>, checksum?: Checksum): Promise<number> {
    const before = writers.get(part.id);
    before?.stop.abort();
    const stop = new AbortController();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const writer = { stop, ended };
    writers.set(part.id, writer);
    try {
      await before?.ended;
      if (!(await lookUp(part.id))) throw new OffsetMismatch("The upload has ended");
      const at = await offset(part);
      if (at !== from) throw new OffsetMismatch(`${at} bytes are stored, not ${from}`);
      setPart({ ...part, expiresAt: Date.now() + lifetimeOf(part) });
      const hashed = at === 0 ? { hash: createHash("sha256"), at } : hashes.get(part.id);
      // Until the body ends, it is unknown which bytes reach the disk.
      hashes.delete(part.id);
      const hash = hashed?.at === at ? hashed.hash : null;
      try {
        const end = await appendBody(path(part), at, part.length, body, { signal: stop.signal, checksum, hash });
        if (hash) hashes.set(part.id, { hash, at: end });
        return end;
      } finally {
        const now = partialUploads.get(part.id);
        if (now) await write((await offset(now)) > 0 ? { ...now, expiresAt: Date.now() + lifetimeOf(part) } : part);
      }
    } finally {
      if (writers.get(part.id) === writer) writers.delete(part.id);
      end();
    }
  }

  async function createPart(given: Omit<PartialUpload, "id" | "expiresAt">): Promise<PartialUpload> {
    await expectRoom(given.length);
    const part: PartialUpload = { ...given, id: randomUUID(), expiresAt: Date.now() + keptEmptyMs };
    handle(part.id);
    await writeFile(path(part), "", { mode: 0o600, flag: "wx" }).catch((error: unknown) => {
      throw asDiskFull(error);
    });
    await write(part);
    return part;
  }

  const creating = new Map<string, Promise<unknown>>();

  const timer = setInterval(
    () => void sweep().catch((error: unknown) => log.error({ error }, "finished and expired uploads could not be deleted")),
    SWEEP_EVERY_MS,
  );
  timer.unref();
  void begin.then(sweep).catch((error: unknown) => log.error({ error }, "finished and expired uploads could not be deleted"));

  return {
    async create(given, admit) {
      await ready;
      const owners = new Set([given.ownerId, storageOwnerOf(given)]);
      const created = Promise.all(Array.from(owners, (id) => creating.get(id) ?? Promise.resolve())).then(async () => {
        await admit?.({ unfinished: await unfinished(given.ownerId), reserving: await reserving(storageOwnerOf(given)) });
        return createPart(given);
      });
      const ended = created.catch(() => {});
      for (const id of owners) creating.set(id, ended);
      try {
        return await created;
      } finally {
        for (const id of owners) if (creating.get(id) === ended) creating.delete(id);
      }
    },
    async find(id, ownerId) {
      const part = await lookUp(id);
      return part && part.ownerId === ownerId && part.expiresAt > Date.now() ? part : null;
    },
    unfinished,
    reserved: async (storageOwnerId) => (await reserving(storageOwnerId)).reduce((sum, { length }) => sum + length, 0),
    offset,
    append,
    path,
    digest(part) {
      const hashed = hashes.get(part.id);
      return hashed?.at === part.length ? hashed.hash.copy().digest("hex") : null;
    },
    async finish(part, outcome) {
      const { id, ownerId, length } = part;
      await outcomes.add({ id, ownerId, length, expiresAt: Date.now() + keptMs, outcome });
      await remove(part);
    },
    findFinished: (id, ownerId) => outcomes.find(id, ownerId),
    removeFinished: (id) => outcomes.remove(id),
    remove,
    async removeOwner(ownerId) {
      await loaded();
      for (const part of partialUploads.of(ownerId)) await remove(part);
      await outcomes.removeOwner(ownerId);
    },
    async owners() {
      await loaded();
      return [...new Set([...partialUploads.owners(), ...(await outcomes.owners())])];
    },
    counts: () => ({ uploads: partialUploads.size(), outcomes: outcomes.size() }),
    sweep,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await loaded();
    },
  };
}

const storageOwnerOf = ({ ownerId, storageOwnerId = ownerId }: Pick<PartialUpload, "ownerId" | "storageOwnerId">): string => storageOwnerId;
const isUnexpired = ({ expiresAt }: PartialUpload): boolean => expiresAt > Date.now();

type Writer = { stop: AbortController; ended: Promise<void> };
type Hashed = { hash: Hash; at: number };

const BYTES = ".part";
const FACTS = ".json";
const UNFINISHED = ".tmp";
const OUTCOMES = "outcomes.jsonl";

const partSchema = z.object({
  id: z.uuid(),
  ownerId: z.string(),
  storageOwnerId: z.string().optional(),
  designId: z.string().nullable(),
  name: z.string(),
  length: z.int().nonnegative(),
  checksum: z.string().nullable(),
  purpose: z.enum(["picture", "comment"]).optional(),
  chosenAs: z.object({ batch: z.string(), index: z.int() }).optional(),
  isShared: z.boolean().optional(),
  expiresAt: z.number(),
}) satisfies z.ZodType<PartialUpload>;

async function readPart(folder: string, id: string, lifetimeOf: (part: PartialUpload) => number): Promise<PartialUpload | null> {
  try {
    const part = partSchema.parse(JSON.parse(await readFile(join(folder, id + FACTS), "utf8")));
    const { size, mtimeMs } = await stat(join(folder, id + BYTES));
    if (part.id !== id || size > part.length) return null;
    // After a crash, the lifetime starts at the last written byte.
    return size === 0 ? part : { ...part, expiresAt: Math.max(part.expiresAt, Math.floor(mtimeMs) + lifetimeOf(part)) };
  } catch {
    return null;
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

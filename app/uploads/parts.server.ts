import { createHash, type Hash, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { log } from "~/http/log.server";
import type { UploadResult } from "~/images/upload";
import { appendBody, asDiskFull, type Checksum, DiskFull, OffsetMismatch } from "./append.server";

/** A file that is arriving in pieces, over as many requests and days as it takes. */
export type Part = {
  /** Names it in its address; not to be guessed, and yet never enough to touch it: `ownerId` counts. */
  id: string;
  /** `users.id` of the one person who may see it or go on with it. */
  ownerId: string;
  designId: string;
  /** What its owner calls the file. */
  name: string;
  /** Bytes of the whole file. */
  length: number;
  /** SHA-256 of the whole file in hexadecimal, where its sender has told it. */
  checksum: string | null;
  /** When it is given up unless more of it arrives, in ms since 1970. */
  expiresAt: number;
  /** What became of it; its bytes are gone then, and this is what remains to be told to whoever did not hear it. */
  outcome: UploadResult | null;
};

export type Parts = {
  create(part: Pick<Part, "ownerId" | "designId" | "name" | "length" | "checksum">): Promise<Part>;
  /** The part with this id, if it is this person's and has not expired; a foreign one and none are the same. */
  find(id: string, ownerId: string): Part | null;
  /** The person's parts that are not finished. */
  unfinished(ownerId: string): Part[];
  /** Bytes that the person's unfinished parts will have. */
  reserved(ownerId: string): number;
  /** How many of its bytes are here. */
  offset(part: Part): Promise<number>;
  /**
   * Adds bytes at the end, and answers how many there are then. One request at a time writes to a part: a later one ends the one before it,
   * whose line may be dead without anybody having noticed. What arrived of a body that breaks off is kept. Throws the errors of
   * `append.server.ts`, and whatever the body throws.
   */
  append(part: Part, offset: number, body: AsyncIterable<Uint8Array>, checksum?: Checksum): Promise<number>;
  path(part: Part): string;
  /** SHA-256 of a part that has come whole, in hexadecimal, where it came to this process in order; null: it has to be read for that. */
  digest(part: Part): string | null;
  /** Throws the bytes away and remembers what became of them. */
  finish(part: Part, outcome: UploadResult): Promise<void>;
  /** Forgets it altogether, whoever is writing. */
  remove(part: Part): Promise<void>;
  /** Removes what has expired. */
  sweep(): Promise<void>;
  close(): void;
};

/** How long a part waits for more of itself, and its outcome to be asked for, in ms. */
const KEPT_MS = 24 * 60 * 60_000;
/** The same before its first byte: what is announced and never sent must not keep the room that it was promised from other files for a day. */
const KEPT_EMPTY_MS = 30 * 60_000;
const SWEEP_EVERY_MS = 10 * 60_000;
/** Left free on the disk for everything else, in bytes. */
const DISK_MARGIN = 64 * 1024 * 1024;

/**
 * The folder of the parts. Each has a file of bytes, whose length says how far it has come, and a file that says what it is, which comes last
 * and is replaced as a whole: so a process may be killed at any moment, and the next one finds either a part or remains, which it removes.
 */
export function openParts(folder: string, { keptMs = KEPT_MS, keptEmptyMs = KEPT_EMPTY_MS, margin = DISK_MARGIN } = {}): Parts {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const parts = readParts(folder, keptMs);
  const writers = new Map<string, Writer>();
  /** Of parts that have come to this process from their first byte on: what is hashed while it arrives need not be read again. */
  const hashes = new Map<string, Hashed>();

  const path = ({ id }: { id: string }) => join(folder, `${id}${BYTES}`);
  const offset = async (part: Part) => (part.outcome ? part.length : (await stat(path(part))).size);
  const unfinished = (ownerId: string) => [...parts.values()].filter((part) => part.ownerId === ownerId && isWaiting(part));
  const isWaiting = (part: Part) => part.outcome === null && part.expiresAt > Date.now();

  async function write(part: Part): Promise<void> {
    const target = join(folder, `${part.id}${FACTS}`);
    const unfinishedFile = join(folder, `${part.id}.${randomUUID()}${UNFINISHED}`);
    try {
      await writeFile(unfinishedFile, JSON.stringify(part), { mode: 0o600 });
      await rename(unfinishedFile, target);
    } catch (error) {
      await rm(unfinishedFile, { force: true });
      throw asDiskFull(error);
    }
    parts.set(part.id, part);
  }

  /** Room for the rest of all that has been promised, and for this. */
  async function expectRoom(length: number): Promise<void> {
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < length + margin) throw new DiskFull("The disk has too little room left");
  }

  async function remove(part: Part): Promise<void> {
    writers.get(part.id)?.stop.abort();
    await writers.get(part.id)?.ended;
    parts.delete(part.id);
    hashes.delete(part.id);
    // What says that there is a part goes first: bytes alone are remains.
    await rm(join(folder, `${part.id}${FACTS}`), { force: true });
    await rm(path(part), { force: true });
  }

  async function sweep(): Promise<void> {
    const now = Date.now();
    for (const part of parts.values()) if (part.expiresAt <= now) await remove(part);
  }

  async function append(part: Part, from: number, body: AsyncIterable<Uint8Array>, checksum?: Checksum): Promise<number> {
    const before = writers.get(part.id);
    before?.stop.abort();
    const stop = new AbortController();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const writer = { stop, ended };
    writers.set(part.id, writer);
    try {
      await before?.ended;
      const at = await offset(part);
      if (part.outcome || at !== from) throw new OffsetMismatch(`${at} bytes are here, not ${from}`);
      // While it is being written to it does not expire.
      parts.set(part.id, { ...part, expiresAt: Date.now() + keptMs });
      const known = at === 0 ? { hash: createHash("sha256"), at } : hashes.get(part.id);
      // Until this body has come to its end nobody knows what of it is on the disk.
      hashes.delete(part.id);
      const hash = known?.at === at ? known.hash : null;
      try {
        const end = await appendBody(path(part), at, part.length, body, { signal: stop.signal, checksum, hash });
        if (hash) hashes.set(part.id, { hash, at: end });
        return end;
      } finally {
        const now = parts.get(part.id);
        if (now?.outcome === null) await write((await offset(now)) > 0 ? { ...now, expiresAt: Date.now() + keptMs } : part);
      }
    } finally {
      if (writers.get(part.id) === writer) writers.delete(part.id);
      end();
    }
  }

  const timer = setInterval(
    () => void sweep().catch((error: unknown) => log.error({ error }, "finished and forgotten uploads could not be swept")),
    SWEEP_EVERY_MS,
  );
  timer.unref();
  void sweep().catch((error: unknown) => log.error({ error }, "finished and forgotten uploads could not be swept"));

  return {
    async create(given) {
      await expectRoom(given.length);
      const part: Part = { ...given, id: randomUUID(), expiresAt: Date.now() + keptEmptyMs, outcome: null };
      await writeFile(path(part), "", { mode: 0o600, flag: "wx" }).catch((error: unknown) => {
        throw asDiskFull(error);
      });
      await write(part);
      return part;
    },
    find(id, ownerId) {
      const part = parts.get(id);
      return part && part.ownerId === ownerId && part.expiresAt > Date.now() ? part : null;
    },
    unfinished,
    reserved: (ownerId) => unfinished(ownerId).reduce((sum, { length }) => sum + length, 0),
    offset,
    append,
    path,
    digest(part) {
      const known = hashes.get(part.id);
      return known?.at === part.length ? known.hash.copy().digest("hex") : null;
    },
    async finish(part, outcome) {
      hashes.delete(part.id);
      await write({ ...part, expiresAt: Date.now() + keptMs, outcome });
      await rm(path(part), { force: true });
    },
    remove,
    sweep,
    close: () => clearInterval(timer),
  };
}

type Writer = { stop: AbortController; ended: Promise<void> };
/** The hash of the first `at` bytes. */
type Hashed = { hash: Hash; at: number };

const BYTES = ".part";
const FACTS = ".json";
const UNFINISHED = ".tmp";

const partSchema = z.object({
  id: z.uuid(),
  ownerId: z.string(),
  designId: z.string(),
  name: z.string(),
  length: z.int().nonnegative(),
  checksum: z.string().nullable(),
  expiresAt: z.number(),
  outcome: z
    .discriminatedUnion("ok", [
      z.object({ name: z.string(), ok: z.literal(true), imageId: z.string() }),
      z.object({ name: z.string(), ok: z.literal(false), problem: z.string(), again: z.boolean() }),
    ])
    .nullable(),
}) satisfies z.ZodType<Part>;

/** The parts that an earlier process left; what is none, or not whole, is removed. */
function readParts(folder: string, keptMs: number): Map<string, Part> {
  const parts = new Map<string, Part>();
  const files = new Set(readdirSync(folder));
  for (const name of files) {
    if (!name.endsWith(FACTS)) continue;
    const part = readPart(join(folder, name));
    if (!part) continue;
    const bytes = statSync(join(folder, `${part.id}${BYTES}`), { throwIfNoEntry: false });
    if (part.outcome !== null) parts.set(part.id, part);
    // What a killed process had begun to write waits from its last byte on.
    else if (bytes?.size === 0) parts.set(part.id, part);
    else if (bytes && bytes.size <= part.length)
      parts.set(part.id, { ...part, expiresAt: Math.max(part.expiresAt, Math.floor(bytes.mtimeMs) + keptMs) });
  }
  for (const name of files) {
    const [id = "", end] = name.split(/(?=\.)/, 2);
    const part = parts.get(id);
    const known = part !== undefined && (name === id + FACTS || (end === BYTES && part.outcome === null));
    if (!known) rmSync(join(folder, name), { force: true });
  }
  return parts;
}

function readPart(path: string): Part | null {
  try {
    return partSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}

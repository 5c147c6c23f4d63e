/** Replays what `record-writes.c` recorded, as a kill or a power loss at any moment leaves it. */
import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

/**
 * The state of changes that no fsync made durable.
 * - `everything`: as after SIGKILL.
 * - `nothing`: neither contents nor names.
 * - `names`: names without contents, as on file systems that only journal names.
 * - `some`: any of the contents, and the names up to some moment.
 */
export type Kept = "everything" | "nothing" | "names" | "some";

const WRITE = 1;
const TRUNCATE = 2;
const SYNC = 3;
const FAILED_SYNC = 4;
const CREATE = 5;
const RENAME = 6;
const REMOVE = 7;
const MAKE_FOLDER = 8;
const LINK = 9;
const RECORD_BYTES = 40;

/** `end` is the position in the log after the change. Paths are relative to the recorded folder. */
type Change = { kind: number; path: string; target: string; inode: bigint; folder: bigint; offset: number; data: Buffer; end: number };

/** Files and folders by path. A folder has no contents. */
type Tree = { names: Map<string, bigint>; contents: Map<bigint, Content | null> };

/** Compiles the recorder. Returns null without a C compiler. */
export function compileRecorder(): string | null {
  const target = join(mkdtempSync(join(tmpdir(), "power-loss-")), "record-writes.so");
  const source = join(import.meta.dirname, "record-writes.c");
  for (const compiler of ["cc", "gcc", "clang"]) {
    const { status, error, stderr } = spawnSync(compiler, ["-shared", "-fPIC", "-O2", "-o", target, source, "-ldl", "-lpthread"]);
    if (status === 0) return target;
    if (!error) throw new Error(stderr.toString());
  }
  return null;
}

export class Recorder {
  readonly #library: string;
  readonly #root: string;
  readonly #folder: string;
  #base: Tree = { names: new Map(), contents: new Map() };

  constructor(library: string, root: string) {
    this.#library = library;
    this.#root = root;
    this.#folder = `${root}.recorded`;
  }

  /** Returns the environment of the next process. Everything written before is durable. */
  start(): Record<string, string> {
    this.remove();
    mkdirSync(this.#folder);
    writeFileSync(this.#log, "");
    this.#base = readTree(this.#root);
    return { LD_PRELOAD: this.#library, POWER_LOSS_ROOT: this.#root, POWER_LOSS_LOG: this.#folder, UV_USE_IO_URING: "0" };
  }

  /** The present position in the log. */
  position(): number {
    return statSync(this.#log).size;
  }

  /** Lets each fsync of a path that contains `text` fail with EIO. Null ends that. */
  failFsync(text: string | null): void {
    this.#control("fail-fsync", text);
  }

  slowFsync(ms: number | null): void {
    this.#control("slow-fsync", ms === null ? null : String(ms));
  }

  recording(): Recording {
    return new Recording(this.#base, readChanges(readFileSync(this.#log), this.#root));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #log(): string {
    return join(this.#folder, "log");
  }

  #control(name: string, text: string | null): void {
    const path = join(this.#folder, name);
    if (text === null) rmSync(path, { force: true });
    else writeFileSync(path, text);
  }
}

export class Recording {
  readonly #base: Tree;
  readonly changes: readonly { readonly end: number }[];
  readonly #changes: Change[];

  constructor(base: Tree, changes: Change[]) {
    this.#base = base;
    this.#changes = changes;
    this.changes = changes;
  }

  /** Writes the state after a kill or a power loss to `folder`, `count` changes after the start. Fsyncs of `ignored` have no effect. */
  write(folder: string, count: number, kept: Kept, { ignored }: { ignored?: RegExp } = {}): void {
    const changes = this.#changes.slice(0, count);
    const lost = kept === "everything" ? new Set<Change>() : lostChanges(changes, kept, ignored && this.#inodesOf(ignored));
    const names = new Map(this.#base.names);
    const contents: Tree["contents"] = new Map(
      [...this.#base.contents].map(([inode, content]) => [inode, content && new Content(content.bytes)]),
    );
    for (const { kind, inode } of changes) if (kind === CREATE) contents.set(inode, new Content());
    for (const change of changes) if (!lost.has(change)) apply(change, names, contents);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    for (const [path, inode] of [...names].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const content = contents.get(inode) ?? null;
      if (!hasFolder(path, names)) continue;
      if (content === null) mkdirSync(join(folder, path), { recursive: true });
      else writeFileSync(join(folder, path), content.bytes);
    }
  }

  #inodesOf(pattern: RegExp): Set<bigint> {
    const named = [...this.#base.names, ...this.#changes.map(({ path, inode }): [string, bigint] => [path, inode])];
    return new Set(named.filter(([path]) => pattern.test(path)).map(([, inode]) => inode));
  }
}

function lostChanges(changes: Change[], kept: Kept, ignored: Set<bigint> = new Set()): Set<Change> {
  const endOfNames = { everything: Infinity, names: Infinity, nothing: 0, some: Math.floor(Math.random() * (changes.length + 1)) }[kept];
  const lost = new Set<Change>();
  /** Whether the next fsync of an inode succeeds. A failed fsync discards the earlier writes. */
  const durable = new Map<bigint, boolean>();
  for (const [index, change] of [...changes.entries()].toReversed()) {
    const { kind, inode, folder } = change;
    if (kind === SYNC || kind === FAILED_SYNC) {
      if (!ignored.has(inode)) durable.set(inode, kind === SYNC);
    } else if (kind === WRITE || kind === TRUNCATE) {
      if (!durable.get(inode) && (kept !== "some" || Math.random() < 0.5)) lost.add(change);
    } else if (!durable.get(folder) && index >= endOfNames) {
      lost.add(change);
    }
  }
  return lost;
}

function apply({ kind, path, target, inode, offset, data }: Change, names: Tree["names"], contents: Tree["contents"]): void {
  switch (kind) {
    case WRITE:
      return contents.get(inode)?.write(data, offset);
    case TRUNCATE:
      return contents.get(inode)?.truncate(offset);
    case CREATE:
      return void names.set(path, inode);
    case LINK:
      return void names.set(path, inode);
    case MAKE_FOLDER:
      names.set(path, inode);
      return void contents.set(inode, null);
    case RENAME:
      for (const name of names
        .keys()
        .filter((each) => each.startsWith(`${path}/`))
        .toArray()) {
        names.set(target + name.slice(path.length), names.get(name) ?? 0n);
        names.delete(name);
      }
      names.delete(path);
      // The new name is left even if the old one never reached the disk.
      return void names.set(target, inode);
    case REMOVE:
      if (![...names.keys()].some((name) => name.startsWith(`${path}/`))) names.delete(path);
      return;
    default:
  }
}

class Content {
  #buffer: Buffer;
  #size: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#buffer = Buffer.from(bytes);
    this.#size = bytes.length;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  write(data: Buffer, offset: number): void {
    this.truncate(Math.max(this.#size, offset + data.length));
    data.copy(this.#buffer, offset);
  }

  truncate(size: number): void {
    if (size > this.#buffer.length) this.#buffer = Buffer.concat([this.bytes], 2 * size);
    this.#buffer.fill(0, Math.min(size, this.#size), Math.max(size, this.#size));
    this.#size = size;
  }
}

function hasFolder(path: string, names: Tree["names"]): boolean {
  const folder = dirname(path);
  return folder === "." || (names.has(folder) && hasFolder(folder, names));
}

function readTree(root: string): Tree {
  const tree: Tree = { names: new Map(), contents: new Map() };
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { ino } = lstatSync(path, { bigint: true });
    tree.names.set(relative(root, path), ino);
    tree.contents.set(ino, entry.isDirectory() ? null : new Content(readFileSync(path)));
  }
  return tree;
}

function readChanges(log: Buffer, root: string): Change[] {
  const changes: Change[] = [];
  /** File systems use the numbers of removed files again. */
  const ids = new Map<bigint, bigint>();
  for (let at = 0; at + RECORD_BYTES <= log.length;) {
    const number = (index: number): bigint => log.readBigUInt64LE(at + 8 + 8 * index);
    const paths = at + RECORD_BYTES;
    const data = paths + log.readUInt32LE(at + 4);
    const end = data + Number(number(3));
    if (end > log.length) break;
    const kind = log.readUInt32LE(at);
    if (kind === CREATE || kind === MAKE_FOLDER) ids.set(number(0), BigInt(-1 - ids.size - changes.length));
    const [path = "", target = ""] = log.toString("utf8", paths, data).split("\0");
    changes.push({
      kind,
      path: relative(root, path),
      target: relative(root, target),
      inode: ids.get(number(0)) ?? number(0),
      folder: ids.get(number(1)) ?? number(1),
      offset: Number(number(2)),
      data: log.subarray(data, end),
      end,
    });
    at = end;
  }
  return changes;
}

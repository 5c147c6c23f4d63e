import type { Timestamp } from "../values/types.ts";
import { FunctionError } from "../values/errors.ts";
import type { Document } from "./document.ts";
import { Overlay, type Change } from "./overlay.ts";

/** How far back `/api/query_at_ts` may read, unless the memory limit is reached first. */
const KEPT_NS = 30_000_000_000n;
const KEPT_BYTES = 64 * 1024 * 1024;
const KEPT_VIEWS = 4;
const CHANGE_BYTES = 300;

type Undo = { readonly ts: Timestamp; readonly changes: readonly Change[]; readonly bytes: number };
/** The changes that restore the state at `at`, for commits up to and including `upTo`. */
type View = { readonly at: Timestamp; readonly overlay: Overlay; upTo: Timestamp };

/** Builds earlier states from the current data and the undo data of the last seconds' commits. */
export class History {
  private commits: Undo[] = [];
  private removedCount = 0;
  private bytes = 0;
  private views: View[] = [];
  private horizon: Timestamp;

  constructor(latest: Timestamp) {
    this.horizon = latest;
  }

  get size(): number {
    return this.commits.length - this.removedCount;
  }

  add(ts: Timestamp, changes: Iterable<Change>): void {
    const undo = [...changes].map(({ id, table, before }): Change => ({ id, table, before: null, after: compactDocument(before) }));
    if (undo.length === 0) return;
    const bytes = undo.reduce((sum, { after }) => sum + CHANGE_BYTES + (after?.text.length ?? 0), 0);
    this.commits.push({ ts, changes: undo, bytes });
    this.bytes += bytes;
    this.evictOld(ts);
  }

  has(at: Timestamp): boolean {
    return at >= this.horizon;
  }

  /** @throws FunctionError when `at` is too old or in the future */
  overlayAt(at: Timestamp, latest: Timestamp): Overlay {
    if (at > latest) throw new FunctionError(`Timestamp ${at} is in the future; the newest is ${latest}.`);
    if (at < this.horizon) {
      throw new FunctionError(`Timestamp ${at} is too old; the oldest available timestamp is ${this.horizon}. Request a new timestamp.`);
    }
    let view = this.views.find((known) => known.at === at);
    if (view === undefined) {
      view = { at, overlay: new Overlay(), upTo: at };
      this.views.push(view);
      if (this.views.length > KEPT_VIEWS) this.views.shift();
    }
    this.extend(view);
    return view.overlay;
  }

  truncate(ts: Timestamp): void {
    this.views = [];
    while (this.commits.length > this.removedCount && (this.commits.at(-1)?.ts ?? 0n) > ts) this.bytes -= this.commits.pop()?.bytes ?? 0;
  }

  private extend(view: View): void {
    let first = this.commits.length;
    while (first > this.removedCount && (this.commits[first - 1]?.ts ?? 0n) > view.upTo) first--;
    for (const commit of this.commits.slice(first)) {
      for (const change of commit.changes) if (view.overlay.get(change.id) === undefined) view.overlay.lay(change);
      view.upTo = commit.ts;
    }
  }

  /** Removes old commits. Call it also without commits, so that an idle deployment releases the memory. */
  evictOld(now: Timestamp): void {
    const before = this.removedCount;
    for (;;) {
      const commit = this.commits[this.removedCount];
      if (commit === undefined || (commit.ts >= now - KEPT_NS && this.bytes <= KEPT_BYTES)) break;
      this.horizon = commit.ts;
      this.bytes -= commit.bytes;
      this.commits[this.removedCount++] = REMOVED;
    }
    if (this.removedCount === before) return;
    if (this.views.length > 0) this.views = this.views.filter((view) => view.at >= this.horizon);
    if (this.removedCount * 2 < this.commits.length) return;
    this.commits = this.commits.slice(this.removedCount);
    this.removedCount = 0;
  }
}

const REMOVED: Undo = { ts: 0n, changes: [], bytes: 0 };

/** Drops the parsed value and the keys of all indexes, which take several times the memory of the text. */
function compactDocument(document: Document | null): Document | null {
  return document && { ...document, value: null, keys: null };
}

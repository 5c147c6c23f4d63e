import type { IndexRange } from "convex/server";
import { generateKeyBetween, generateNKeysBetween } from "fractional-indexing";
import type { Doc, Id } from "./_generated/dataModel";
import type { MutationCtx, QueryCtx } from "./_generated/server";
import { conflict } from "./errors";

/**
 * The orders that people make by hand. A row's place is a fractional index: a text between those of its neighbours, so that a move writes the
 * one row that moves. The key is made here, from the rows as they are, and callers name neighbours, never keys: two people's moves of
 * different things never clash, and of the same thing the later one holds.
 *
 * Rows may share a key (one comes back from the trash to where another was put meanwhile): the older one then stands first, and whatever is
 * put between them gives those after it keys of their own. Rows from before there were keys stand before all others, by age, and get keys
 * when something is put among them.
 */

type Row = Doc<"projects"> | Doc<"designs"> | Doc<"designImages">;

/** Which of a list's rows: with this very key, perhaps older or newer than one; with a greater key, or a smaller one; or all. */
type Bound = { key: string | undefined; newerThan?: number; olderThan?: number } | { above: string } | { below: string } | "all";

/** A list's rows within a bound, in its order or against it. */
type List<Each extends Row = Row> = (bound: Bound, order: "asc" | "desc", limit: number) => Promise<Each[]>;

export const projectsOf =
  ({ db }: QueryCtx, ownerId: string): List<Doc<"projects">> =>
  (bound, order, limit) =>
    db
      .query("projects")
      .withIndex("by_order", (q) => within(q.eq("ownerId", ownerId).eq("removedAt", undefined), bound))
      .order(order)
      .take(limit);

export const designsOf =
  ({ db }: QueryCtx, projectId: Id<"projects">): List<Doc<"designs">> =>
  (bound, order, limit) =>
    db
      .query("designs")
      .withIndex("by_order", (q) => within(q.eq("projectId", projectId).eq("removedAt", undefined), bound))
      .order(order)
      .take(limit);

export const imagesOf =
  ({ db }: QueryCtx, designId: Id<"designs">): List<Doc<"designImages">> =>
  (bound, order, limit) =>
    db
      .query("designImages")
      .withIndex("by_order", (q) => within(q.eq("designId", designId).eq("removedAt", undefined), bound))
      .order(order)
      .take(limit);

/** Convex's builder of an index range, where all but the key is said. */
type KeyRange = IndexRange & {
  eq(
    field: "orderKey",
    value: string | undefined,
  ): IndexRange & {
    gt(field: "_creationTime", value: number): IndexRange;
    lt(field: "_creationTime", value: number): IndexRange;
  };
  gt(field: "orderKey", value: string): IndexRange;
  lt(field: "orderKey", value: string): IndexRange;
};

function within(range: KeyRange, bound: Bound): IndexRange {
  if (bound === "all") return range;
  if ("above" in bound) return range.gt("orderKey", bound.above);
  if ("below" in bound) return range.lt("orderKey", bound.below);
  const same = range.eq("orderKey", bound.key);
  if (bound.newerThan !== undefined) return same.gt("_creationTime", bound.newerThan);
  if (bound.olderThan !== undefined) return same.lt("_creationTime", bound.olderThan);
  return same;
}

/** The key for something new, at the end of its list. */
export async function lastKey(list: List): Promise<string> {
  return (await lastKeys(list, 1))[0] ?? generateKeyBetween(null, null);
}

/** Keys for several, at the end of their list and in their order. */
export async function lastKeys(list: List, count: number): Promise<string[]> {
  const [last] = await list("all", "desc", 1);
  return generateNKeysBetween(last?.orderKey, null, count);
}

/** The row before this one in its list, or after it. */
export async function neighbour<Each extends Row>(list: List<Each>, row: Each, side: "before" | "after"): Promise<Each | null> {
  const before = side === "before";
  const age = row._creationTime;
  const order = before ? "desc" : "asc";
  const [twin] = await list({ key: row.orderKey, ...(before ? { olderThan: age } : { newerThan: age }) }, order, 1);
  if (twin) return twin;
  // Rows without a key are the first of all: an empty text is above them and below every key.
  if (row.orderKey === undefined) return before ? null : ((await list({ above: "" }, "asc", 1))[0] ?? null);
  const [other] = await list(before ? { below: row.orderKey } : { above: row.orderKey }, order, 1);
  return other ?? null;
}

/** Where something is to be put in its list: one place on, or back, to an end, or beside something else. */
export type Target = "up" | "down" | "first" | "last" | { before: Row } | { after: Row };

/** Puts a row elsewhere in its list. Where it stands already, nothing is written and the answer is false. */
export async function place(ctx: MutationCtx, list: List, row: Row, target: Target): Promise<boolean> {
  let gap = await gapFor(list, row, target);
  if (gap === null) return false;
  if (isBare(gap.previous) || isBare(gap.next)) {
    await giveFirstKeys(ctx, list);
    gap = await gapFor(list, await again(ctx, row), typeof target === "string" ? target : await targetAgain(ctx, target));
    if (gap === null) return false;
  }
  const { previous, next } = gap;
  const twins = previous && next && previous.orderKey === next.orderKey ? await twinsAfter(list, previous, row) : [];
  const upper = twins.length === 0 || !previous ? next : await firstAbove(list, previous, row);
  const keys = generateNKeysBetween(previous?.orderKey, upper?.orderKey, twins.length + 1);
  for (const [index, { _id }] of [row, ...twins].entries()) await ctx.db.patch(_id, { orderKey: keys[index] });
  return true;
}

/** Far within what a transaction may write; a longer list from before there were keys is told apart only by age beyond it. */
const FIRST_KEYS = 10_000;
const TWINS = 1000;

const isBare = (row: Row | null) => row !== null && row.orderKey === undefined;

async function giveFirstKeys(ctx: MutationCtx, list: List): Promise<void> {
  const bare = await list({ key: undefined }, "asc", FIRST_KEYS + 1);
  if (bare.length > FIRST_KEYS) throw conflict("This list is too long to be put in order by hand.");
  const [keyed] = await list({ above: "" }, "asc", 1);
  const keys = generateNKeysBetween(null, keyed?.orderKey, bare.length);
  for (const [index, { _id }] of bare.entries()) await ctx.db.patch(_id, { orderKey: keys[index] });
}

type Gap = { previous: Row | null; next: Row | null };

/** The rows between which the target lies; null: the row is there. */
async function gapFor(list: List, row: Row, target: Target): Promise<Gap | null> {
  if (target === "up" || target === "down") {
    const beside = await neighbour(list, row, target === "up" ? "before" : "after");
    if (beside === null) return null;
    return target === "up"
      ? { previous: await neighbour(list, beside, "before"), next: beside }
      : { previous: beside, next: await neighbour(list, beside, "after") };
  }
  if (target === "first" || target === "last") {
    const [end = null] = await list("all", target === "first" ? "asc" : "desc", 1);
    if (end === null || end._id === row._id) return null;
    return target === "first" ? { previous: null, next: end } : { previous: end, next: null };
  }
  const beside = "before" in target ? target.before : target.after;
  const beyond = await neighbour(list, beside, "before" in target ? "before" : "after");
  if (beside._id === row._id || beyond?._id === row._id) return null;
  return "before" in target ? { previous: beyond, next: beside } : { previous: beside, next: beyond };
}

/** The rows that share a key with this one and stand after it, but for the one that moves. */
async function twinsAfter(list: List, { orderKey, _creationTime }: Row, moving: Row): Promise<Row[]> {
  return (await list({ key: orderKey, newerThan: _creationTime }, "asc", TWINS)).filter(({ _id }) => _id !== moving._id);
}

async function firstAbove(list: List, { orderKey = "" }: Row, moving: Row): Promise<Row | undefined> {
  return (await list({ above: orderKey }, "asc", 2)).find(({ _id }) => _id !== moving._id);
}

async function again(ctx: MutationCtx, row: Row): Promise<Row> {
  return (await ctx.db.get(row._id)) ?? row;
}

async function targetAgain(ctx: MutationCtx, target: Exclude<Target, string>): Promise<Target> {
  return "before" in target ? { before: await again(ctx, target.before) } : { after: await again(ctx, target.after) };
}

/** A name as lists by name have it: case and accents do not count, and "Screen 2" comes before "Screen 10". */
export function sortNameOf(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/\d+/g, (digits) => {
      const number = digits.replace(/^0+(?=\d)/, "");
      return String(number.length).padStart(3, "0") + number;
    });
}

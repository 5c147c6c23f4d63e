import type { IndexRange } from "convex/server";
import { generateKeyBetween, generateNKeysBetween } from "fractional-indexing";
import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";
import { conflict } from "../errors";
import { type ReviewFilter, storedStatus } from "../review/statuses";
import { fold } from "../search/fold";

/** Fractional indexes: a move names a neighbour and writes one row, so none conflict. Rows without a key come first; age breaks ties. */

export type Row = Doc<"projects"> | Doc<"designs"> | Doc<"designImages">;

type Bound = { key: string | undefined; newerThan?: number; olderThan?: number } | { above: string } | { below: string } | "all";

export type List<Each extends Row = Row> = (bound: Bound, order: "asc" | "desc", limit: number) => Promise<Each[]>;

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

export const designsWith =
  ({ db }: QueryCtx, projectId: Id<"projects">, review: ReviewFilter): List<Doc<"designs">> =>
  (bound, order, limit) =>
    db
      .query("designs")
      .withIndex("by_review", (q) =>
        within(q.eq("projectId", projectId).eq("removedAt", undefined).eq("review.status", storedStatus(review)), bound),
      )
      .order(order)
      .take(limit);

export const imagesWith =
  ({ db }: QueryCtx, designId: Id<"designs">, review: ReviewFilter): List<Doc<"designImages">> =>
  (bound, order, limit) =>
    db
      .query("designImages")
      .withIndex("by_review", (q) =>
        within(q.eq("designId", designId).eq("removedAt", undefined).eq("review.status", storedStatus(review)), bound),
      )
      .order(order)
      .take(limit);

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

export async function lastKey(list: List): Promise<string> {
  return (await lastKeys(list, 1))[0] ?? generateKeyBetween(null, null);
}

export async function lastKeys(list: List, count: number): Promise<string[]> {
  const [last] = await list("all", "desc", 1);
  return generateNKeysBetween(last?.orderKey, null, count);
}

type Chosen = { batch: string; index: number };

/** Rows that are read to find images of the same batch with a higher index: first a few, then the maximum. */
const CHOSEN_LATER = [8, 200];

/** Returns the key that appends an image, but before images of the same batch with a higher index. */
export async function chosenKey(images: List<Doc<"designImages">>, chosen: Chosen): Promise<string> {
  for (const limit of CHOSEN_LATER) {
    const rows = await images("all", "desc", limit);
    const at = rows.findIndex(({ chosenAs }) => chosenAs?.batch !== chosen.batch || chosenAs.index < chosen.index);
    const [previous, next] = at === -1 ? [null, rows.at(-1)] : [rows[at], rows[at - 1]];
    if (at === -1 && rows.length === limit) continue;
    if (previous?.orderKey === next?.orderKey) break;
    return generateKeyBetween(previous?.orderKey, next?.orderKey);
  }
  return lastKey(images);
}

export async function neighbour<Each extends Row>(list: List<Each>, row: Each, side: "before" | "after"): Promise<Each | null> {
  const before = side === "before";
  const age = row._creationTime;
  const order = before ? "desc" : "asc";
  const [twin] = await list({ key: row.orderKey, ...(before ? { olderThan: age } : { newerThan: age }) }, order, 1);
  if (twin) return twin;
  // Rows without a key come first: "" is above them and below every key.
  if (row.orderKey === undefined) return before ? null : ((await list({ above: "" }, "asc", 1))[0] ?? null);
  const [other] = await list(before ? { below: row.orderKey } : { above: row.orderKey }, order, 1);
  return other ?? null;
}

export type Target = "up" | "down" | "first" | "last" | { before: Row } | { after: Row };

/** Returns false, without a write, if the row is already there. */
export async function reorderRow(ctx: MutationCtx, list: List, row: Row, target: Target): Promise<boolean> {
  let gap = await gapFor(list, row, target);
  if (gap === null) return false;
  if (lacksKey(gap.previous) || lacksKey(gap.next)) {
    await assignFirstKeys(ctx, list);
    gap = await gapFor(list, await reloadRow(ctx, row), typeof target === "string" ? target : await reloadTarget(ctx, target));
    if (gap === null) return false;
  }
  const { previous, next } = gap;
  const equalKeyRows = previous && next && previous.orderKey === next.orderKey ? await rowsWithEqualKey(list, previous, row) : [];
  const upper = equalKeyRows.length === 0 || !previous ? next : await firstAbove(list, previous, row);
  const keys = generateNKeysBetween(previous?.orderKey, upper?.orderKey, equalKeyRows.length + 1);
  for (const [index, { _id }] of [row, ...equalKeyRows].entries()) await ctx.db.patch(_id, { orderKey: keys[index] });
  return true;
}

const FIRST_KEYS = 10_000;
const EQUAL_KEYS_MAX = 1000;

const lacksKey = (row: Row | null) => row !== null && row.orderKey === undefined;

async function assignFirstKeys(ctx: MutationCtx, list: List): Promise<void> {
  const rowsWithoutKey = await list({ key: undefined }, "asc", FIRST_KEYS + 1);
  if (rowsWithoutKey.length > FIRST_KEYS) throw conflict("This list is too long for manual sorting.");
  const [keyed] = await list({ above: "" }, "asc", 1);
  const keys = generateNKeysBetween(null, keyed?.orderKey, rowsWithoutKey.length);
  for (const [index, { _id }] of rowsWithoutKey.entries()) await ctx.db.patch(_id, { orderKey: keys[index] });
}

type Gap = { previous: Row | null; next: Row | null };

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

async function rowsWithEqualKey(list: List, { orderKey, _creationTime }: Row, moving: Row): Promise<Row[]> {
  return (await list({ key: orderKey, newerThan: _creationTime }, "asc", EQUAL_KEYS_MAX)).filter(({ _id }) => _id !== moving._id);
}

async function firstAbove(list: List, { orderKey = "" }: Row, moving: Row): Promise<Row | undefined> {
  return (await list({ above: orderKey }, "asc", 2)).find(({ _id }) => _id !== moving._id);
}

async function reloadRow(ctx: MutationCtx, row: Row): Promise<Row> {
  return (await ctx.db.get(row._id)) ?? row;
}

async function reloadTarget(ctx: MutationCtx, target: Exclude<Target, string>): Promise<Target> {
  return "before" in target ? { before: await reloadRow(ctx, target.before) } : { after: await reloadRow(ctx, target.after) };
}

/** Ignores case and accents, and sorts "Screen 2" before "Screen 10". */
export function sortNameOf(name: string): string {
  return fold(name).replaceAll(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, "");
    return String(number.length).padStart(3, "0") + number;
  });
}

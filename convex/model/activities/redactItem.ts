import { internal } from "../../_generated/api";
import type { Doc } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";
import type { ActivityKind } from "./activityShape";

const BATCH = 20;

export const DELETED = { id: "", name: "" };

/** Kinds whose `from` and `to` are texts of the item itself. */
export const OWN_TEXTS: ReadonlySet<ActivityKind> = new Set(["renamed", "described", "captioned", "tagged"]);

type ItemKind = "project" | "design" | "image";

/** Removes names and texts of a permanently deleted item from the history. A project's own history is deleted with it. */
export async function redactItem(ctx: MutationCtx, item: ItemKind, id: string): Promise<void> {
  const { db } = ctx;
  const things =
    item === "project"
      ? []
      : await db
          .query("activities")
          .withIndex("by_thing", (q) => q.eq("thing.id", id))
          .take(BATCH);
  for (const { _id, thing, kind, count } of things) {
    const texts = OWN_TEXTS.has(kind) && count === undefined ? { from: undefined, to: undefined } : {};
    await db.patch(_id, { thing: { ...thing, ...DELETED }, ...texts });
  }
  const targets = await db
    .query("activities")
    .withIndex("by_to", (q) => q.eq("toId", id))
    .take(BATCH);
  for (const { _id } of targets) await db.patch(_id, { to: "", toId: undefined });
  const containers = item === "image" ? [] : await redactContainer(ctx, id);
  if ([things, targets, ...containers].some(({ length }) => length === BATCH))
    await ctx.scheduler.runAfter(0, internal.jobs.history.forget, { item, id });
}

async function redactContainer({ db }: MutationCtx, id: string): Promise<Doc<"activities">[][]> {
  const inside = await db
    .query("activities")
    .withIndex("by_design", (q) => q.eq("design.id", id))
    .take(BATCH);
  for (const { _id } of inside) await db.patch(_id, { design: DELETED });
  const sources = await db
    .query("activities")
    .withIndex("by_from", (q) => q.eq("fromId", id))
    .take(BATCH);
  for (const { _id } of sources) await db.patch(_id, { from: "", fromId: undefined });
  return [inside, sources];
}

export const withoutName = <Row extends { name: string }>(row: Row): Row => ({ ...row, name: "" });

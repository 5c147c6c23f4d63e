import type { Doc } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";
import type { ActivityKind } from "./activityShape";
import { DELETED, OWN_TEXTS } from "./redactItem";

const NAMING: ReadonlySet<ActivityKind> = new Set(["moved", "duplicated", "covered"]);

/** Removes names of deleted items from a history entry of an earlier build, which did not remove them. */
export async function redactDeleted(ctx: MutationCtx, entry: Doc<"activities">): Promise<void> {
  const { _id, kind, thing, design, count } = entry;
  const changes: Partial<Doc<"activities">> = {};
  if (thing.name !== "" && !(await exists(ctx, thing))) {
    changes.thing = { ...thing, ...DELETED };
    if (OWN_TEXTS.has(kind) && count === undefined) Object.assign(changes, { from: undefined, to: undefined });
  }
  if (design && design.name !== "" && !(await exists(ctx, { kind: "design", id: design.id }))) changes.design = DELETED;
  // Earlier builds stored no ids of these items, so it is unknown whether they exist.
  if (NAMING.has(kind)) {
    if (entry.from && entry.fromId === undefined) changes.from = undefined;
    // Without `to`, an entry about a cover means that it was reset.
    if (entry.to && entry.toId === undefined) changes.to = kind === "covered" ? "" : undefined;
  }
  if (Object.keys(changes).length > 0) await ctx.db.patch(_id, changes);
}

const TABLES = { project: "projects", design: "designs", image: "designImages" } as const;

async function exists({ db }: Pick<QueryCtx, "db">, { kind, id }: Pick<Doc<"activities">["thing"], "kind" | "id">): Promise<boolean> {
  const rowId = db.normalizeId(TABLES[kind], id);
  return rowId !== null && (await db.get(rowId)) !== null;
}

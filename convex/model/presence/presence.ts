import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";

/** Rows expire at this age (milliseconds), because their tab has crashed or sleeps. */
export const EXPIRES_MS = 25_000;

export const ROWS_MAX = 200;

export const presenceOf = ({ db }: Pick<QueryCtx, "db">, tab: string): Promise<Doc<"presence"> | null> =>
  db
    .query("presence")
    .withIndex("by_tab", (q) => q.eq("tab", tab))
    .unique();

export const beatOf = ({ db }: Pick<QueryCtx, "db">, presenceId: Id<"presence">): Promise<Doc<"presenceBeats"> | null> =>
  db
    .query("presenceBeats")
    .withIndex("by_presence", (q) => q.eq("presenceId", presenceId))
    .unique();

export const pointerOf = ({ db }: Pick<QueryCtx, "db">, presenceId: Id<"presence">): Promise<Doc<"presencePointers"> | null> =>
  db
    .query("presencePointers")
    .withIndex("by_presence", (q) => q.eq("presenceId", presenceId))
    .unique();

export const sweepOf = ({ db }: Pick<QueryCtx, "db">, designId: Id<"designs">): Promise<Doc<"presenceSweeps"> | null> =>
  db
    .query("presenceSweeps")
    .withIndex("by_design", (q) => q.eq("designId", designId))
    .first();

export async function removePointer(ctx: MutationCtx, presenceId: Id<"presence">): Promise<void> {
  const pointer = await pointerOf(ctx, presenceId);
  if (pointer) await ctx.db.delete(pointer._id);
}

export async function removePresence(ctx: MutationCtx, presenceId: Id<"presence">): Promise<void> {
  const beat = await beatOf(ctx, presenceId);
  await removePointer(ctx, presenceId);
  if (beat) await ctx.db.delete(beat._id);
  if (await ctx.db.get(presenceId)) await ctx.db.delete(presenceId);
}

export async function deletePresence(ctx: MutationCtx, userId: string, projectId?: Id<"projects">): Promise<void> {
  const rows = await ctx.db
    .query("presence")
    .withIndex("by_user", (q) => q.eq("userId", userId))
    .take(ROWS_MAX);
  for (const { _id, designId } of rows) {
    const isEnded = projectId === undefined || (await ctx.db.get(designId))?.projectId === projectId;
    if (isEnded) await removePresence(ctx, _id);
  }
}

export async function clearDesign(ctx: MutationCtx, designId: Id<"designs">): Promise<void> {
  const rows = await ctx.db
    .query("presence")
    .withIndex("by_design", (q) => q.eq("designId", designId))
    .take(ROWS_MAX);
  for (const { _id } of rows) await removePresence(ctx, _id);
}

export async function clearImage(ctx: MutationCtx, imageId: Id<"designImages">): Promise<void> {
  const rows = await ctx.db
    .query("presence")
    .withIndex("by_image", (q) => q.eq("imageId", imageId))
    .take(ROWS_MAX);
  for (const { _id } of rows) {
    await ctx.db.patch(_id, { imageId: undefined });
    await removePointer(ctx, _id);
  }
}

import type { Doc } from "./_generated/dataModel";
import type { MutationCtx } from "./_generated/server";
import type { ActivityKind } from "./activityShape";

/** What somebody does again within this time, to the same kind of thing in the same place, is one entry (milliseconds). */
export const ONE_GO = 10 * 60 * 1000;

type Told = {
  kind: ActivityKind;
  project: Pick<Doc<"projects">, "_id" | "ownerId" | "name">;
  /** Where it is no other than the project. */
  design?: Pick<Doc<"designs">, "_id" | "name"> | undefined;
  image?: Pick<Doc<"designImages">, "_id" | "name"> | undefined;
  from?: string;
  to?: string;
  count?: number;
};

/**
 * Notes in a project's history who did what, in the mutation that does it. What is done to many things in one go (forty pictures uploaded one
 * after the other) is one entry with a count, which moves up; so a history reads as what people did, and costs one row read.
 *
 * @example await recordActivity(ctx, { kind: "renamed", project, design, from: design.name, to: name });
 */
export async function recordActivity(
  ctx: MutationCtx & { user: Pick<Doc<"users">, "id"> },
  { kind, project, design, image, from, to, count = 1 }: Told,
): Promise<void> {
  const thing = image
    ? { kind: "image" as const, id: image._id, name: image.name }
    : design
      ? { kind: "design" as const, id: design._id, name: design.name }
      : { kind: "project" as const, id: project._id, name: project.name };
  const at = Date.now();
  const entry = {
    projectId: project._id,
    ownerId: project.ownerId,
    actorId: ctx.user.id,
    at,
    kind,
    thing,
    ...(image && design && { design: { id: design._id, name: design.name } }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(count !== 1 && { count }),
  };
  const last = await ctx.db
    .query("activities")
    .withIndex("by_project", (q) => q.eq("projectId", project._id))
    .order("desc")
    .first();
  if (last && at - last.at < ONE_GO && goesOn(last, entry)) await ctx.db.patch(last._id, { at, thing, count: (last.count ?? 1) + count });
  else await ctx.db.insert("activities", entry);
}

type Entry = Omit<Doc<"activities">, "_id" | "_creationTime">;

/** Kinds that are done to many things one after the other. A change of a text is told for itself, with what it was before. */
const REPEATED: ReadonlySet<ActivityKind> = new Set([
  "uploaded",
  "duplicated",
  "moved",
  "reordered",
  "tagged",
  "trashed",
  "restored",
  "purged",
]);

function goesOn(last: Entry, next: Entry): boolean {
  return (
    REPEATED.has(next.kind) &&
    last.kind === next.kind &&
    last.actorId === next.actorId &&
    last.thing.kind === next.thing.kind &&
    last.design?.id === next.design?.id &&
    last.from === next.from &&
    last.to === next.to
  );
}

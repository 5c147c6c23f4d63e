import type { Doc } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";
import type { ActivityKind } from "./activityShape";

export const MERGE_WINDOW_MS = 10 * 60 * 1000;

type ActivityEntry = {
  kind: ActivityKind;
  project: Pick<Doc<"projects">, "_id" | "ownerId" | "name">;
  design?: Pick<Doc<"designs">, "_id" | "name"> | undefined;
  image?: Pick<Doc<"designImages">, "_id" | "name"> | undefined;
  from?: string;
  to?: string;
  fromId?: string;
  toId?: string;
  count?: number;
};

/** Records a history entry in the calling mutation. Repeated actions update one entry's count, which costs one row read. */
export async function recordActivity(
  ctx: MutationCtx & { user: Pick<Doc<"users">, "id"> },
  { kind, project, design, image, from, to, fromId, toId, count = 1 }: ActivityEntry,
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
    ...(fromId !== undefined && { fromId }),
    ...(toId !== undefined && { toId }),
    ...(count !== 1 && { count }),
  };
  const last = await ctx.db
    .query("activities")
    .withIndex("by_project", (q) => q.eq("projectId", project._id))
    .order("desc")
    .first();
  if (last && at - last.at < MERGE_WINDOW_MS && continues(last, entry))
    await ctx.db.patch(last._id, { at, thing, count: (last.count ?? 1) + count });
  else await ctx.db.insert("activities", entry);
}

type Entry = Omit<Doc<"activities">, "_id" | "_creationTime">;

const MERGED_KINDS: ReadonlySet<ActivityKind> = new Set([
  "uploaded",
  "duplicated",
  "moved",
  "reordered",
  "tagged",
  "trashed",
  "restored",
  "purged",
  "commented",
]);

function continues(last: Entry, next: Entry): boolean {
  return (
    MERGED_KINDS.has(next.kind) &&
    last.kind === next.kind &&
    last.actorId === next.actorId &&
    (next.kind === "commented" ? last.thing.id === next.thing.id : last.thing.kind === next.thing.kind) &&
    last.design?.id === next.design?.id &&
    last.from === next.from &&
    last.to === next.to
  );
}

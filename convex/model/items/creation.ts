import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";
import { changeUsage, startUsage } from "../limits/usage";
import { recordActivity } from "../activities/recordActivity";
import { nameFields } from "./itemMutations";
import { designsOf, lastKey, projectsOf } from "../lists/order";
import { designsChanged } from "./summaries";

type Ctx = MutationCtx & { user: Doc<"users"> };

export async function insertProject(ctx: Ctx, name: string): Promise<Id<"projects">> {
  const ownerId = ctx.user.id;
  await startUsage(ctx, ownerId);
  const id = await ctx.db.insert("projects", {
    ownerId,
    ...nameFields(name),
    orderKey: await lastKey(projectsOf(ctx, ownerId)),
    updatedAt: Date.now(),
    designCount: 0,
    imageCount: 0,
    cover: [],
  });
  await changeUsage(ctx, ownerId, { projects: 1 });
  await recordActivity(ctx, { kind: "created", project: { _id: id, ownerId, name } });
  return id;
}

export async function insertDesign(ctx: Ctx, project: Doc<"projects">, name: string): Promise<Id<"designs">> {
  const id = await ctx.db.insert("designs", {
    ownerId: project.ownerId,
    projectId: project._id,
    ...nameFields(name),
    orderKey: await lastKey(designsOf(ctx, project._id)),
    updatedAt: Date.now(),
    imageCount: 0,
    cover: [],
    latestImageAt: 0,
  });
  await designsChanged(ctx, project, { designs: 1 });
  await recordActivity(ctx, { kind: "created", project, design: { _id: id, name } });
  return id;
}

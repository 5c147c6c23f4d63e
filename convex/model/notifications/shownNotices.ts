import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel";
import { type CallerCtx, ifVisible, projectFor } from "../access";
import { isPending } from "../accounts/invitations";
import { isProjectNotice, notice } from "../accounts/noticeTables";
import type { NamesOf } from "../comments/people";
import { commentedFor } from "../comments/commentedItem";
import { memberRole } from "../memberRole";

const row = { _id: v.id("notices"), at: v.number(), read: v.boolean() };

export const about = v.object({
  actor: v.string(),
  item: v.string(),
  designId: v.id("designs"),
  imageId: v.optional(v.id("designImages")),
  dueOn: v.optional(v.string()),
  note: v.optional(v.string()),
  project: v.optional(v.string()),
  projectId: v.optional(v.id("projects")),
});

const access = v.object({
  actor: v.string(),
  project: v.string(),
  projectId: v.id("projects"),
  role: v.optional(memberRole),
});

/** `about` and `access` are absent if the person can no longer see the item or project, or if the invitation has ended. */
export const shownNotice = v.object({
  ...row,
  notice,
  about: v.optional(about),
  access: v.optional(access),
  more: v.optional(v.number()),
});
export type ShownNotice = Infer<typeof shownNotice>;

export const toShownNotice = ({ _id, notice: each, at, read, more }: Doc<"notices">): ShownNotice => ({
  _id,
  notice: each,
  at,
  read,
  ...(more !== undefined && { more }),
});

export async function withNames(ctx: CallerCtx, shown: ShownNotice, namesOf: NamesOf): Promise<ShownNotice> {
  const { notice: of } = shown;
  if (!isProjectNotice(of)) return shown;
  if (of.kind === "invitation" || of.kind === "accessChanged") {
    const found = await accessOf(ctx, of);
    if (!found) return shown;
    const actor = (await namesOf([of.actorId])).get(of.actorId) ?? "";
    return { ...shown, access: { actor, ...found } };
  }
  const found = await ifVisible(commentedFor(ctx, of.itemId, "view"));
  if (!found?.design) return shown;
  const { item, design, image, project } = found;
  const guest = "guest" in of ? of.guest : undefined;
  const actor = guest ?? (await namesOf([of.actorId])).get(of.actorId) ?? "";
  const request = of.kind === "reviewRequested" ? await ctx.db.get(of.requestId) : null;
  const { dueOn, note } = request ?? {};
  const optional = { ...(image && { imageId: image._id }), ...(dueOn !== undefined && { dueOn }), ...(note !== undefined && { note }) };
  const place = { designId: design._id, project: project.name, projectId: project._id };
  return { ...shown, about: { actor, item: item.name, ...place, ...optional } };
}

type AccessNotice = Extract<ShownNotice["notice"], { kind: "invitation" | "accessChanged" }>;

async function accessOf(ctx: CallerCtx, of: AccessNotice): Promise<Omit<Infer<typeof access>, "actor"> | null> {
  if (of.kind === "invitation") return invitationOf(ctx, of);
  const { projectId, role, name } = of;
  if (of.change === "removed") return name === undefined ? null : { project: name, projectId };
  const project = await ifVisible(projectFor(ctx, projectId, "view"));
  return project && { project: project.name, projectId, ...(role !== undefined && { role }) };
}

async function invitationOf({ db, user }: CallerCtx, { invitationId }: Extract<AccessNotice, { kind: "invitation" }>) {
  const invitation = await db.get(invitationId);
  if (!invitation?.projectId || !isPending(invitation) || invitation.email !== user.email) return null;
  const project = await db.get(invitation.projectId);
  if (!project || project.removedAt !== undefined || project.ownerId !== invitation.invitedBy) return null;
  return { project: project.name, projectId: project._id, role: invitation.role ?? ("viewer" as const) };
}

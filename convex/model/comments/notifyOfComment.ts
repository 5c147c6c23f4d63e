import { internal } from "../../_generated/api";
import type { Doc, Id } from "../../_generated/dataModel";
import type { AuthorCtx, ItemPath } from "../access";
import { memberOf } from "../members";
import { notifyPerson } from "../notifications/notify";

type Thread = Doc<"commentThreads">;

const PARTICIPANTS_READ = 20;

export type Cause = { commentId: Id<"comments">; at: number };
type Recipients = { kind: "mention"; people: string[] } | { kind: "reply"; except: string[] };

export async function notifyOfComment(
  ctx: AuthorCtx,
  { project }: ItemPath,
  thread: Thread,
  cause: Cause,
  recipients: Recipients,
): Promise<void> {
  const { author } = ctx;
  const people = recipients.kind === "mention" ? recipients.people : await participantsOf(ctx, thread, recipients.except);
  // Nobody invited the visitors of a link, so the owner is notified of all that they write.
  const notified = author.linkId ? new Set([project.ownerId, ...people]) : people;
  const { _id: threadId, itemId } = thread;
  const link = author.linkId && { linkId: author.linkId };
  const guest = author.guestName !== undefined && recipients.kind === "reply" && { guest: author.guestName };
  for (const userId of notified) {
    if (userId === author.id) continue;
    if (userId !== project.ownerId && !(await memberOf(ctx, project._id, userId))) continue;
    const notice = { kind: recipients.kind, actorId: author.id, itemId, threadId, ...guest };
    await notifyPerson(ctx, userId, project._id, notice, { itemId, threadId, ...cause, ...link });
  }
}

export async function notifyOfThread(ctx: AuthorCtx, { project }: ItemPath, threadId: Id<"commentThreads">): Promise<void> {
  const isShared =
    project.ownerId !== ctx.author.id ||
    (await ctx.db
      .query("projectMembers")
      .withIndex("by_project", (q) => q.eq("projectId", project._id))
      .first()) !== null;
  if (isShared) await ctx.scheduler.runAfter(0, internal.jobs.notifications.tellOfThread, { threadId, cursor: null });
}

async function participantsOf({ db }: AuthorCtx, thread: Thread, except: string[]): Promise<string[]> {
  const last = await db
    .query("comments")
    .withIndex("by_thread", (q) => q.eq("threadId", thread._id).eq("isReply", true))
    .order("desc")
    .take(PARTICIPANTS_READ);
  const people = new Set([thread.authorId, ...last.map(({ authorId }) => authorId)]);
  return [...people].filter((userId) => !except.includes(userId));
}

import type { Doc } from "../../_generated/dataModel";
import type { ItemPath, UserMutationCtx } from "../access";
import { memberOf } from "../members";

type Thread = Doc<"commentThreads">;

/** The last comments of a thread whose authors are notified of a reply. */
const PARTICIPANTS_READ = 20;

type Recipients = { kind: "mention"; people: string[] } | { kind: "reply"; except: string[] };

/** Adds notices in the app, for others with access. A thread has at most one unread notice of a kind per person. */
export async function notifyOfComment(ctx: UserMutationCtx, { project }: ItemPath, thread: Thread, recipients: Recipients): Promise<void> {
  const people = recipients.kind === "mention" ? recipients.people : await participantsOf(ctx, thread, recipients.except);
  for (const userId of people) {
    if (userId === ctx.user.id) continue;
    if (userId !== project.ownerId && !(await memberOf(ctx, project._id, userId))) continue;
    await notifyPerson(ctx, thread, userId, recipients.kind);
  }
}

async function participantsOf({ db }: UserMutationCtx, thread: Thread, except: string[]): Promise<string[]> {
  const last = await db
    .query("comments")
    .withIndex("by_thread", (q) => q.eq("threadId", thread._id).eq("isReply", true))
    .order("desc")
    .take(PARTICIPANTS_READ);
  const people = new Set([thread.authorId, ...last.map(({ authorId }) => authorId)]);
  return [...people].filter((userId) => !except.includes(userId));
}

async function notifyPerson({ db, user }: UserMutationCtx, thread: Thread, userId: string, kind: Recipients["kind"]): Promise<void> {
  const notice = { kind, actorId: user.id, itemId: thread.itemId, threadId: thread._id };
  const unread = await db
    .query("notices")
    .withIndex("by_thread", (q) => q.eq("threadId", thread._id).eq("userId", userId).eq("read", false))
    .collect();
  const existing = unread.find((row) => row.notice.kind === kind);
  const at = Date.now();
  if (existing) await db.patch(existing._id, { notice, at });
  else await db.insert("notices", { userId, notice, at, read: false, itemId: thread.itemId, threadId: thread._id });
}

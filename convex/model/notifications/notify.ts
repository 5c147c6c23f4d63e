import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";
import type { ProjectNotice } from "../accounts/noticeTables";
import type { Delivery } from "./kinds";
import { queueNotification } from "./queueMails";
import { deliveryOf, muteOf, settingsOf } from "./settings";

type Subject = Partial<Pick<Doc<"notices">, "itemId" | "threadId" | "commentId" | "projectId" | "linkId">>;

/** Adds a notice about a project and queues its email. With `isRead` or in a muted project, the notice is read and not emailed. */
export async function notifyPerson(
  ctx: MutationCtx,
  userId: string,
  projectId: Id<"projects">,
  notice: ProjectNotice,
  { at = Date.now(), isRead = false, ...subject }: Subject & { at?: number; isRead?: boolean } = {},
): Promise<Delivery> {
  const read = isRead || (await muteOf(ctx, projectId, userId)) !== null;
  const existing = read ? undefined : await unreadOfThread(ctx, userId, notice, subject);
  const replaced = existing ? undefined : await lastOfLink(ctx, userId, subject.linkId, { read, at });
  const first = subject.threadId === undefined ? {} : { since: at };
  const fields = { notice, at, ...subject };
  if (existing) await ctx.db.patch(existing._id, fields);
  if (replaced) await ctx.db.patch(replaced._id, { ...fields, ...first, more: (replaced.more ?? 0) + 1 });
  const noticeId = (existing ?? replaced)?._id ?? (await ctx.db.insert("notices", { userId, read, ...fields, ...first }));
  if (read) return "never";
  const delivery = deliveryOf(await settingsOf(ctx, userId), notice.kind);
  const isSentApart = notice.kind === "invitation" && delivery === "now";
  const { threadId, linkId } = subject;
  const isFlood = delivery === "now" && threadId === undefined && (await hasManyBy(ctx, userId, notice.actorId, at));
  if (!isSentApart && !isFlood)
    await queueNotification(ctx, { userId, delivery, noticeId, threadId, at, ...(replaced && linkId && { linkId }) });
  return delivery;
}

/** Maximum emails per hour that one person's actions send another person at once. Threads have their own limit. */
const MAILED_BY_PERSON = 10;
const RECENT_READ = 100;

async function hasManyBy({ db }: MutationCtx, userId: string, actorId: string, at: number): Promise<boolean> {
  const recent = await db
    .query("notices")
    .withIndex("by_user", (q) => q.eq("userId", userId).gt("at", at - HOUR))
    .order("desc")
    .take(RECENT_READ);
  const own = recent.filter(({ notice, threadId }) => threadId === undefined && "actorId" in notice && notice.actorId === actorId);
  return own.length > MAILED_BY_PERSON;
}

/** Maximum unread notices of a person about comments through one public link, because its visitors are strangers. */
const OF_LINK = 5;
const HOUR = 60 * 60 * 1000;

/** Returns the notice that the link's next notice replaces. A read notice, as in a muted project, can be replaced for an hour. */
async function lastOfLink(
  { db }: MutationCtx,
  userId: string,
  linkId: Id<"links"> | undefined,
  { read, at }: { read: boolean; at: number },
): Promise<Doc<"notices"> | undefined> {
  if (linkId === undefined) return undefined;
  const rows = await db
    .query("notices")
    .withIndex("by_link", (q) => q.eq("linkId", linkId).eq("userId", userId).eq("read", read))
    .order("desc")
    .take(OF_LINK);
  const counted = read ? rows.filter((row) => row.at > at - HOUR) : rows;
  return counted.length < OF_LINK ? undefined : counted.toSorted((one, other) => other.at - one.at)[0];
}

async function unreadOfThread(
  { db }: MutationCtx,
  userId: string,
  { kind }: ProjectNotice,
  { threadId }: Subject,
): Promise<Doc<"notices"> | undefined> {
  if (threadId === undefined) return undefined;
  const unread = await db
    .query("notices")
    .withIndex("by_thread", (q) => q.eq("threadId", threadId).eq("userId", userId).eq("read", false))
    .collect();
  return unread.find((row) => row.notice.kind === kind);
}

const noticesIn = ({ db }: MutationCtx, projectId: Id<"projects">, userId: string, limit = OF_PERSON) =>
  db
    .query("notices")
    .withIndex("by_project", (q) => q.eq("projectId", projectId).eq("userId", userId))
    .order("desc")
    .take(limit);

const OF_PERSON = 100;

export async function endOfferNotice(ctx: MutationCtx, { projectId, toId }: Pick<Doc<"transfers">, "projectId" | "toId">): Promise<void> {
  for (const { _id, notice } of await noticesIn(ctx, projectId, toId))
    if (notice.kind === "accessChanged" && notice.change === "transferOffered") await ctx.db.delete(_id);
}

export async function markInvitationsRead(ctx: MutationCtx, projectId: Id<"projects">, userId: string): Promise<void> {
  for (const { _id, notice, read } of await noticesIn(ctx, projectId, userId))
    if (notice.kind === "invitation" && !read) await ctx.db.patch(_id, { read: true });
}

const UNREAD_MAX = 50;

/** Notifies a member that projects were deleted with their owner's account, without names, and once per owner. */
export async function notifyOfDeletedOwner(ctx: MutationCtx, project: Doc<"projects">, userId: string): Promise<void> {
  const { _id: projectId, ownerId: actorId } = project;
  const unread = await ctx.db
    .query("notices")
    .withIndex("by_read", (q) => q.eq("userId", userId).eq("read", false))
    .order("desc")
    .take(UNREAD_MAX);
  const isTold = unread.some(({ notice }) => notice.kind === "accessChanged" && notice.name === "" && notice.actorId === actorId);
  if (!isTold) await notifyPerson(ctx, userId, projectId, { kind: "accessChanged", actorId, projectId, change: "removed", name: "" });
}

export async function deleteAccessNotices({ db }: MutationCtx, projectId: Id<"projects">, limit: number): Promise<number> {
  const rows = await db
    .query("notices")
    .withIndex("by_project", (q) => q.eq("projectId", projectId))
    .take(limit);
  for (const { _id } of rows) await db.delete(_id);
  return rows.length;
}

import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionArgs, FunctionReturnType } from "convex/server";
import { markOptimistic, pendingId } from "~/lib/data/pending";
import { api } from "#convex/_generated/api";

export type Thread = FunctionReturnType<typeof api.comments.listThreads>["page"][number];
export type Comment = Thread["first"];
export type Pin = FunctionReturnType<typeof api.comments.listPins>[number];
export type ThreadFilter = FunctionArgs<typeof api.comments.listThreads>["filter"];

type Author = { userId: string; name: string };
type Store = OptimisticLocalStore;
type Args<Name extends "startThread" | "reply" | "edit" | "remove" | "setResolved" | "react"> = FunctionArgs<(typeof api.comments)[Name]>;

const WITH_NEW_THREAD: readonly ThreadFilter[] = ["open", "mine", "all"];

export const addThread =
  (me: Author, versionNumber?: number, images?: Images) =>
  (store: Store, args: Args<"startThread">): void => {
    const { itemId, anchor, text, key, versionId } = args;
    const at = Date.now();
    const threadId = pendingId<"commentThreads">(args);
    const version = {
      ...(versionId !== undefined && { versionId: versionId as NonNullable<Thread["versionId"]> }),
      ...(versionNumber !== undefined && { versionNumber }),
    };
    const thread: Thread = {
      _id: threadId,
      itemId: itemId as Thread["itemId"],
      ...(anchor && { anchor }),
      ...version,
      createdAt: at,
      lastAt: at,
      replyCount: 0,
      isResolved: false,
      isUnread: false,
      first: newComment(me, { threadId, text, key, at, images }, args),
    };
    for (const { args: listed, value } of store.getAllQueries(api.comments.listThreads)) {
      if (!value || listed.itemId !== itemId || listed.paginationOpts.cursor !== null || !WITH_NEW_THREAD.includes(listed.filter)) continue;
      if (value.page.some(({ first }) => first.key === key)) continue;
      store.setQuery(api.comments.listThreads, listed, { ...value, page: markOptimistic(value.page, [thread, ...value.page]) });
    }
    const pins = store.getQuery(api.comments.listPins, { itemId });
    if (pins && anchor) {
      const pin: Pin = { threadId, anchor, ...version, isResolved: false, isUnread: false };
      store.setQuery(api.comments.listPins, { itemId }, [pin, ...pins]);
    }
  };

export const addReply =
  (me: Author, images?: Images) =>
  (store: Store, args: Args<"reply">): void => {
    const { threadId, text, key } = args;
    const at = Date.now();
    const reply = newComment(me, { threadId: threadId as Comment["threadId"], text, key, at, images }, args);
    for (const { args: listed, value } of store.getAllQueries(api.comments.listReplies)) {
      if (!value?.isDone || listed.threadId !== threadId || value.page.some((each) => each.key === key)) continue;
      store.setQuery(api.comments.listReplies, listed, { ...value, page: markOptimistic(value.page, [...value.page, reply]) });
    }
    changeThreads(store, (thread) =>
      thread._id === threadId ? { ...withReply(thread, reply), replyCount: thread.replyCount + 1, lastAt: at } : thread,
    );
  };

const withReply = (thread: Thread, reply: Comment): Thread =>
  thread.replies?.length === thread.replyCount && !thread.replies.some(({ key }) => key === reply.key)
    ? { ...thread, replies: [...thread.replies, reply] }
    : thread;

export const editCommentWith =
  (images?: Images) =>
  (store: Store, { commentId, text }: Args<"edit">): void => {
    const edited = { text: text.trim(), ...(images && { images: [...images] }), editedAt: Date.now() };
    changeComments(store, (comment) => (comment._id === commentId ? { ...comment, ...edited } : comment));
  };

export const editComment = editCommentWith();

export function removeComment(store: Store, { commentId }: Args<"remove">): void {
  const isGone = (thread: Thread) => thread.first._id === commentId && thread.replyCount === 0;
  const gone = new Set(threadsIn(store).flatMap((thread) => (isGone(thread) ? [thread._id] : [])));
  for (const { args, value } of store.getAllQueries(api.comments.listThreads))
    if (value?.page.some(isGone))
      store.setQuery(api.comments.listThreads, args, { ...value, page: value.page.filter((thread) => !isGone(thread)) });
  for (const { args, value } of store.getAllQueries(api.comments.listPins))
    if (value?.some(({ threadId }) => gone.has(threadId)))
      store.setQuery(
        api.comments.listPins,
        args,
        value.filter(({ threadId }) => !gone.has(threadId)),
      );
  for (const { args, value } of store.getAllQueries(api.comments.listReplies)) {
    if (!value?.page.some(({ _id }) => _id === commentId)) continue;
    store.setQuery(api.comments.listReplies, args, { ...value, page: value.page.filter(({ _id }) => _id !== commentId) });
    changeThreads(store, (thread) => (thread._id === args.threadId ? { ...thread, replyCount: thread.replyCount - 1 } : thread));
  }
  changeThreads(store, (thread) => {
    const replies = thread.replies?.filter(({ _id }) => _id !== commentId);
    return replies && replies.length !== thread.replies?.length ? { ...thread, replies, replyCount: thread.replyCount - 1 } : thread;
  });
  changeComments(store, (comment) =>
    comment._id === commentId ? { ...comment, text: "", images: [], isDeleted: true, reactions: [] } : comment,
  );
}

export function setResolved(store: Store, { threadId, isResolved }: Args<"setResolved">): void {
  const leaves: ThreadFilter = isResolved ? "open" : "resolved";
  changeThreads(store, (thread, filter) => {
    if (thread._id !== threadId) return thread;
    return filter === leaves ? null : { ...thread, isResolved };
  });
  for (const { args, value } of store.getAllQueries(api.comments.listPins))
    if (value?.some((pin) => pin.threadId === threadId))
      store.setQuery(
        api.comments.listPins,
        args,
        value.map((pin) => (pin.threadId === threadId ? { ...pin, isResolved } : pin)),
      );
}

export function react(store: Store, { commentId, emoji, isOn }: Args<"react">): void {
  changeComments(store, (comment) =>
    comment._id === commentId ? { ...comment, reactions: withReaction(comment.reactions, emoji, isOn) } : comment,
  );
}

function withReaction(reactions: Comment["reactions"], emoji: string, isOn: boolean): Comment["reactions"] {
  const own = reactions.find((each) => each.emoji === emoji);
  if (own?.isMine === isOn || (!own && !isOn)) return reactions;
  if (!own) return [...reactions, { emoji, count: 1, isMine: true }];
  const count = own.count + (isOn ? 1 : -1);
  return reactions.flatMap((each) => (each.emoji === emoji ? (count > 0 ? [{ emoji, count, isMine: isOn }] : []) : [each]));
}

type Images = readonly NonNullable<Comment["images"]>[number][];
type NewComment = { threadId: Comment["threadId"]; text: string; key: string; at: number; images?: Images | undefined };

function newComment(me: Author, { threadId, text, key, at, images = [] }: NewComment, args: object): Comment {
  return {
    _id: pendingId<"comments">(args),
    threadId,
    key,
    text: text.trim(),
    author: { ...me, isMe: true },
    createdAt: at,
    isDeleted: false,
    ...(images.length > 0 && { images: [...images] }),
    mentions: [],
    reactions: [],
  };
}

const threadsIn = (store: Store): Thread[] => [
  ...store.getAllQueries(api.comments.listThreads).flatMap(({ value }) => value?.page ?? []),
  ...store.getAllQueries(api.comments.getThread).flatMap(({ value }) => (value ? [value] : [])),
];

function changeThreads(store: Store, change: (thread: Thread, filter: ThreadFilter) => Thread | null): void {
  for (const { args, value } of store.getAllQueries(api.comments.listThreads)) {
    if (!value) continue;
    const page = value.page.map((thread) => change(thread, args.filter));
    if (page.every((thread, index) => thread === value.page[index])) continue;
    const rest = page.filter((thread) => thread !== null);
    store.setQuery(api.comments.listThreads, args, { ...value, page: markOptimistic(value.page, rest) });
  }
  for (const { args, value } of store.getAllQueries(api.comments.getThread)) {
    const changed = value && change(value, "all");
    if (changed && changed !== value) store.setQuery(api.comments.getThread, args, changed);
  }
}

function changeComments(store: Store, change: (comment: Comment) => Comment): void {
  changeThreads(store, (thread) => {
    const first = change(thread.first);
    const replies = thread.replies?.map(change);
    const isSame = first === thread.first && (replies?.every((reply, index) => reply === thread.replies?.[index]) ?? true);
    return isSame ? thread : { ...thread, first, ...(replies && { replies }) };
  });
  for (const { args, value } of store.getAllQueries(api.comments.listReplies)) {
    const page = value?.page.map(change);
    if (value && page?.some((comment, index) => comment !== value.page[index]))
      store.setQuery(api.comments.listReplies, args, { ...value, page: markOptimistic(value.page, page) });
  }
}

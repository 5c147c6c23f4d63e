import type { OptimisticLocalStore } from "convex/browser";
import { type FunctionReference, getFunctionName } from "convex/server";
import { expect, it } from "vitest";
import type { Intent, RunMutation } from "~/lib/forms/intents";
import { api } from "#convex/_generated/api";
import { commentIntents, keyFor } from "./comment-intents";

const comment = (_id: string, text: string) => ({ _id, key: _id, text, threadId: "t1", isDeleted: false, reactions: [], author: {} });
const LISTED = { itemId: "i1", filter: "open", withReplies: true, paginationOpts: { cursor: null, numItems: 20 } };

function openList() {
  const thread = {
    _id: "t1",
    itemId: "i1",
    replyCount: 1,
    isResolved: false,
    first: comment("c1", "First"),
    replies: [comment("c2", "Reply")],
  };
  const list = {
    name: getFunctionName(api.comments.listThreads),
    args: LISTED,
    value: { page: [thread], isDone: true, continueCursor: "" },
  };
  const me = { name: getFunctionName(api.accounts.mine.getMe), args: {}, value: { id: "u1", name: "Ada" } };
  const queries: { name: string; args: unknown; value: unknown }[] = [list, me];
  const at = (query: FunctionReference<"query">) => queries.filter(({ name }) => name === getFunctionName(query));
  const store: Record<keyof OptimisticLocalStore, (...args: never[]) => unknown> = {
    getQuery: (query: FunctionReference<"query">) => at(query)[0]?.value,
    getAllQueries: at,
    setQuery: (query: FunctionReference<"query">, _: unknown, value: unknown) => Object.assign(at(query)[0] ?? {}, { value }),
  };
  const run: RunMutation = (_, args, optimistic) => {
    optimistic?.(store as unknown as OptimisticLocalStore, args);
    return Promise.resolve("1");
  };
  return {
    send: (intent: Intent, values: Record<string, string | string[]>) => intent.run(run, values),
    page: () => list.value.page,
    texts: () => list.value.page.map(({ first, replies }) => [first, ...(replies ?? [])].map(({ text }) => text)),
  };
}

it("shows a new thread first and a new reply last", async () => {
  const at = openList();
  await at.send(commentIntents.startThread, { itemId: "i1", text: " New ", key: "k1", imageIds: [] });
  await at.send(commentIntents.replyToThread, { threadId: "t1", text: "Second", key: "k2", imageIds: [] });
  expect(at.texts()).toEqual([["New"], ["First", "Reply", "Second"]]);
  expect(at.page()[0]?.first.author).toEqual({ userId: "u1", name: "Ada", isMe: true });
  expect(at.page()[1]).toMatchObject({ replyCount: 2 });
});

it("shows edits, reactions and deletions of first comments and replies", async () => {
  const at = openList();
  await at.send(commentIntents.editComment, { commentId: "c2", text: "Changed" });
  await at.send(commentIntents.reactToComment, { commentId: "c2", emoji: "👍", isOn: "true" });
  expect(at.page()[0]?.replies[0]).toMatchObject({ text: "Changed", reactions: [{ emoji: "👍", count: 1, isMine: true }] });
  await at.send(commentIntents.removeComment, { commentId: "c1" });
  expect(at.page()[0]?.first).toMatchObject({ text: "", isDeleted: true });
  await at.send(commentIntents.removeComment, { commentId: "c2" });
  expect(at.page()[0]).toMatchObject({ replies: [], replyCount: 0 });
});

it("removes a resolved thread from the open ones", async () => {
  const at = openList();
  await at.send(commentIntents.setThreadResolved, { threadId: "t1", isResolved: "true" });
  expect(at.page()).toEqual([]);
});

it("creates a different key for each text, within the maximum length", () => {
  expect(keyFor("k", "text")).toBe(keyFor("k", "text"));
  expect(keyFor("k", "text")).not.toBe(keyFor("k", "other"));
  const idLength = 32;
  expect(keyFor("k".repeat(16 + idLength + 1), "x".repeat(5000)).length).toBeLessThanOrEqual(64);
});

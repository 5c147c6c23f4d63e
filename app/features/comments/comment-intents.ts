import type { OptimisticLocalStore } from "convex/browser";
import { intent } from "~/lib/forms/intents";
import { api } from "#convex/_generated/api";
import { addReply, addThread, editComment, react, removeComment, setResolved } from "./optimistic";

/** Adds a hash of the text: after "Back", pages without JavaScript send the key of the previous comment again. */
export function keyFor(key: string, text: string): string {
  let hash = 0;
  for (const each of text) hash = (Math.imul(hash, 31) + (each.codePointAt(0) ?? 0)) >>> 0;
  return `${key}-${hash.toString(36)}`;
}

const withImages = (imageIds: string[]) => (imageIds.length > 0 ? { imageIds } : {});

function currentUserIn(store: OptimisticLocalStore): { userId: string; name: string } | null {
  const me = store.getQuery(api.accounts.mine.getMe, {});
  return me ? { userId: me.id, name: me.name } : null;
}

export const commentIntents = {
  startThread: intent({
    mutation: api.comments.startThread,
    fields: ["itemId", "text", "key"],
    lists: ["imageIds"],
    args: ({ itemId, text, key, imageIds }) => ({ itemId, text, key: keyFor(key, text), ...withImages(imageIds) }),
    optimistic(store, args) {
      const me = currentUserIn(store);
      if (me && args.text.trim() !== "") addThread(me)(store, args);
    },
    message: { text: "Comment sent", quietly: true },
  }),

  replyToThread: intent({
    mutation: api.comments.reply,
    fields: ["threadId", "text", "key"],
    lists: ["imageIds"],
    args: ({ threadId, text, key, imageIds }) => ({ threadId, text, key: keyFor(key, text), ...withImages(imageIds) }),
    optimistic(store, args) {
      const me = currentUserIn(store);
      if (me && args.text.trim() !== "") addReply(me)(store, args);
    },
    message: { text: "Reply sent", quietly: true },
  }),

  editComment: intent({
    mutation: api.comments.edit,
    fields: ["commentId", "text"],
    optional: ["from"],
    args: ({ commentId, text, from }) => ({ commentId, text, ...(from !== undefined && { from }) }),
    optimistic: (store, args) => (args.text.trim() === "" ? undefined : editComment(store, args)),
    message: { text: "Comment saved", quietly: true },
  }),

  removeComment: intent({
    mutation: api.comments.remove,
    fields: ["commentId"],
    args: ({ commentId }) => ({ commentId }),
    optimistic: removeComment,
    message: { text: "Comment deleted" },
  }),

  removeLinkComments: intent({
    mutation: api.comments.removeOfLink,
    fields: ["projectId", "linkId"],
    optional: ["authorId"],
    args: ({ projectId, linkId, authorId }) => ({ projectId, linkId, ...(authorId !== undefined && { authorId }) }),
    message: { text: "Comments are being deleted" },
  }),

  setThreadResolved: intent({
    mutation: api.comments.setResolved,
    fields: ["threadId", "isResolved"],
    args: ({ threadId, isResolved }) => ({ threadId, isResolved: isResolved === "true" }),
    optimistic: setResolved,
    message: { text: ({ isResolved }) => (isResolved === "true" ? "Thread resolved" : "Thread reopened") },
  }),

  reactToComment: intent({
    mutation: api.comments.react,
    fields: ["commentId", "emoji", "isOn"],
    args: ({ commentId, emoji, isOn }) => ({ commentId, emoji, isOn: isOn === "true" }),
    optimistic: react,
  }),

  markCommentsRead: intent({
    mutation: api.comments.markRead,
    fields: ["itemId"],
    args: ({ itemId }) => ({ itemId }),
  }),
};

declare module "~/lib/forms/intents" {
  interface IntentTables {
    comments: typeof commentIntents;
  }
}

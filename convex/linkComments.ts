import { v } from "convex/values";
import { serverMutationForLink } from "./model/access";
import { addReply, addThread, changeComment, changedComment, newReply, newThread, removeComment } from "./model/comments/writeComments";

/** Comments through a public link (docs/decisions/191-comments-through-links.md). The app server counts and limits them. */

export const startThread = serverMutationForLink({
  args: newThread,
  returns: v.id("commentThreads"),
  handler: (ctx, args) => addThread(ctx, args),
});

export const reply = serverMutationForLink({
  args: newReply,
  returns: v.id("comments"),
  handler: (ctx, args) => addReply(ctx, args),
});

export const edit = serverMutationForLink({
  args: changedComment,
  returns: v.null(),
  handler: async (ctx, args) => {
    await changeComment(ctx, args);
    return null;
  },
});

export const remove = serverMutationForLink({
  args: { commentId: v.string() },
  returns: v.null(),
  handler: async (ctx, { commentId }) => {
    await removeComment(ctx, commentId);
    return null;
  },
});

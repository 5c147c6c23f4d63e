import type { Doc } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";
import { limit } from "../errors";

const EMOJI_MAX = 30;

/** Changes the count of an emoji in a comment. Throws "limit" above `EMOJI_MAX`. */
export async function countReaction({ db }: MutationCtx, comment: Doc<"comments">, emoji: string, added: number): Promise<void> {
  const counts = new Map((comment.reactions ?? []).map((each) => [each.emoji, each.count]));
  counts.set(emoji, (counts.get(emoji) ?? 0) + added);
  const reactions = Array.from(counts, ([each, count]) => ({ emoji: each, count })).filter(({ count }) => count > 0);
  if (reactions.length > EMOJI_MAX) throw limit(`A comment can have at most ${EMOJI_MAX} different reactions.`);
  await db.patch(comment._id, { reactions });
}

export async function subtractReactions(ctx: MutationCtx, userId: string, most: number): Promise<Doc<"commentReactions">[]> {
  const rows = await ctx.db
    .query("commentReactions")
    .withIndex("by_user", (q) => q.eq("userId", userId))
    .take(most);
  for (const { commentId, emoji } of rows) {
    const comment = await ctx.db.get(commentId);
    if (comment) await countReaction(ctx, comment, emoji, -1);
  }
  return rows;
}

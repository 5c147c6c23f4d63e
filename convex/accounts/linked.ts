import { v } from "convex/values";
import { serverMutationFor } from "../model/access";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";

/** Unlinks an account, the last one only with `lastToo` (specification 5). One transaction, so that concurrent calls keep one. */
export const unlink = serverMutationFor({
  args: { id: v.string(), lastToo: v.boolean() },
  returns: v.union(v.literal("unlinked"), v.literal("last"), v.literal("missing")),
  handler: async (ctx, { id, lastToo }) => {
    const { db, user } = ctx;
    const account = await db
      .query("accounts")
      .withIndex("id", (q) => q.eq("id", id))
      .unique();
    if (account?.userId !== user.id) return "missing";
    const [, second] = await db
      .query("accounts")
      .withIndex("userId", (q) => q.eq("userId", user.id))
      .take(2);
    if (!second && !lastToo) return "last";
    await db.delete(account._id);
    await recordAuditEvent(ctx, { action: "account.unlinked", details: { provider: account.providerId } });
    return "unlinked";
  },
});

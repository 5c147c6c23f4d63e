import { type Infer, v } from "convex/values";
import { administratorMutation, administratorQuery } from "../model/access";
import { mailAttempt } from "../model/accounts/mailTables";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";

const COUNTED = 200;
const LISTED = 50;

const state = v.object({
  /** Counts stop at 200. `waiting`: messages that are due. `retried`: messages of which an attempt has failed. */
  waiting: v.number(),
  retried: v.number(),
  oldestDueAt: v.union(v.number(), v.null()),
  attempts: v.array(v.object({ _id: v.id("mailAttempts"), ...mailAttempt })),
});
export type MailState = Infer<typeof state>;

export const get = administratorQuery({
  args: {},
  returns: state,
  handler: async ({ db }) => {
    const due = await db
      .query("mails")
      .withIndex("by_due", (q) => q.lte("dueAt", Date.now()))
      .take(COUNTED);
    const queued = await db.query("mails").withIndex("by_due").take(COUNTED);
    const rows = await db.query("mailAttempts").withIndex("by_age").order("desc").take(LISTED);
    return {
      waiting: due.length,
      retried: queued.filter(({ attempts, lease }) => attempts > (lease === undefined ? 0 : 1)).length,
      oldestDueAt: due[0]?.dueAt ?? null,
      attempts: rows.map(({ _creationTime, ...row }) => row),
    };
  },
});

export const queueTest = administratorMutation({
  args: { sealed: v.string(), expiresAt: v.number() },
  returns: v.null(),
  handler: async (ctx, { sealed, expiresAt }) => {
    const row = { content: { sealed }, userId: ctx.user.id, isUrgent: true as const, expiresAt, attempts: 0, dueAt: Date.now() };
    await ctx.db.insert("mails", row);
    await recordAuditEvent(ctx, { action: "testMail.queued" }, { actor: "administrator" });
    return null;
  },
});

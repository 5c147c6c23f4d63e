import { defineTable } from "convex/server";
import { v } from "convex/values";

/**
 * Mail that waits to be sent. A row is written with what causes it and sent later, by whichever app server claims it (`mail.ts`): no request
 * waits for a mail server, or tells by the time that it takes whether there was anybody to write to.
 */
export const mailTables = {
  mails: defineTable({
    /** Whose account it is about; with the account go its mails. */
    userId: v.optional(v.string()),
    content: v.union(
      /** A whole message, encrypted by the app server: these carry links and codes that open an account. */
      v.object({ sealed: v.string() }),
      /** A notice, in words by the time it is sent. */
      v.object({ notice: v.id("notices"), to: v.string() }),
    ),
    attempts: v.number(),
    /** When it is to be tried next; while somebody sends it, when others may take it over. */
    dueAt: v.number(),
    /** Names the claim under which it is being sent. */
    lease: v.optional(v.string()),
    /** After this nobody wants it any more. */
    expiresAt: v.number(),
  })
    .index("by_due", ["dueAt"])
    .index("by_user", ["userId"])
    .index("by_expiry", ["expiresAt"]),
};

import { defineTable } from "convex/server";
import { v } from "convex/values";

/** What the account's screens keep besides Better Auth's own tables. All of it goes with the account (`removal.ts`). */
export const screenTables = {
  /** Somebody's picture: small, square, and made by the app server from what they chose, so that it lies in its row and needs no file. */
  userPictures: defineTable({ userId: v.string(), contentType: v.string(), checksum: v.string(), bytes: v.bytes() }).index("by_user", [
    "userId",
  ]),

  /** When a session was last seen. Beside the session's own row, which every data function reads: a change there would run them all again. */
  sessionActivity: defineTable({ sessionId: v.string(), userId: v.string(), at: v.number() })
    .index("by_session", ["sessionId"])
    .index("by_user", ["userId"])
    .index("by_age", ["at"]),
};

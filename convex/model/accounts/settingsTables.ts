import { defineTable } from "convex/server";
import { v } from "convex/values";

export const settingsTables = {
  userPictures: defineTable({ userId: v.string(), contentType: v.string(), checksum: v.string(), bytes: v.bytes() }).index("by_user", [
    "userId",
  ]),

  /** Separate from the session row, which every data function reads: a write to it would rerun all live queries. */
  sessionActivity: defineTable({ sessionId: v.string(), userId: v.string(), at: v.number() })
    .index("by_session", ["sessionId"])
    .index("by_user", ["userId"])
    .index("by_age", ["at"]),
};

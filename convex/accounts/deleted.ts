import { v } from "convex/values";
import { serverQuery } from "../model/access";

/** Returns the user ids without an account. App servers delete partial uploads of deleted accounts. */
export const filter = serverQuery({
  args: { userIds: v.array(v.string()) },
  returns: v.array(v.string()),
  handler: async ({ db }, { userIds }) => {
    const users = await Promise.all(
      userIds.map((userId) =>
        db
          .query("users")
          .withIndex("id", (q) => q.eq("id", userId))
          .first(),
      ),
    );
    return userIds.filter((_, index) => !users[index]);
  },
});

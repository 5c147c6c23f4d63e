import { defineTable } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";

/** `comment` is for comments on designs and images, `write` for all else that programs change. */
export const accessScope = v.union(v.literal("read"), v.literal("write"), v.literal("comment"));
export type AccessScope = Infer<typeof accessScope>;

export const accessTokenTables = {
  accessTokens: defineTable({
    userId: v.string(),
    name: v.string(),
    tokenHash: v.string(),
    scopes: v.array(accessScope),
    createdAt: v.number(),
    expiresAt: v.optional(v.number()),
    lastUsedAt: v.optional(v.number()),
  })
    .index("by_token", ["tokenHash"])
    .index("by_user", ["userId", "createdAt"]),
};

export async function findAccessToken(
  { db }: Pick<QueryCtx, "db">,
  tokenHash: string,
): Promise<{ token: Doc<"accessTokens">; user: Doc<"users"> } | null> {
  const token = await db
    .query("accessTokens")
    .withIndex("by_token", (q) => q.eq("tokenHash", tokenHash))
    .unique();
  if (!token || (token.expiresAt !== undefined && token.expiresAt <= Date.now())) return null;
  const user = await db
    .query("users")
    .withIndex("id", (q) => q.eq("id", token.userId))
    .unique();
  return user && user.disabledAt === undefined ? { token, user } : null;
}

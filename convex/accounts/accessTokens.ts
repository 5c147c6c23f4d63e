import { type Infer, v } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import { serverMutation, serverMutationFor, serverQuery, userMutation, userQuery } from "../model/access";
import { accessScope, findAccessToken } from "../model/accounts/accessTokens";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";
import { check } from "../model/check";
import { invalid, limit, notFound } from "../model/errors";
import { nameAccessToken } from "../model/rules";

export const ACCESS_TOKENS_MAX = 50;
const DAY = 24 * 60 * 60 * 1000;
export const LIFETIMES_DAYS = [30, 90, 365] as const;

const tokenShape = v.object({
  _id: v.id("accessTokens"),
  name: v.string(),
  scopes: v.array(accessScope),
  createdAt: v.number(),
  /** Milliseconds since 1970. `expiresAt` is null for a token that never expires. `lastUsedAt` is to the minute, and null without a use. */
  expiresAt: v.union(v.number(), v.null()),
  lastUsedAt: v.union(v.number(), v.null()),
});
type AccessToken = Infer<typeof tokenShape>;

export const list = userQuery({
  args: {},
  returns: v.array(tokenShape),
  handler: async ({ db, user }) => {
    const rows = await db
      .query("accessTokens")
      .withIndex("by_user", (q) => q.eq("userId", user.id))
      .order("desc")
      .take(ACCESS_TOKENS_MAX);
    return rows.map(toAccessToken);
  },
});

function toAccessToken({ _id, name, scopes, createdAt, expiresAt, lastUsedAt }: Doc<"accessTokens">): AccessToken {
  return { _id, name, scopes, createdAt, expiresAt: expiresAt ?? null, lastUsedAt: lastUsedAt ?? null };
}

/** Creates a token for `days` (of `LIFETIMES_DAYS`; null: forever). Throws "invalid", and "limit" above `ACCESS_TOKENS_MAX`. */
export const create = serverMutationFor({
  args: { name: v.string(), tokenHash: v.string(), scopes: v.array(accessScope), days: v.union(v.number(), v.null()) },
  returns: v.id("accessTokens"),
  handler: async (ctx, { tokenHash, days, ...args }) => {
    const { db, user } = ctx;
    const { name } = check(nameAccessToken, args);
    const scopes = [...new Set(args.scopes)];
    if (scopes.length === 0) throw invalid({ scopes: ["Choose at least one permission."] });
    if (days !== null && !LIFETIMES_DAYS.some((each) => each === days)) throw invalid({ expires: ["Choose when the token expires."] });
    const tokens = await db
      .query("accessTokens")
      .withIndex("by_user", (q) => q.eq("userId", user.id))
      .take(ACCESS_TOKENS_MAX);
    if (tokens.length >= ACCESS_TOKENS_MAX)
      throw limit(`An account can have at most ${ACCESS_TOKENS_MAX} access tokens. Revoke one that you no longer use.`);
    const createdAt = Date.now();
    const expiry = days === null ? {} : { expiresAt: createdAt + days * DAY };
    const id = await db.insert("accessTokens", { userId: user.id, name, tokenHash, scopes, createdAt, ...expiry });
    await recordAuditEvent(ctx, { action: "accessToken.created", target: { kind: "accessToken", id } });
    return id;
  },
});

export const revoke = userMutation({
  args: { id: v.string() },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const { db, user } = ctx;
    const tokenId = db.normalizeId("accessTokens", id);
    const token = tokenId && (await db.get(tokenId));
    if (token?.userId !== user.id) throw notFound();
    await db.delete(token._id);
    await recordAuditEvent(ctx, { action: "accessToken.revoked", target: { kind: "accessToken", id: token._id } });
    return null;
  },
});

export const find = serverQuery({
  args: { tokenHash: v.string() },
  returns: v.union(v.object({ userId: v.string(), scopes: v.array(accessScope) }), v.null()),
  handler: async (ctx, { tokenHash }) => {
    const found = await findAccessToken(ctx, tokenHash);
    return found && { userId: found.user.id, scopes: found.token.scopes };
  },
});

export const noteUse = serverMutation({
  args: { tokenHash: v.string() },
  returns: v.null(),
  handler: async (ctx, { tokenHash }) => {
    const found = await findAccessToken(ctx, tokenHash);
    if (found) await ctx.db.patch(found.token._id, { lastUsedAt: Date.now() });
    return null;
  },
});

import { v } from "convex/values";
import type { QueryCtx } from "../_generated/server";
import { isAdministrator, serverMutationFor, userQuery } from "../model/access";
import { storeDateSettings } from "../model/notifications/queueMails";

/** Never returns tokens, passwords or keys. Changes go through Better Auth's endpoints. */

const LIMIT = 200;

export const getMe = userQuery({
  args: {},
  returns: v.object({
    id: v.string(),
    name: v.string(),
    email: v.string(),
    emailVerified: v.boolean(),
    image: v.union(v.string(), v.null()),
    hasShared: v.optional(v.literal(true)),
    hasMembers: v.optional(v.literal(true)),
    isAdministrator: v.optional(v.literal(true)),
  }),
  handler: async ({ db, user, session }) => {
    const { id, name, email, emailVerified, image = null } = user;
    const membership = await db
      .query("projectMembers")
      .withIndex("by_user", (q) => q.eq("userId", id))
      .first();
    const saved = membership
      ? null
      : await db
          .query("savedLinks")
          .withIndex("by_user", (q) => q.eq("userId", id))
          .first();
    const member = await db
      .query("projectMembers")
      .withIndex("by_adder", (q) => q.eq("addedBy", id))
      .first();
    const sharing = { ...((membership ?? saved) && { hasShared: true as const }), ...(member && { hasMembers: true as const }) };
    const role = isAdministrator({ user, session }) ? { isAdministrator: true as const } : {};
    return { id, name, email, emailVerified, image, ...sharing, ...role };
  },
});

export const getSessions = userQuery({
  args: {},
  returns: v.array(
    v.object({
      id: v.string(),
      createdAt: v.number(),
      seenAt: v.number(),
      ipAddress: v.union(v.string(), v.null()),
      userAgent: v.union(v.string(), v.null()),
      current: v.boolean(),
    }),
  ),
  handler: async ({ db, user, session: own }) => {
    const sessions = await db
      .query("sessions")
      .withIndex("userId", (q) => q.eq("userId", user.id).gt("expiresAt", Date.now()))
      .take(LIMIT);
    const activities = await db
      .query("sessionActivity")
      .withIndex("by_user", (q) => q.eq("userId", user.id))
      .take(LIMIT);
    const seen = new Map(activities.map(({ sessionId, at }) => [sessionId, at]));
    return sessions
      .map(({ id, createdAt, ipAddress, userAgent }) => ({
        id,
        createdAt,
        seenAt: seen.get(id) ?? createdAt,
        ipAddress: ipAddress || null,
        userAgent: userAgent || null,
        current: id === own.id,
      }))
      .toSorted((a, b) => Number(b.current) - Number(a.current) || b.seenAt - a.seenAt);
  },
});

export const getConnections = userQuery({
  args: {},
  returns: v.array(v.object({ id: v.string(), providerId: v.string(), accountId: v.string(), createdAt: v.number() })),
  handler: async ({ db, user }) => {
    const accounts = await accountsOf(db, user.id);
    return accounts
      .map(({ id, providerId, accountId, createdAt }) => ({ id, providerId, accountId, createdAt }))
      .toSorted((a, b) => a.createdAt - b.createdAt);
  },
});

export const getSecurity = userQuery({
  args: {},
  returns: v.object({
    hasPassword: v.boolean(),
    twoFactor: v.boolean(),
    passkeys: v.array(
      v.object({ id: v.string(), name: v.union(v.string(), v.null()), createdAt: v.union(v.number(), v.null()), backedUp: v.boolean() }),
    ),
  }),
  handler: async ({ db, user }) => {
    const accounts = await accountsOf(db, user.id);
    const passkeys = await db
      .query("passkeys")
      .withIndex("userId", (q) => q.eq("userId", user.id))
      .take(LIMIT);
    return {
      hasPassword: accounts.some(({ providerId, password }) => providerId === "credential" && Boolean(password)),
      twoFactor: user.twoFactorEnabled === true,
      passkeys: passkeys.map(({ id, name, createdAt, backedUp }) => ({
        id,
        name: name || null,
        createdAt: createdAt ?? null,
        backedUp,
      })),
    };
  },
});

export const noteActivity = serverMutationFor({
  args: { timeZone: v.optional(v.string()), locale: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, place) => {
    const { db, session, user } = ctx;
    await storeDateSettings(ctx, user.id, place);
    const activity = await db
      .query("sessionActivity")
      .withIndex("by_session", (q) => q.eq("sessionId", session.id))
      .unique();
    const at = Date.now();
    if (activity) await db.patch(activity._id, { at });
    else await db.insert("sessionActivity", { sessionId: session.id, userId: user.id, at });
    return null;
  },
});

const accountsOf = (db: QueryCtx["db"], userId: string) =>
  db
    .query("accounts")
    .withIndex("userId", (q) => q.eq("userId", userId))
    .take(LIMIT);

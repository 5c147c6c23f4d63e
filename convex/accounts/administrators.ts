import { v } from "convex/values";
import { internalMutation } from "../model/functions";
import { isAdministrator, serverMutation, serverQuery } from "../model/access";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";
import { isLastAdministrator } from "../model/admin/administrators";
import { isPlaceholder } from "../model/accounts/placeholder";
import { sessionOf } from "../model/accounts/sessions";
import { userOf } from "../model/members";

const BATCH = 500;
const RECIPIENTS_MAX = 50;

export const isAllowed = serverQuery({
  args: { sessionId: v.string() },
  returns: v.boolean(),
  handler: async ({ db }, { sessionId }) => {
    const live = await sessionOf(db, { sessionId });
    return live !== null && live.session.expiresAt > Date.now() && isAdministrator(live);
  },
});

/** Gives or removes the role, for the operator. Returns whether it changed, and whether an administrator is left; null for an unknown user. */
export const set = serverMutation({
  args: { userId: v.string(), isAdministrator: v.boolean() },
  returns: v.union(v.object({ isChanged: v.boolean(), isLast: v.boolean() }), v.null()),
  handler: async (ctx, { userId, isAdministrator: has }) => {
    const user = await userOf(ctx, userId);
    if (!user) return null;
    const isLast = !has && user.isAdministrator === true && (await isLastAdministrator(ctx, user));
    const isChanged = (user.isAdministrator === true) !== has;
    if (isChanged) {
      await ctx.db.patch(user._id, { isAdministrator: has || undefined });
      await recordAuditEvent(ctx, { action: has ? "administrator.added" : "administrator.removed" }, { actor: "operator", userId });
    }
    return { isChanged, isLast };
  },
});

export const list = serverQuery({
  args: {},
  returns: v.array(v.string()),
  handler: async ({ db }) => {
    const users = await db
      .query("users")
      .withIndex("isAdministrator", (q) => q.eq("isAdministrator", true))
      .take(BATCH);
    return users.map(({ id }) => id);
  },
});

const recipient = v.object({ id: v.string(), name: v.string(), email: v.string() });

export const listRecipients = serverQuery({
  args: {},
  returns: v.array(recipient),
  handler: async ({ db }) => {
    const users = await db
      .query("users")
      .withIndex("isAdministrator", (q) => q.eq("isAdministrator", true))
      .take(RECIPIENTS_MAX);
    const reached = users.filter(
      ({ email, emailVerified, disabledAt }) => emailVerified && disabledAt === undefined && !isPlaceholder(email),
    );
    return reached.map(({ id, name, email }) => ({ id, name, email }));
  },
});

/** Ends the role of all sessions that a person began at an issuer, which reported that the person left the group. */
export const endGroup = serverMutation({
  args: { issuer: v.string(), issuerSubject: v.string() },
  returns: v.null(),
  handler: async ({ db }, { issuer, issuerSubject }) => {
    const sessions = await db
      .query("sessions")
      .withIndex("issuerSubject", (q) => q.eq("issuer", issuer).eq("issuerSubject", issuerSubject))
      .take(BATCH);
    for (const { _id, adminGroup } of sessions) if (adminGroup) await db.patch(_id, { adminGroup: null });
    return null;
  },
});

/** Ends roles from groups that are no longer configured. The app server calls it at its start. Returns the number of ended roles. */
export const keepGroups = serverMutation({
  args: { groups: v.array(v.object({ issuer: v.string(), adminGroup: v.string() })) },
  returns: v.number(),
  handler: async ({ db }, { groups }) => {
    const sessions = await db
      .query("sessions")
      .withIndex("adminGroup", (q) => q.gt("adminGroup", ""))
      .take(BATCH);
    const ended = sessions.filter((session) =>
      groups.every(({ issuer, adminGroup }) => session.issuer !== issuer || session.adminGroup !== adminGroup),
    );
    for (const { _id } of ended) await db.patch(_id, { adminGroup: null });
    return ended.length;
  },
});

export const endGroupRole = internalMutation({
  args: { sessionId: v.string() },
  returns: v.null(),
  handler: async ({ db }, { sessionId }) => {
    const session = await db
      .query("sessions")
      .withIndex("id", (q) => q.eq("id", sessionId))
      .unique();
    if (session?.adminGroup) await db.patch(session._id, { adminGroup: null });
    return null;
  },
});

import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { QueryCtx } from "../_generated/server";
import { type AdministratorCtx, administratorMutation, administratorQuery, recentAdministratorMutation } from "../model/access";
import { afterDelete, afterWrite } from "../model/accounts/afterWrite";
import { deleteUserRows } from "../model/accounts/deleteUserRows";
import { isLastAdministrator } from "../model/admin/administrators";
import { endSessions } from "../model/admin/endSessions";
import { findPeople } from "../model/admin/findPeople";
import type { AuditOrigin } from "../model/audit/recordAuditEvent";
import { recordAuditEvent } from "../model/audit/recordAuditEvent";
import { conflict, invalid, notFound } from "../model/errors";
import { usageOf } from "../model/limits/usage";
import { pageOf } from "../model/lists/paging";
import { userOf } from "../model/members";

/** Accounts, as administrators see them. No function returns content of an account. */

const LIMIT = 200;

const listedPerson = v.object({
  _id: v.id("users"),
  id: v.string(),
  name: v.string(),
  email: v.string(),
  emailVerified: v.boolean(),
  createdAt: v.number(),
  isAdministrator: v.boolean(),
  disabledAt: v.union(v.number(), v.null()),
});

const toListed = ({ _id, id, name, email, emailVerified, createdAt, isAdministrator, disabledAt }: Doc<"users">) => ({
  _id,
  id,
  name,
  email,
  emailVerified,
  createdAt,
  isAdministrator: isAdministrator === true,
  disabledAt: disabledAt ?? null,
});

export const list = administratorQuery({
  args: {
    text: v.string(),
    only: v.optional(v.union(v.literal("administrators"), v.literal("disabled"))),
    paginationOpts: paginationOptsValidator,
  },
  returns: paginationResultValidator(listedPerson),
  handler: async (ctx, { text, only, paginationOpts }) => {
    const options = pageOf(paginationOpts);
    if (text.trim() !== "") return { page: (await findPeople(ctx, text)).map(toListed), isDone: true, continueCursor: "" };
    const result = await peopleOf(ctx, only).order("desc").paginate(options);
    return { ...result, page: result.page.map(toListed) };
  },
});

function peopleOf({ db }: QueryCtx, only: "administrators" | "disabled" | undefined) {
  if (only === "administrators") return db.query("users").withIndex("isAdministrator", (q) => q.eq("isAdministrator", true));
  if (only === "disabled") return db.query("users").withIndex("disabledAt", (q) => q.gt("disabledAt", 0));
  return db.query("users");
}

const shownPerson = v.object({
  ...listedPerson.fields,
  isSelf: v.boolean(),
  isLastAdministrator: v.boolean(),
  /** Set if an open session has the role from an issuer's group. */
  isGroupAdministrator: v.boolean(),
  twoFactor: v.boolean(),
  passkeys: v.number(),
  /** "credential" for a password, otherwise provider ids. */
  methods: v.array(v.string()),
  sessions: v.number(),
  lastSeenAt: v.union(v.number(), v.null()),
  accessTokens: v.number(),
  quotaBytes: v.union(v.number(), v.null()),
  /** Null until the account has stored anything. */
  usage: v.union(v.object({ projects: v.number(), designs: v.number(), images: v.number(), bytes: v.number() }), v.null()),
});
export type ShownPerson = Infer<typeof shownPerson>;

/** Counts stop at 200. */
export const get = administratorQuery({
  args: { userId: v.string() },
  returns: shownPerson,
  handler: async (ctx, { userId }) => {
    const { db } = ctx;
    const user = await expectUser(ctx, userId);
    const [accounts, passkeys, sessions, activities, accessTokens, usage, isLast] = await Promise.all([
      db
        .query("accounts")
        .withIndex("userId", (q) => q.eq("userId", userId))
        .take(LIMIT),
      db
        .query("passkeys")
        .withIndex("userId", (q) => q.eq("userId", userId))
        .take(LIMIT),
      db
        .query("sessions")
        .withIndex("userId", (q) => q.eq("userId", userId).gt("expiresAt", Date.now()))
        .take(LIMIT),
      db
        .query("sessionActivity")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(LIMIT),
      db
        .query("accessTokens")
        .withIndex("by_user", (q) => q.eq("userId", userId))
        .take(LIMIT),
      usageOf(ctx, userId),
      user.isAdministrator === true ? isLastAdministrator(ctx, user) : false,
    ]);
    const seen = [...activities.map(({ at }) => at), ...sessions.map(({ createdAt }) => createdAt)];
    return {
      ...toListed(user),
      isSelf: user.id === ctx.user.id,
      isLastAdministrator: isLast,
      isGroupAdministrator: sessions.some(({ adminGroup }) => Boolean(adminGroup)),
      twoFactor: user.twoFactorEnabled === true,
      passkeys: passkeys.length,
      methods: accounts.filter(({ providerId, password }) => providerId !== "credential" || password).map(({ providerId }) => providerId),
      sessions: sessions.length,
      lastSeenAt: seen.length === 0 ? null : Math.max(...seen),
      accessTokens: accessTokens.length,
      quotaBytes: user.quotaBytes ?? null,
      usage: usage && { projects: usage.projects, designs: usage.designs, images: usage.images, bytes: usage.bytes },
    };
  },
});

/** Ends the account's sessions and refuses new ones, also of its access tokens. Its data stays. Throws "conflict" for the caller. */
export const disable = recentAdministratorMutation({
  args: { userId: v.string() },
  returns: v.null(),
  handler: async (ctx, { userId }) => {
    const user = await expectUser(ctx, userId);
    expectOther(ctx, user, "You cannot disable your own account. Ask another administrator.");
    if (user.disabledAt === undefined) {
      await ctx.db.patch(user._id, { disabledAt: Date.now() });
      await recordAuditEvent(ctx, { action: "account.disabled" }, originOf(ctx, userId));
    }
    await endSessions(ctx, userId);
    return null;
  },
});

export const enable = administratorMutation({
  args: { userId: v.string() },
  returns: v.null(),
  handler: async (ctx, { userId }) => {
    const user = await expectUser(ctx, userId);
    if (user.disabledAt === undefined) return null;
    await ctx.db.patch(user._id, { disabledAt: undefined });
    await recordAuditEvent(ctx, { action: "account.enabled" }, originOf(ctx, userId));
    return null;
  },
});

/** Throws like `remove`. The app server ends the account's subscriptions before it is removed. */
export const expectRemovable = recentAdministratorMutation({
  args: { userId: v.string() },
  returns: v.null(),
  handler: async (ctx, { userId }) => {
    await expectRemovableUser(ctx, userId);
    return null;
  },
});

/** Deletes the account with all that it contains. Throws "conflict" for the caller. */
export const remove = recentAdministratorMutation({
  args: { userId: v.string() },
  returns: v.null(),
  handler: async (ctx, { userId }) => {
    const user = await expectRemovableUser(ctx, userId);
    await deleteUserRows(ctx, user.id, originOf(ctx, user.id));
    return null;
  },
});

export const signOutEverywhere = recentAdministratorMutation({
  args: { userId: v.string() },
  returns: v.number(),
  handler: async (ctx, { userId }) => {
    await expectUser(ctx, userId);
    const count = await endSessions(ctx, userId);
    if (count > 0) await recordAuditEvent(ctx, { action: "session.revoked", details: { count } }, originOf(ctx, userId));
    return count;
  },
});

/** Turns off the authenticator app and its backup codes, and revokes trusted devices. The person is notified. Returns whether it was on. */
export const resetSecondFactor = recentAdministratorMutation({
  args: { userId: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { userId }) => {
    const user = await expectUser(ctx, userId);
    const factors = await ctx.db
      .query("twoFactors")
      .withIndex("userId", (q) => q.eq("userId", userId))
      .take(LIMIT);
    for (const { _id } of factors) await ctx.db.delete(_id);
    await afterDelete(ctx, "twoFactors", factors);
    const isOn = user.twoFactorEnabled === true;
    if (isOn) {
      const after = { ...user, twoFactorEnabled: false, updatedAt: Date.now() };
      await ctx.db.patch(user._id, { twoFactorEnabled: after.twoFactorEnabled, updatedAt: after.updatedAt });
      await afterWrite(ctx, "users", user, after);
      await recordAuditEvent(ctx, { action: "twoFactor.disabled" }, originOf(ctx, userId));
    }
    return isOn || factors.length > 0;
  },
});

/** Sets the account's quota in bytes; null applies the installation's. Throws "invalid" for other numbers. */
export const setQuota = recentAdministratorMutation({
  args: { userId: v.string(), bytes: v.union(v.number(), v.null()) },
  returns: v.null(),
  handler: async (ctx, { userId, bytes }) => {
    const user = await expectUser(ctx, userId);
    if (bytes !== null && !(Number.isSafeInteger(bytes) && bytes >= 0))
      throw invalid({ quota: ["Enter a number of gigabytes, like 10 or 0.5."] });
    if ((user.quotaBytes ?? null) === bytes) return null;
    await ctx.db.patch(user._id, { quotaBytes: bytes ?? undefined });
    await recordAuditEvent(ctx, { action: "quota.changed" }, originOf(ctx, userId));
    return null;
  },
});

/** Removes the role that the operator gave. Throws "conflict" for the last administrator, whom only the operator can replace. */
export const removeRole = recentAdministratorMutation({
  args: { userId: v.string() },
  returns: v.null(),
  handler: async (ctx, { userId }) => {
    const user = await expectUser(ctx, userId);
    if (user.isAdministrator === undefined) return null;
    if (await isLastAdministrator(ctx, user))
      throw conflict("This is the last administrator. Give another account the role first, with the command npm run user -- admin EMAIL.");
    await ctx.db.patch(user._id, { isAdministrator: undefined });
    await recordAuditEvent(ctx, { action: "administrator.removed" }, originOf(ctx, userId));
    return null;
  },
});

const originOf = (ctx: AdministratorCtx, userId: string): AuditOrigin => ({ actor: "administrator", userId, otherUserId: ctx.user.id });

async function expectRemovableUser(ctx: AdministratorCtx, userId: string): Promise<Doc<"users">> {
  const user = await expectUser(ctx, userId);
  expectOther(ctx, user, "You cannot delete your own account here. Delete it in your account settings, under “Data”.");
  return user;
}

async function expectUser(ctx: QueryCtx, userId: string): Promise<Doc<"users">> {
  const user = await userOf(ctx, userId);
  if (!user) throw notFound();
  return user;
}

function expectOther(ctx: AdministratorCtx, user: Doc<"users">, message: string): void {
  if (user.id === ctx.user.id) throw conflict(message);
}

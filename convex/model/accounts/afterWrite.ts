import { internal } from "../../_generated/api";
import type { MutationCtx } from "../../_generated/server";
import { eventOf } from "./events";

type Ctx = Pick<MutationCtx, "scheduler" | "runMutation">;
type Row = Parameters<typeof eventOf>[2];

/** How long a role from an issuer's group lasts after the sign-in. Issuers do not report that a user left a group. */
export const GROUP_ROLE_MS = 12 * 60 * 60 * 1000;

/** Jobs never take personal data as an argument, because Convex stores arguments for days. */
export async function afterDelete(ctx: Ctx, model: string, rows: Record<string, unknown>[]): Promise<void> {
  for (const { userId } of model === "twoFactors" ? rows : []) if (typeof userId === "string") await outdate(ctx, userId, "trust-device-");
  for (const user of model === "users" ? rows : []) await deleteUserData(ctx, user);
}

/** Notifies the user, and revokes tokens issued before a change of password or address. `before` is null for a new row. */
export async function afterWrite(ctx: Ctx, model: string, before: Row | null, after: Row): Promise<void> {
  const { id, email, emailVerified } = after;
  const isVerified = model === "users" && emailVerified === true && before?.["emailVerified"] !== true;
  if (isVerified && typeof id === "string" && typeof email === "string")
    await ctx.runMutation(internal.accounts.invitations.accept, { email, userId: id });
  if (model === "sessions" && !before && typeof id === "string" && after["adminGroup"])
    await ctx.scheduler.runAfter(GROUP_ROLE_MS, internal.accounts.administrators.endGroupRole, { sessionId: id });
  const found = eventOf(model, before, after);
  if (!found) return;
  await ctx.runMutation(internal.accounts.notices.tell, { ...found, at: Date.now() });
  const { userId, event } = found;
  if (event.kind === "passwordChanged") await outdate(ctx, userId, "2fa-");
  if (event.kind !== "passwordChanged" && event.kind !== "emailChanged") return;
  for (const prefix of ["reset-password:", "delete-account-"] as const) await outdate(ctx, userId, prefix);
}

async function outdate({ scheduler }: Ctx, userId: string, prefix: "reset-password:" | "delete-account-" | "2fa-" | "trust-device-") {
  await scheduler.runAfter(0, internal.accounts.removal.outdate, { userId, prefix, at: Date.now() });
}

export async function deleteUserData({ scheduler, runMutation }: Ctx, user: Record<string, unknown>): Promise<void> {
  const { id, email, emailVerified } = user;
  if (typeof id !== "string") return;
  await scheduler.runAfter(0, internal.jobs.purge.owner, { ownerId: id });
  await scheduler.runAfter(0, internal.accounts.notices.forget, { userId: id });
  await scheduler.runAfter(0, internal.accounts.removal.forget, { userId: id });
  await scheduler.runAfter(0, internal.jobs.auditLog.anonymise, { userId: id });
  if (typeof email !== "string") return;
  await runMutation(internal.accounts.removal.forgetCodes, { email, isVerified: emailVerified === true });
}

import type { MutationCtx } from "../../_generated/server";
import { type AuditOrigin, recordAuditEvent } from "../audit/recordAuditEvent";
import { userOf } from "../members";
import { deleteUserData } from "./afterWrite";

const SESSIONS_MAX = 500;

/** Deletes a user with the sessions and sign-in methods, so that no request of the account is accepted afterwards. */
export async function deleteUserRows(ctx: MutationCtx, userId: string, origin: AuditOrigin): Promise<void> {
  const user = await userOf(ctx, userId);
  if (!user) return;
  for (const table of ["sessions", "accounts"] as const) {
    const rows = await ctx.db
      .query(table)
      .withIndex("userId", (q) => q.eq("userId", userId))
      .take(SESSIONS_MAX);
    for (const { _id } of rows) await ctx.db.delete(_id);
  }
  await ctx.db.delete(user._id);
  await recordAuditEvent(ctx, { action: "account.deleted" }, origin);
  await deleteUserData(ctx, user);
}

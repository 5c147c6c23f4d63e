import { internal } from "../_generated/api";
import { eventOf } from "../model/accounts/events";
import { storageFunctions } from "../model/accounts/adapterStorage";
import { accountTables, uniqueIndexes } from "../model/accounts/tables";

/** Jobs never take personal data as an argument, because Convex stores arguments for days. */
export const { create, findOne, findMany, count, update, updateMany, deleteMany, consumeOne, incrementOne, commit } = storageFunctions({
  tables: accountTables,
  uniqueIndexes,
  scans: false,
  deleted: async ({ scheduler, runMutation }, model, rows) => {
    for (const { userId } of model === "twoFactors" ? rows : []) {
      if (typeof userId === "string")
        await scheduler.runAfter(0, internal.accounts.removal.outdate, { userId, prefix: "trust-device-", at: Date.now() });
    }
    for (const { id, email, emailVerified } of model === "users" ? rows : []) {
      if (typeof id !== "string") continue;
      await scheduler.runAfter(0, internal.jobs.purge.owner, { ownerId: id });
      await scheduler.runAfter(0, internal.accounts.notices.forget, { userId: id });
      await scheduler.runAfter(0, internal.accounts.removal.forget, { userId: id });
      if (typeof email !== "string") continue;
      await runMutation(internal.accounts.removal.forgetCodes, { email, isVerified: emailVerified === true });
    }
  },
  written: async ({ scheduler, runMutation }, model, before, after) => {
    const { id, email, emailVerified } = after;
    const isVerified = model === "users" && emailVerified === true && before?.["emailVerified"] !== true;
    if (isVerified && typeof id === "string" && typeof email === "string")
      await runMutation(internal.accounts.invitations.accept, { email, userId: id });
    const found = eventOf(model, before, after);
    if (!found) return;
    await runMutation(internal.accounts.notices.tell, { ...found, at: Date.now() });
    const { userId, event } = found;
    if (event.kind === "passwordChanged")
      await scheduler.runAfter(0, internal.accounts.removal.outdate, { userId, prefix: "2fa-", at: Date.now() });
    if (event.kind !== "passwordChanged" && event.kind !== "emailChanged") return;
    for (const prefix of ["reset-password:", "delete-account-"] as const)
      await scheduler.runAfter(0, internal.accounts.removal.outdate, { userId, prefix, at: Date.now() });
  },
});

import { internal } from "../_generated/api";
import { eventOf } from "./events";
import { storageFunctions } from "./storage";
import { accountTables, uniqueIndexes } from "./tables";

/**
 * Better Auth's storage functions over our tables; every read by an index, never a scan. With an account go the person's projects and notices,
 * whatever led to its deletion; and what is written is told to whom it concerns, whatever wrote it.
 */
export const { create, findOne, findMany, count, update, updateMany, deleteMany, consumeOne, incrementOne } = storageFunctions({
  tables: accountTables,
  uniqueIndexes,
  scans: false,
  deleted: async ({ scheduler }, model, rows) => {
    for (const { userId } of model === "twoFactors" ? rows : []) {
      if (typeof userId === "string")
        await scheduler.runAfter(0, internal.accounts.removal.outdate, { userId, prefix: "trust-device-", at: Date.now() });
    }
    for (const { id, email } of model === "users" ? rows : []) {
      if (typeof id !== "string") continue;
      await scheduler.runAfter(0, internal.purge.owner, { ownerId: id });
      await scheduler.runAfter(0, internal.accounts.notices.forget, { userId: id });
      await scheduler.runAfter(0, internal.accounts.removal.forget, { userId: id, ...(typeof email === "string" && { email }) });
    }
  },
  written: async ({ scheduler }, model, before, after) => {
    const found = eventOf(model, before, after);
    if (!found) return;
    await scheduler.runAfter(0, internal.accounts.notices.tell, { ...found, at: Date.now() });
    const { userId, event } = found;
    if (event.kind === "passwordChanged")
      await scheduler.runAfter(0, internal.accounts.removal.outdate, { userId, prefix: "2fa-", at: Date.now() });
    if (event.kind !== "passwordChanged" && event.kind !== "emailChanged") return;
    for (const prefix of ["reset-password:", "delete-account-"] as const)
      await scheduler.runAfter(0, internal.accounts.removal.outdate, { userId, prefix, at: Date.now() });
  },
});

import { internal } from "../_generated/api";
import { storageFunctions } from "./storage";
import { accountTables, uniqueIndexes } from "./tables";

/**
 * Better Auth's storage functions over our tables; every read by an index, never a scan. With an account go the person's projects, whatever
 * led to its deletion.
 */
export const { create, findOne, findMany, count, update, updateMany, deleteMany, consumeOne, incrementOne } = storageFunctions({
  tables: accountTables,
  uniqueIndexes,
  scans: false,
  deleted: async ({ scheduler }, model, rows) => {
    for (const { id } of model === "users" ? rows : []) {
      if (typeof id === "string") await scheduler.runAfter(0, internal.purge.owner, { ownerId: id });
    }
  },
});

import { storageFunctions } from "./storage";
import { accountTables, uniqueIndexes } from "./tables";

/** Better Auth's storage functions over our tables; every read by an index, never a scan. */
export const { create, findOne, findMany, count, update, updateMany, deleteMany, consumeOne, incrementOne } = storageFunctions({
  tables: accountTables,
  uniqueIndexes,
  scans: false,
});

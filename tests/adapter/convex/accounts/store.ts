import { storageFunctions } from "../../../../convex/model/accounts/adapterStorage";
import { uniqueIndexes } from "../../../../convex/model/accounts/tables";
import { suiteTables } from "./tables";

/** The app's storage functions. The suites also query without indexes, which the app's own functions reject. */
export const { create, findOne, findMany, count, update, updateMany, deleteMany, consumeOne, incrementOne, commit } = storageFunctions({
  tables: suiteTables,
  uniqueIndexes,
  scans: true,
});

import { storageFunctions } from "../../../../convex/accounts/storage";
import { uniqueIndexes } from "../../../../convex/accounts/tables";
import { suiteTables } from "./tables";

/** The app's own storage functions over the suites' tables. The suites also ask what no index serves, and what the app is refused. */
export const { create, findOne, findMany, count, update, updateMany, deleteMany, consumeOne, incrementOne } = storageFunctions({
  tables: suiteTables,
  uniqueIndexes,
  scans: true,
});

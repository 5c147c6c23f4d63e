/** The module that inline queries import as "convex:/_system/repl/wrappers.js" (`convex/src/cli/lib/runTestFunction.ts`). */
export { queryGeneric as query, internalQueryGeneric as internalQuery } from "convex/server";

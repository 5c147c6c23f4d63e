import { makeFunctionReference } from "convex/server";
import type { Id } from "../../convex/_generated/dataModel";

export const probe = {
  insert: makeFunctionReference<"mutation", { table: string; row: object }, string>("probe:insert"),
  insertMany: makeFunctionReference<"mutation", { table: string; rows: object[] }, null>("probe:insertMany"),
  remove: makeFunctionReference<"mutation", { table: string; id: string }, null>("probe:remove"),
  patch: makeFunctionReference<"mutation", { table: string; id: string; fields: object }, null>("probe:patch"),
  replace: makeFunctionReference<"mutation", { table: string; id: string; row: object }, null>("probe:replace"),
  row: makeFunctionReference<"query", { table: string; id: string }, Record<string, unknown> | null>("probe:row"),
  rows: makeFunctionReference<"query", { table: string; field?: string; value?: unknown }, Record<string, unknown>[]>("probe:rows"),
  imageCount: makeFunctionReference<"query", { designId: Id<"designs"> }, number>("probe:imageCount"),
  uploadUrl: makeFunctionReference<"mutation", Record<string, never>, string>("probe:uploadUrl"),
  filesAmong: makeFunctionReference<"query", { ids: Id<"_storage">[] }, Id<"_storage">[]>("probe:filesAmong"),
  pending: makeFunctionReference<"query", Record<string, never>, number>("probe:pending"),
  scheduledArguments: makeFunctionReference<"query", { name: string }, Record<string, unknown>[]>("probe:scheduledArguments"),
  scheduledCalls: makeFunctionReference<"query", { name: string; state?: string }, number>("probe:scheduledCalls"),
  scheduleFailure: makeFunctionReference<"mutation", { text: string; delayMs?: number }, string>("probe:scheduleFailure"),
  clear: makeFunctionReference<"mutation", { tables: string[]; callsMax: number }, { calls: number; waiting: number; deleted: number }>(
    "probe:clear",
  ),
  insertImages: makeFunctionReference<
    "mutation",
    { designId: Id<"designs">; storageId: Id<"_storage">; from: number; count: number },
    null
  >("probe:insertImages"),
};

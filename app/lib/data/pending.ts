import type { GenericId } from "convex/values";

const PENDING = "pending:";

const temporaryKeys = new WeakMap<object, string>();
let count = 0;

/** Returns a placeholder id, the same for the same arguments: an optimistic update can rerun, and React must keep the row's element. */
export function pendingId<Table extends string>(args: object): GenericId<Table> {
  const key = temporaryKeys.get(args) ?? PENDING + ++count;
  temporaryKeys.set(args, key);
  return key as GenericId<Table>;
}

export const isPending = (id: string) => id.startsWith(PENDING);

const ahead = new WeakSet<object>();

export function markOptimistic<Row extends object>(before: readonly Row[], after: Row[]): Row[] {
  const earlierRows = new Set(before);
  for (const row of after) if (!earlierRows.has(row)) ahead.add(row);
  return after;
}

export const isOptimistic = (row: object) => ahead.has(row);

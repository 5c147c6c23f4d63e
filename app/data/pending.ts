import type { GenericId } from "convex/values";

/** What an optimistic update puts in the place of an id that only the deployment can give. */
const PENDING = "pending:";

const standIns = new WeakMap<object, string>();

/**
 * A stand-in for the id that this mutation will make. The same for the same call: an optimistic update runs again each time its queries change
 * underneath it, and what it shows must not be taken for something new.
 */
export function pendingId<Table extends string>(args: object): GenericId<Table> {
  const known = standIns.get(args) ?? PENDING + crypto.randomUUID();
  standIns.set(args, known);
  // An id is a string with a name tag for the type checker; this one is never sent anywhere, see `isPending`.
  return known as GenericId<Table>;
}

/** Whether this is shown ahead of the deployment's answer, and has no address yet. */
export const isPending = (id: string) => id.startsWith(PENDING);

const ahead = new WeakSet<object>();

/** A list as an optimistic update shows it: notes which rows it has changed, so that they can say that they wait. */
export function shownAhead<Row extends object>(before: readonly Row[], after: Row[]): Row[] {
  const known = new Set(before);
  for (const row of after) if (!known.has(row)) ahead.add(row);
  return after;
}

/** Whether this row is shown ahead of the deployment's answer, which puts another in its place. */
export const isShownAhead = (row: object) => ahead.has(row);

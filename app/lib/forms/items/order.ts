import type { FunctionArgs } from "convex/server";
import type { api } from "#convex/_generated/api";

type OrderArgs = FunctionArgs<typeof api.projects.reorder>;

const TO = ["up", "down", "first", "last", "before", "after"] as const;

export const ORDER_FIELDS = ["id", "to", "beside"] as const;

export function orderArgs({ id, to, beside }: Readonly<Record<(typeof ORDER_FIELDS)[number], string>>): OrderArgs {
  return { id, to: TO.find((each) => each === to) ?? "last", ...(beside !== "" && { beside }) };
}

export function reordered<Row extends { _id: string }>(rows: Row[], { id, to, beside }: OrderArgs, elsewhere: readonly Row[] = []): Row[] {
  const isIt = ({ _id }: Row) => _id === id;
  const at = rows.findIndex(isIt);
  const moved = elsewhere.find(isIt);
  // A copy, because each page marks its optimistic rows.
  const row = rows[at] ?? (moved && { ...moved });
  if (!row) return rows;
  const otherRows = at < 0 ? rows : rows.filter((each) => each !== row);
  if (to === "before" || to === "after") {
    const next = otherRows.findIndex(({ _id }) => _id === beside);
    if (next >= 0) return otherRows.toSpliced(to === "before" ? next : next + 1, 0, row);
    return elsewhere.some(({ _id }) => _id === beside) ? otherRows : rows;
  }
  if (at < 0) return rows;
  return otherRows.toSpliced({ up: Math.max(0, at - 1), down: at + 1, first: 0, last: otherRows.length }[to], 0, row);
}

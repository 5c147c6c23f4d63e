import type { FunctionArgs } from "convex/server";
import type { api } from "#convex/_generated/api";

type OrderArgs = FunctionArgs<typeof api.projects.reorder>;

const TO = ["up", "down", "first", "last", "before", "after"] as const;

/** The fields of a form that puts something elsewhere in its list. */
export const ORDER_FIELDS = ["id", "to", "beside"] as const;

/** What these fields say; a direction that is none is the end. */
export function orderArgs(of: (field: (typeof ORDER_FIELDS)[number]) => string): OrderArgs {
  const to = TO.find((each) => each === of("to")) ?? "last";
  return { id: of("id"), to, ...(of("beside") !== "" && { beside: of("beside") }) };
}

/**
 * A list, or a page of one, as it stands once something was put elsewhere; as the deployment does it, on the rows that are shown. What moves may come
 * from another page, or go to one.
 * @param elsewhere rows of the same list that other pages show
 */
export function reordered<Row extends { _id: string }>(rows: Row[], { id, to, beside }: OrderArgs, elsewhere: readonly Row[] = []): Row[] {
  const isIt = ({ _id }: Row) => _id === id;
  const at = rows.findIndex(isIt);
  const moved = elsewhere.find(isIt);
  // A row of its own, as each page marks what it shows ahead of the answer.
  const row = rows[at] ?? (moved && { ...moved });
  if (!row) return rows;
  const others = at < 0 ? rows : rows.filter((each) => each !== row);
  if (to === "before" || to === "after") {
    const next = others.findIndex(({ _id }) => _id === beside);
    if (next >= 0) return others.toSpliced(to === "before" ? next : next + 1, 0, row);
    return elsewhere.some(({ _id }) => _id === beside) ? others : rows;
  }
  if (at < 0) return rows;
  return others.toSpliced({ up: Math.max(0, at - 1), down: at + 1, first: 0, last: others.length }[to], 0, row);
}

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

/** A list as it stands once something in it was put elsewhere; as the deployment does it, on the rows that are shown. */
export function reordered<Row extends { _id: string }>(rows: Row[], { id, to, beside }: OrderArgs): Row[] {
  const at = rows.findIndex(({ _id }) => _id === id);
  const row = rows[at];
  if (!row) return rows;
  const others = rows.filter((each) => each !== row);
  const next = others.findIndex(({ _id }) => _id === beside);
  if ((to === "before" || to === "after") && next < 0) return rows;
  const places = { up: Math.max(0, at - 1), down: at + 1, first: 0, last: others.length, before: next, after: next + 1 };
  return others.toSpliced(places[to], 0, row);
}

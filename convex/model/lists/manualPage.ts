import type { List, Row } from "./order";

/** Pages in manual order. The cursor is a row's position, so a transaction can read several pages, and the row can leave the list. */

export type ManualPosition = { key: string | null; age: number };

export const positionOf = ({ orderKey, _creationTime }: Row): ManualPosition => ({ key: orderKey ?? null, age: _creationTime });

/** The first manual sorting assigns missing keys. A page after a row that had no key then restarts at the first row. */
export async function rowsAfter<Each extends Row>(list: List<Each>, after: ManualPosition | null, limit: number): Promise<Each[]> {
  if (after === null) return list("all", "asc", limit);
  const ties = await list({ key: after.key ?? undefined, newerThan: after.age }, "asc", limit);
  if (ties.length === limit) return ties;
  return [...ties, ...(await list({ above: after.key ?? "" }, "asc", limit - ties.length))];
}

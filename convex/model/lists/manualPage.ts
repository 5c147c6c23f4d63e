import type { List, Row } from "./order";

/** Pages in manual order whose cursor is a row's position, so that a transaction can read several, and rows can leave the list. */

export type ManualPosition = { key: string | null; age: number };

export const positionOf = ({ orderKey, _creationTime }: Row): ManualPosition => ({ key: orderKey ?? null, age: _creationTime });

/** The first manual sorting gives keys to rows without one: then a page after such a row starts again. */
export async function rowsAfter<Each extends Row>(list: List<Each>, after: ManualPosition | null, limit: number): Promise<Each[]> {
  if (after === null) return list("all", "asc", limit);
  const twins = await list({ key: after.key ?? undefined, newerThan: after.age }, "asc", limit);
  if (twins.length === limit) return twins;
  return [...twins, ...(await list({ above: after.key ?? "" }, "asc", limit - twins.length))];
}

import type { Doc, Id } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";

/** Pages in manual order whose cursor is a row's place, so that a transaction can read several, and rows can leave the list. */

type Row = { orderKey?: string | undefined; _creationTime: number };
export type ManualPlace = { key: string | null; age: number };

export const placeOfRow = ({ orderKey, _creationTime }: Row): ManualPlace => ({ key: orderKey ?? null, age: _creationTime });

export async function imagesAfter(
  { db }: QueryCtx,
  designId: Id<"designs">,
  after: ManualPlace | null,
  limit: number,
): Promise<Doc<"designImages">[]> {
  const images = () => db.query("designImages");
  if (after === null) {
    return images()
      .withIndex("by_order", (q) => q.eq("designId", designId).eq("removedAt", undefined))
      .take(limit);
  }
  const key = after.key ?? undefined;
  const twins = await images()
    .withIndex("by_order", (q) => q.eq("designId", designId).eq("removedAt", undefined).eq("orderKey", key).gt("_creationTime", after.age))
    .take(limit);
  const others = await images()
    .withIndex("by_order", (q) =>
      q
        .eq("designId", designId)
        .eq("removedAt", undefined)
        .gt("orderKey", key ?? ""),
    )
    .take(limit - twins.length || 1);
  return [...twins, ...others].slice(0, limit);
}

export async function designsAfter(
  { db }: QueryCtx,
  projectId: Id<"projects">,
  after: ManualPlace | null,
  limit: number,
): Promise<Doc<"designs">[]> {
  const designs = () => db.query("designs");
  if (after === null) {
    return designs()
      .withIndex("by_order", (q) => q.eq("projectId", projectId).eq("removedAt", undefined))
      .take(limit);
  }
  const key = after.key ?? undefined;
  const twins = await designs()
    .withIndex("by_order", (q) =>
      q.eq("projectId", projectId).eq("removedAt", undefined).eq("orderKey", key).gt("_creationTime", after.age),
    )
    .take(limit);
  const others = await designs()
    .withIndex("by_order", (q) =>
      q
        .eq("projectId", projectId)
        .eq("removedAt", undefined)
        .gt("orderKey", key ?? ""),
    )
    .take(limit - twins.length || 1);
  return [...twins, ...others].slice(0, limit);
}

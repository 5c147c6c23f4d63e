import type { Doc } from "../../_generated/dataModel";
import { designFor, imageFor, type ItemPath, type ReaderCtx } from "../access";
import type { Right } from "../rights";

export type CommentedPath = ItemPath & { item: Doc<"designs"> | Doc<"designImages"> };

export async function commentedFor(ctx: ReaderCtx, id: string, right: Right): Promise<CommentedPath> {
  if (ctx.db.normalizeId("designImages", id)) {
    const path = await imageFor(ctx, id, right);
    return { ...path, item: path.image };
  }
  const path = await designFor(ctx, id, right);
  return { ...path, item: path.design };
}

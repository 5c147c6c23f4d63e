import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { projectFor, userQuery } from "./model/access";
import { rowsAfter } from "./model/lists/manualPage";
import { imagesOf, imagesWith } from "./model/lists/order";
import { pageOf } from "./model/lists/paging";
import { reviewStatus } from "./model/review/reviewTables";
import { designImageShape, toDesignImage } from "./model/shapes";

const groupShape = v.object({
  design: v.object({ _id: v.id("designs"), name: v.string(), imageCount: v.number() }),
  images: v.array(designImageShape),
});
export type ProjectImagesGroup = Infer<typeof groupShape>;

const DESIGNS = 40;

/** Returns images by design, sorted by newest image or, with a status, by the number of reviewed images. Open pages use this name. */
export const listProjectImages = userQuery({
  args: { projectId: v.string(), review: v.optional(reviewStatus), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(groupShape),
  handler: async (ctx, { projectId, review, paginationOpts }) => {
    const project = await projectFor(ctx, projectId, "view");
    const { cursor, numItems } = pageOf(paginationOpts);
    const from = cursor === null ? null : positionOf(cursor);
    const page: ProjectImagesGroup[] = [];
    let remaining = numItems;
    const designs = await (review === undefined ? designsFrom(ctx, project._id, from) : reviewedFrom(ctx, project._id, from));
    for (const [index, design] of designs.entries()) {
      const continues = from !== null && from.design === design._id;
      const isSkipped = review !== undefined && design.imageReviews?.[review] === 0;
      const list = review === undefined ? imagesOf(ctx, design._id) : imagesWith(ctx, design._id, review);
      const rows = isSkipped ? [] : await rowsAfter(list, continues ? from : null, remaining + 1);
      const images = rows.slice(0, remaining);
      const { _id, name, imageCount } = design;
      if (images.length > 0) page.push({ design: { _id, name, imageCount }, images: images.map(toDesignImage) });
      remaining -= images.length;
      const last = images.at(-1);
      const at = review === undefined ? design.latestImageAt : (design.reviewedImages ?? 0);
      const end: Position = { at, design: _id, key: last?.orderKey ?? null, age: last?._creationTime ?? 0 };
      const isLast = page.length === DESIGNS || index === DESIGNS;
      if (rows.length > images.length || remaining === 0 || isLast) {
        return { page, isDone: false, continueCursor: JSON.stringify(end) };
      }
    }
    return { page, isDone: true, continueCursor: "" };
  },
});

type Position = { at: number; design: string; key: string | null; age: number };

function positionOf(cursor: string): Position | null {
  try {
    const position: unknown = JSON.parse(cursor);
    return isPosition(position) ? position : null;
  } catch {
    return null;
  }
}

function isPosition(value: unknown): value is Position {
  return (
    typeof value === "object" &&
    value !== null &&
    "at" in value &&
    typeof value.at === "number" &&
    "design" in value &&
    typeof value.design === "string" &&
    "key" in value &&
    (value.key === null || typeof value.key === "string") &&
    "age" in value &&
    typeof value.age === "number"
  );
}

async function designsFrom({ db }: QueryCtx, projectId: Id<"projects">, from: Position | null): Promise<Doc<"designs">[]> {
  const designs = await db
    .query("designs")
    .withIndex("by_latest_image", (q) => {
      const range = q.eq("projectId", projectId).eq("removedAt", undefined).gt("latestImageAt", 0);
      return from === null ? range : range.lte("latestImageAt", from.at);
    })
    .order("desc")
    .take(DESIGNS + 1);
  const start = from === null ? -1 : designs.findIndex(({ _id }) => _id === from.design);
  return start > 0 ? designs.slice(start) : designs;
}

async function reviewedFrom({ db }: QueryCtx, projectId: Id<"projects">, from: Position | null): Promise<Doc<"designs">[]> {
  const designs = db.query("designs");
  const designId = from && db.normalizeId("designs", from.design);
  const first = designId && (await db.get(designId));
  // Many designs have the same number of reviewed images: their age breaks the tie.
  const ties =
    from && first
      ? await designs
          .withIndex("by_reviewed_images", (q) =>
            q.eq("projectId", projectId).eq("removedAt", undefined).eq("reviewedImages", from.at).lte("_creationTime", first._creationTime),
          )
          .order("desc")
          .take(DESIGNS + 1)
      : [];
  const others = await designs
    .withIndex("by_reviewed_images", (q) => {
      const range = q.eq("projectId", projectId).eq("removedAt", undefined).gt("reviewedImages", 0);
      return from === null ? range : range.lt("reviewedImages", from.at);
    })
    .order("desc")
    .take(DESIGNS + 1 - ties.length);
  return [...ties, ...others];
}

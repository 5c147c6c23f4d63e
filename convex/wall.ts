import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel";
import type { QueryCtx } from "./_generated/server";
import { projectFor, userQuery } from "./model/access";
import { rowsAfter } from "./model/lists/manualPage";
import { imagesOf } from "./model/lists/order";
import { pageOf } from "./model/lists/paging";
import { designImageShape, toDesignImage } from "./model/shapes";

const groupShape = v.object({
  design: v.object({ _id: v.id("designs"), name: v.string(), imageCount: v.number() }),
  images: v.array(designImageShape),
});
export type ProjectImagesGroup = Infer<typeof groupShape>;

const DESIGNS = 40;

/** Designs with the newest images come first. Reads only the page's images and their designs. Open pages call it by this name. */
export const listProjectImages = userQuery({
  args: { projectId: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(groupShape),
  handler: async (ctx, { projectId, paginationOpts }) => {
    const project = await projectFor(ctx, projectId, "view");
    const { cursor, numItems } = pageOf(paginationOpts);
    const from = cursor === null ? null : positionOf(cursor);
    const page: ProjectImagesGroup[] = [];
    let remaining = numItems;
    for (const design of await designsFrom(ctx, project._id, from)) {
      const continues = from !== null && from.design === design._id;
      const rows = await rowsAfter(imagesOf(ctx, design._id), continues ? from : null, remaining + 1);
      const images = rows.slice(0, remaining);
      const { _id, name, imageCount } = design;
      if (images.length > 0) page.push({ design: { _id, name, imageCount }, images: images.map(toDesignImage) });
      remaining -= images.length;
      const last = images.at(-1);
      const end: Position = { at: design.latestImageAt, design: _id, key: last?.orderKey ?? null, age: last?._creationTime ?? 0 };
      if (rows.length > images.length || remaining === 0 || page.length === DESIGNS) {
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

/** Designs whose newest images share a time are not distinguished here. */
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

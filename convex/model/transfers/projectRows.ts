import { type Infer, v } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel";
import type { QueryCtx } from "../../_generated/server";
import { bytesInComments } from "../comments/commentImages";
import { rowOfFile } from "../images/files";
import { VERSIONS_MAX } from "../rules";
import type { Owners } from "./transferRows";

const DESIGNS = 20;
const IMAGES = 50;
const SMALL_PROJECT_ROWS = 300;

/** A transaction may have one paginated query, so designs are listed in pages before their images. */
export const positionFields = {
  cursor: v.union(v.string(), v.null()),
  isListed: v.boolean(),
  waiting: v.array(v.id("designs")),
  imageCursor: v.union(v.string(), v.null()),
};
const positionObject = v.object(positionFields);
export type Position = Infer<typeof positionObject>;

export const START: Position = { cursor: null, isListed: false, waiting: [], imageCursor: null };

type Rows = { images: Doc<"designImages">[]; designs: Doc<"designs">[]; next: Position | null };

export async function rowsAt({ db }: QueryCtx, projectId: Id<"projects">, position: Position): Promise<Rows> {
  const [designId, ...rest] = position.waiting;
  if (designId === undefined) {
    const { page, isDone, continueCursor } = await db
      .query("designs")
      .withIndex("by_creation", (q) => q.eq("projectId", projectId))
      .paginate({ cursor: position.cursor, numItems: DESIGNS });
    const next = { cursor: continueCursor, isListed: isDone, waiting: page.map(({ _id }) => _id), imageCursor: null };
    return { images: [], designs: [], next: unlessOver(next) };
  }
  const { page, isDone, continueCursor } = await db
    .query("designImages")
    .withIndex("by_design", (q) => q.eq("designId", designId))
    .paginate({ cursor: position.imageCursor, numItems: IMAGES });
  if (!isDone) return { images: page, designs: [], next: { ...position, imageCursor: continueCursor } };
  const design = await db.get(designId);
  return { images: page, designs: design ? [design] : [], next: unlessOver({ ...position, waiting: rest, imageCursor: null }) };
}

const unlessOver = (position: Position): Position | null => (position.isListed && position.waiting.length === 0 ? null : position);

/** Returns all designs and images of a small project; null for a larger one. */
export async function rowsOfSmallProject(
  { db }: QueryCtx,
  projectId: Id<"projects">,
): Promise<{ designs: Doc<"designs">[]; images: Doc<"designImages">[] } | null> {
  const designs = await db
    .query("designs")
    .withIndex("by_creation", (q) => q.eq("projectId", projectId))
    .take(SMALL_PROJECT_ROWS + 1);
  const images: Doc<"designImages">[] = [];
  for (const { _id } of designs) {
    const room = SMALL_PROJECT_ROWS - designs.length - images.length;
    if (room < 0) return null;
    const found = await db
      .query("designImages")
      .withIndex("by_design", (q) => q.eq("designId", _id))
      .take(room + 1);
    images.push(...found);
  }
  return designs.length + images.length > SMALL_PROJECT_ROWS ? null : { designs, images };
}

/** Returns the bytes that the images and their versions add for the recipient, for whom each stored file counts once. */
export async function bytesOf(ctx: QueryCtx, images: Doc<"designImages">[], { toId }: Owners): Promise<number> {
  const files = new Map<Id<"_storage">, number>();
  for (const image of images) {
    files.set(image.storageId, image.size);
    if (image.versionId === undefined) continue;
    const versions = await ctx.db
      .query("imageVersions")
      .withIndex("by_image", (q) => q.eq("imageId", image._id))
      .take(VERSIONS_MAX);
    for (const { storageId, size } of versions) files.set(storageId, size);
  }
  let bytes = await bytesInComments(ctx, images);
  for (const [storageId, size] of files) if ((await rowOfFile(ctx, storageId, { ownerId: toId })) === null) bytes += size;
  return bytes;
}

import { internal } from "../../_generated/api";
import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx } from "../../_generated/server";
import { favouriteOfNewOwner } from "../items/favourites";
import { rowOfFile } from "../images/files";
import { changeUsage } from "../limits/usage";
import { VERSIONS_MAX } from "../rules";
import { deleteTagUses, addTagUses } from "../tags/tagging";

/** Changes the owner of rows. The owner's bytes change in the same transaction, so a repeated step counts nothing twice. */

type Bytes = Map<string | undefined, number>;

export async function transferImages(
  ctx: MutationCtx,
  images: Doc<"designImages">[],
  ownerId: string,
  rowsMax = Infinity,
): Promise<number> {
  const bytes: Bytes = new Map();
  let rows = 0;
  for (const image of images) {
    if (image.ownerId === ownerId) continue;
    if (rows >= rowsMax) break;
    rows += await transferImage(ctx, image, ownerId, bytes);
    await transferCommentImages(ctx, image, ownerId);
  }
  for (const [owner, changed] of bytes) if (changed !== 0) await changeUsage(ctx, owner, { bytes: changed });
  return rows;
}

async function transferImage(ctx: MutationCtx, image: Doc<"designImages">, ownerId: string, bytes: Bytes): Promise<number> {
  const { db } = ctx;
  const versions = await db
    .query("imageVersions")
    .withIndex("by_image", (q) => q.eq("imageId", image._id))
    .take(VERSIONS_MAX);
  const rows = [image, ...versions];
  // Rows of earlier builds without an owner do not count in any usage.
  const files = new Map<Id<"_storage">, { size: number; former: string | undefined }>(
    rows.map((row) => [row.storageId, { size: row.size, former: row.ownerId }]),
  );
  const add = (owner: string | undefined, size: number) => bytes.set(owner, (bytes.get(owner) ?? 0) + size);
  for (const [storageId, { size }] of files) if ((await rowOfFile(ctx, storageId, { ownerId })) === null) add(ownerId, size);
  const author = image.authorId ?? image.ownerId;
  await db.patch(image._id, { ownerId, authorId: author === ownerId ? undefined : author });
  for (const { _id, authorId = image.ownerId } of versions) await db.patch(_id, { ownerId, ...(authorId !== undefined && { authorId }) });
  for (const [storageId, { size, former }] of files)
    if (former !== undefined && former !== ownerId && (await rowOfFile(ctx, storageId, { ownerId: former })) === null) add(former, -size);
  return rows.length + (await transferTags(ctx, image, ownerId));
}

export async function transferDesign(ctx: MutationCtx, design: Doc<"designs">, { fromId, toId }: Owners): Promise<void> {
  if (design.ownerId === toId) return;
  await ctx.db.patch(design._id, { ownerId: toId, favouriteAt: await favouriteOfNewOwner(ctx, design, fromId, toId) });
  await transferCommentImages(ctx, design, toId);
  await transferTags(ctx, design, toId);
}

async function transferCommentImages(ctx: MutationCtx, item: Doc<"designs"> | Doc<"designImages">, ownerId: string): Promise<void> {
  if (item.lastCommentAt === undefined) return;
  await ctx.scheduler.runAfter(0, internal.jobs.comments.transferImages, { itemId: item._id, ownerId, cursor: null });
}

export type Owners = Pick<Doc<"transfers">, "fromId" | "toId">;

async function transferTags(ctx: MutationCtx, row: Doc<"designs"> | Doc<"designImages">, ownerId: string): Promise<number> {
  const { tags } = row;
  if (tags === undefined) return 0;
  await deleteTagUses(ctx, row);
  const item = "designId" in row ? { kind: "image" as const, thing: row._id } : { kind: "design" as const, thing: row._id };
  await addTagUses(ctx, ownerId, [{ ...item, tags }]);
  return 2 * tags.length;
}

import { v } from "convex/values";
import type { QueryCtx } from "../_generated/server";
import { serverMutationFor, serverQueryFor } from "../model/access";
import { invalid, notFound } from "../model/errors";

const BYTES_MAX = 256 * 1024;

export const put = serverMutationFor({
  args: { contentType: v.string(), checksum: v.string(), bytes: v.bytes() },
  returns: v.null(),
  handler: async ({ db, user }, picture) => {
    if (picture.bytes.byteLength > BYTES_MAX) throw invalid({ picture: ["The image is too large."] });
    const existing = await pictureOf(db, user.id);
    if (existing) await db.patch(existing._id, picture);
    else await db.insert("userPictures", { userId: user.id, ...picture });
    return null;
  },
});

export const remove = serverMutationFor({
  args: {},
  returns: v.null(),
  handler: async ({ db, user }) => {
    const existing = await pictureOf(db, user.id);
    if (existing) await db.delete(existing._id);
    return null;
  },
});

export const get = serverQueryFor({
  args: { userId: v.string() },
  returns: v.object({ contentType: v.string(), checksum: v.string(), bytes: v.bytes() }),
  handler: async ({ db, user }, { userId }) => {
    const picture = userId === user.id ? await pictureOf(db, userId) : null;
    if (!picture) throw notFound();
    const { contentType, checksum, bytes } = picture;
    return { contentType, checksum, bytes };
  },
});

const pictureOf = (db: QueryCtx["db"], userId: string) =>
  db
    .query("userPictures")
    .withIndex("by_user", (q) => q.eq("userId", userId))
    .unique();

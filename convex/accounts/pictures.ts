import { v } from "convex/values";
import type { QueryCtx } from "../_generated/server";
import { serverMutationFor, serverQueryFor } from "../access";
import { invalid, notFound } from "../errors";

/** The pictures by which people are known. The app server makes them and serves them; nobody else writes them. */

/** Far more than a square of 256 px takes. */
const BYTES_MAX = 256 * 1024;

/** Puts a picture in the place of the one that was there. */
export const put = serverMutationFor({
  args: { contentType: v.string(), checksum: v.string(), bytes: v.bytes() },
  returns: v.null(),
  handler: async ({ db, user }, picture) => {
    if (picture.bytes.byteLength > BYTES_MAX) throw invalid({ picture: ["The picture is too large."] });
    const known = await pictureOf(db, user.id);
    if (known) await db.patch(known._id, picture);
    else await db.insert("userPictures", { userId: user.id, ...picture });
    return null;
  },
});

/** Removes the picture; that there is none is no error. */
export const remove = serverMutationFor({
  args: {},
  returns: v.null(),
  handler: async ({ db, user }) => {
    const known = await pictureOf(db, user.id);
    if (known) await db.delete(known._id);
    return null;
  },
});

/** Somebody's picture, for who may see it: themselves. Throws "not_found" alike for a missing one and another person's. */
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

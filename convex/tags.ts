import { v } from "convex/values";
import { designFor, imageFor, userMutation, userQuery } from "./access";
import { check } from "./check";
import { addTag } from "./rules";
import { addTags, removeTag } from "./tagging";

/** How many of somebody's tags are told at once: for suggestions, of which nobody reads more. */
const TOLD = 200;

/** The caller's tags by their names: what they can use again. */
export const getTags = userQuery({
  args: {},
  returns: v.array(v.string()),
  handler: async ({ db, user }) => {
    const tags = await db
      .query("tags")
      .withIndex("by_owner", (q) => q.eq("ownerId", user.id))
      .take(TOLD);
    return tags.map(({ label }) => label);
  },
});

const args = { id: v.string(), tag: v.string() };

/** Puts a tag on a design, or several, parted by commas. Throws "not_found", "invalid" for the tag, "limit" for too many. */
export const tagDesign = userMutation({
  args,
  returns: v.null(),
  handler: async (ctx, { id, tag: typed }) => {
    const place = await designFor(ctx, id, "edit");
    await addTags(ctx, place, check(addTag, { tag: typed }).tag);
    return null;
  },
});

/** Takes a tag off a design; one that it has not is no error. Throws "not_found". */
export const untagDesign = userMutation({
  args,
  returns: v.null(),
  handler: async (ctx, { id, tag }) => {
    await removeTag(ctx, await designFor(ctx, id, "edit"), tag);
    return null;
  },
});

/** Puts a tag on an image, as `tagDesign` does. */
export const tagImage = userMutation({
  args,
  returns: v.null(),
  handler: async (ctx, { id, tag: typed }) => {
    const place = await imageFor(ctx, id, "edit");
    await addTags(ctx, place, check(addTag, { tag: typed }).tag);
    return null;
  },
});

/** Takes a tag off an image, as `untagDesign` does. */
export const untagImage = userMutation({
  args,
  returns: v.null(),
  handler: async (ctx, { id, tag }) => {
    await removeTag(ctx, await imageFor(ctx, id, "edit"), tag);
    return null;
  },
});

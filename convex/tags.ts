import { v } from "convex/values";
import { designFor, imageFor, userMutation, type UserMutationCtx, userQuery } from "./access";
import { check } from "./check";
import { addTag } from "./rules";
import { addTags, type Place, removeTag } from "./tagging";

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

/** What puts tags on one thing, or takes one off. */
function tagging(
  placeFor: (ctx: UserMutationCtx, id: string, right: "edit") => Promise<Place>,
  change: (ctx: UserMutationCtx, place: Place, tag: string) => Promise<unknown>,
) {
  return userMutation({
    args: { id: v.string(), tag: v.string() },
    returns: v.null(),
    handler: async (ctx, { id, tag }) => {
      await change(ctx, await placeFor(ctx, id, "edit"), tag);
      return null;
    },
  });
}

const putOn = (ctx: UserMutationCtx, place: Place, typed: string) => addTags(ctx, place, check(addTag, { tag: typed }).tag);

/** Puts a tag on a design, or several, parted by commas. Throws "not_found", "invalid" for the tag, "limit" for too many. */
export const tagDesign = tagging(designFor, putOn);

/** Takes a tag off a design; one that it has not is no error. Throws "not_found". */
export const untagDesign = tagging(designFor, removeTag);

/** Puts a tag on an image, as `tagDesign` does. */
export const tagImage = tagging(imageFor, putOn);

/** Takes a tag off an image, as `untagDesign` does. */
export const untagImage = tagging(imageFor, removeTag);

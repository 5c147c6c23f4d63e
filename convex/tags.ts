import { v } from "convex/values";
import { designFor, imageFor, undoableMutation, type UserMutationCtx, userQuery } from "./model/access";
import { check } from "./model/check";
import { addTag } from "./model/rules";
import { addTags, type TaggedPath, removeTag } from "./model/tags/tagging";

const MAX_TAGS = 200;

export const getTags = userQuery({
  args: {},
  returns: v.array(v.string()),
  handler: async ({ db, user }) => {
    const tags = await db
      .query("tags")
      .withIndex("by_owner", (q) => q.eq("ownerId", user.id))
      .take(MAX_TAGS);
    return tags.map(({ label }) => label);
  },
});

function tagging(
  pathFor: (ctx: UserMutationCtx, id: string, right: "edit") => Promise<TaggedPath>,
  change: (ctx: UserMutationCtx, path: TaggedPath, tag: string) => Promise<unknown>,
) {
  return undoableMutation({
    args: { id: v.string(), tag: v.string() },
    returns: v.null(),
    handler: async (ctx, { id, tag }) => {
      await change(ctx, await pathFor(ctx, id, "edit"), tag);
      return null;
    },
  });
}

const addTypedTag = (ctx: UserMutationCtx, path: TaggedPath, typed: string) => addTags(ctx, path, check(addTag, { tag: typed }).tag);

export const tagDesign = tagging(designFor, addTypedTag);

export const untagDesign = tagging(designFor, removeTag);

export const tagImage = tagging(imageFor, addTypedTag);

export const untagImage = tagging(imageFor, removeTag);

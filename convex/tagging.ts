import type { Doc, Id } from "./_generated/dataModel";
import type { MutationCtx, QueryCtx } from "./_generated/server";
import { recordActivity } from "./activity";
import { limit } from "./errors";
import { tagKey, TAGS_MAX } from "./rules";
import { touch } from "./summaries";
import { searchWords } from "./words";

/**
 * Putting tags on designs and images and taking them off again: the words on the thing's row and the rows by which it is found (`tagTables.ts`)
 * change in the same mutation, so that the two never disagree.
 */

type Ctx = MutationCtx & { user: Pick<Doc<"users">, "id"> };
type DesignPlace = { design: Doc<"designs">; project: Doc<"projects"> };
/** Without an image: the design itself. */
type Place = DesignPlace & { image?: Doc<"designImages"> };
type Thing = { kind: "design"; thing: Id<"designs"> } | { kind: "image"; thing: Id<"designImages"> };

/**
 * Puts tags on a thing, as they are written elsewhere already if they are; one that it has stays as it is. Answers whether there was anything to
 * do. Throws "limit" where it would have more than `TAGS_MAX`.
 */
export async function addTags(ctx: Ctx, place: Place, labels: string[]): Promise<boolean> {
  const row = place.image ?? place.design;
  const has = new Set((row.tags ?? []).map(tagKey));
  const wanted = [...new Map(labels.map((label) => [tagKey(label), label]))].filter(([key]) => !has.has(key));
  if (wanted.length === 0) return false;
  if (has.size + wanted.length > TAGS_MAX) throw limit(`There can be ${TAGS_MAX} tags at most. Take one off first.`);
  const added: string[] = [];
  for (const [key, label] of wanted) added.push((await carry(ctx, place.project.ownerId, key, label, [thingOf(place)])).label);
  await writeTags(ctx, place, [...(row.tags ?? []), ...added]);
  for (const to of added) await recordActivity(ctx, { kind: "tagged", ...place, to });
  return true;
}

/** Takes a tag off a thing. Answers whether it had it. */
export async function removeTag(ctx: Ctx, place: Place, label: string): Promise<boolean> {
  const row = place.image ?? place.design;
  const key = tagKey(label);
  const gone = row.tags?.find((each) => tagKey(each) === key);
  if (gone === undefined) return false;
  const tag = await tagOf(ctx, place.project.ownerId, key);
  if (tag) {
    const rows = await ctx.db
      .query("taggings")
      .withIndex("by_thing", (q) => q.eq("thing", row._id).eq("tagId", tag._id))
      .take(1);
    for (const { _id } of rows) await ctx.db.delete(_id);
    await changeUses(ctx, tag._id, -rows.length);
  }
  await writeTags(
    ctx,
    place,
    (row.tags ?? []).filter((each) => each !== gone),
  );
  await recordActivity(ctx, { kind: "tagged", ...place, from: gone });
  return true;
}

/** Has things just made with their tags (copies) found by them too. */
export async function noteTags(ctx: MutationCtx, ownerId: string, made: (Thing & { tags: string[] | undefined })[]): Promise<void> {
  const byKey = Map.groupBy(
    made.flatMap(({ tags = [], ...thing }) => tags.map((label) => ({ label, thing }))),
    ({ label }) => tagKey(label),
  );
  for (const [key, carriers] of byKey) {
    const label = carriers[0]?.label ?? key;
    await carry(
      ctx,
      ownerId,
      key,
      label,
      carriers.map(({ thing: { kind, thing } }) => (kind === "design" ? { kind, thing } : { kind, thing })),
    );
  }
}

/** Forgets the tags of something whose row is deleted, and answers how many those were. */
export async function forgetTags(ctx: MutationCtx, { _id, tags }: Doc<"designs"> | Doc<"designImages">): Promise<number> {
  if (tags === undefined) return 0;
  const rows = await ctx.db
    .query("taggings")
    .withIndex("by_thing", (q) => q.eq("thing", _id))
    .take(TAGS_MAX);
  for (const { _id: id, tagId } of rows) {
    await ctx.db.delete(id);
    await changeUses(ctx, tagId, -1);
  }
  return rows.length;
}

/** Somebody's tag with this key, if they use it. */
export function tagOf({ db }: QueryCtx, ownerId: string, key: string): Promise<Doc<"tags"> | null> {
  return db
    .query("tags")
    .withIndex("by_owner", (q) => q.eq("ownerId", ownerId).eq("key", key))
    .unique();
}

/** Notes who carries a tag, and that it is used so much more; answers how it is written. */
async function carry(ctx: MutationCtx, ownerId: string, key: string, label: string, things: Thing[]): Promise<{ label: string }> {
  const known = await tagOf(ctx, ownerId, key);
  const tagId = known?._id ?? (await ctx.db.insert("tags", { ownerId, key, label, uses: 0 }));
  for (const { kind, thing } of things) await ctx.db.insert("taggings", { tagId, kind, thing });
  await changeUses(ctx, tagId, things.length);
  return known ?? { label };
}

async function changeUses({ db }: MutationCtx, tagId: Id<"tags">, by: number): Promise<void> {
  const tag = await db.get(tagId);
  if (!tag) return;
  if (tag.uses + by > 0) await db.patch(tagId, { uses: tag.uses + by });
  else await db.delete(tagId);
}

async function writeTags(ctx: MutationCtx, { image, design, project }: Place, all: string[]): Promise<void> {
  const tags = all.length === 0 ? undefined : all;
  if (image) await ctx.db.patch(image._id, { tags, words: searchWords({ ...image, tags }) });
  else await ctx.db.patch(design._id, { tags, words: searchWords({ ...design, tags }) });
  await touch(ctx, { design, project });
}

const thingOf = ({ image, design }: Place): Thing => (image ? { kind: "image", thing: image._id } : { kind: "design", thing: design._id });

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
export type Place = DesignPlace & { image?: Doc<"designImages"> };
type Thing = { kind: "design"; thing: Id<"designs"> } | { kind: "image"; thing: Id<"designImages"> };

/**
 * Puts tags on a thing, as they are written elsewhere already if they are; one that it has stays as it is. Answers whether there was anything to
 * do. Throws "limit" where it would have more than `TAGS_MAX`.
 */
export async function addTags(ctx: Ctx, place: Place, labels: string[]): Promise<boolean> {
  const has = new Set((rowOf(place).tags ?? []).map(tagKey));
  const more = new Set(labels.map(tagKey)).difference(has);
  if (more.size > 0 && has.size + more.size > TAGS_MAX) throw limit(`There can be ${TAGS_MAX} tags at most. Take one off first.`);
  await addTagsToAll(ctx, [place], labels);
  return more.size > 0;
}

/**
 * Puts tags on several things, as `addTags` does: what is noted once for a tag, or a place, is written once however many they are. Throws "limit"
 * where any of them would have more than `TAGS_MAX`.
 */
export async function addTagsToAll(ctx: Ctx, places: Place[], labels: string[]): Promise<void> {
  const asked = [...new Map(labels.map((label) => [tagKey(label), label]))];
  const changes = places.flatMap((place) => {
    const { tags = [], name } = rowOf(place);
    const has = new Set(tags.map(tagKey));
    const wanted = asked.filter(([key]) => !has.has(key));
    if (wanted.length > 0 && has.size + wanted.length > TAGS_MAX)
      throw limit(`“${name}” would have more than the ${TAGS_MAX} tags that there can be. Take one off it first.`);
    return wanted.map(([key, label]) => ({ place, key, label }));
  });
  const written = new Map<Place, string[]>();
  for (const group of Map.groupBy(changes, ({ key, place }) => `${place.project.ownerId} ${key}`).values()) {
    const [first] = group;
    if (!first) continue;
    const { key, label, place } = first;
    const things = group.map((change) => change.place);
    const tag = await carry(ctx, place.project.ownerId, key, label, things.map(thingOf));
    for (const thing of things) written.set(thing, [...(written.get(thing) ?? []), tag.label]);
  }
  for (const [place, added] of written) await writeTags(ctx, place, [...(rowOf(place).tags ?? []), ...added]);
  await tell(
    ctx,
    [...written].flatMap(([place, added]) => added.map((to) => ({ place, to }))),
  );
}

/** Takes a tag off a thing; one that it has not is no error. */
export async function removeTag(ctx: Ctx, place: Place, label: string): Promise<void> {
  await removeTagsFromAll(ctx, [place], [label]);
}

/** Takes tags off several things, from each what it has of them. */
export async function removeTagsFromAll(ctx: Ctx, places: Place[], labels: string[]): Promise<void> {
  const keys = new Set(labels.map(tagKey));
  const carriers = places.flatMap((place) => {
    const gone = (rowOf(place).tags ?? []).filter((each) => keys.has(tagKey(each)));
    return gone.length === 0 ? [] : [{ place, gone }];
  });
  const uses = new Map<Id<"tags">, number>();
  for (const [ownerId, group] of Map.groupBy(carriers, ({ place }) => place.project.ownerId)) {
    const tags = new Set<Id<"tags">>();
    for (const key of keys) {
      const tag = await tagOf(ctx, ownerId, key);
      if (tag) tags.add(tag._id);
    }
    for (const { place } of group) {
      const rows = await ctx.db
        .query("taggings")
        .withIndex("by_thing", (q) => q.eq("thing", rowOf(place)._id))
        .take(TAGS_MAX);
      for (const { _id, tagId } of rows) {
        if (!tags.has(tagId)) continue;
        await ctx.db.delete(_id);
        uses.set(tagId, (uses.get(tagId) ?? 0) + 1);
      }
    }
  }
  for (const [tagId, gone] of uses) await changeUses(ctx, tagId, -gone);
  for (const { place, gone } of carriers) {
    const left = (rowOf(place).tags ?? []).filter((each) => !gone.includes(each));
    await writeTags(ctx, place, left);
  }
  await tell(
    ctx,
    carriers.flatMap(({ place, gone }) => gone.map((from) => ({ place, from }))),
  );
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

async function writeTags({ db }: MutationCtx, { image, design }: Place, all: string[]): Promise<void> {
  const tags = all.length === 0 ? undefined : all;
  if (image) await db.patch(image._id, { tags, words: searchWords({ ...image, tags }) });
  else await db.patch(design._id, { tags, words: searchWords({ ...design, tags }) });
}

/** Brings the places of what changed up to date, and has their histories tell of it: once each, with how many they were. */
async function tell(ctx: Ctx, changes: { place: Place; from?: string; to?: string }[]): Promise<void> {
  for (const { place } of new Map(changes.map((change) => [change.place.design._id, change])).values()) await touch(ctx, place);
  const entries = Map.groupBy(changes, ({ place: { image, design, project }, from, to }) =>
    JSON.stringify([project._id, image && design._id, from, to]),
  );
  for (const group of entries.values()) {
    const [last] = group.slice(-1);
    if (!last) continue;
    const { place, ...what } = last;
    await recordActivity(ctx, { kind: "tagged", ...place, ...what, count: group.length });
  }
}

const rowOf = ({ image, design }: Place): Doc<"designs"> | Doc<"designImages"> => image ?? design;

const thingOf = ({ image, design }: Place): Thing => (image ? { kind: "image", thing: image._id } : { kind: "design", thing: design._id });

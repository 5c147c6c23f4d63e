import type { Doc, Id } from "../../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../../_generated/server";
import { recordActivity } from "../activities/recordActivity";
import type { DesignPath } from "../access";
import { limit } from "../errors";
import { isolate } from "../isolate";
import { tagKey, TAGS_MAX } from "../rules";
import { touch } from "../items/summaries";
import { searchWords } from "../search/words";

type Ctx = MutationCtx & { user: Pick<Doc<"users">, "id"> };
export type TaggedPath = DesignPath & { image?: Doc<"designImages"> };
type TaggedItem = { kind: "design"; thing: Id<"designs"> } | { kind: "image"; thing: Id<"designImages"> };

/** Keeps the spelling already in use. Returns whether any tag was new; throws "limit" above `TAGS_MAX`. */
export async function addTags(ctx: Ctx, path: TaggedPath, labels: string[]): Promise<boolean> {
  const has = new Set((rowOf(path).tags ?? []).map(tagKey));
  const more = new Set(labels.map(tagKey)).difference(has);
  if (more.size > 0 && has.size + more.size > TAGS_MAX) throw limit(`You can have at most ${TAGS_MAX} tags on an item. Remove one first.`);
  await addTagsToAll(ctx, [path], labels);
  return more.size > 0;
}

/** Writes each shared row once. Throws "limit" if any item would exceed `TAGS_MAX`. */
export async function addTagsToAll(ctx: Ctx, paths: TaggedPath[], labels: string[]): Promise<void> {
  const requested = [...new Map(labels.map((label) => [tagKey(label), label]))];
  const changes = paths.flatMap((path) => {
    const { tags = [], name } = rowOf(path);
    const has = new Set(tags.map(tagKey));
    const missing = requested.filter(([key]) => !has.has(key));
    if (missing.length > 0 && has.size + missing.length > TAGS_MAX)
      throw limit(`“${isolate(name)}” can have at most ${TAGS_MAX} tags. Remove one first.`);
    return missing.map(([key, label]) => ({ path, key, label }));
  });
  const written = new Map<TaggedPath, string[]>();
  for (const group of Map.groupBy(changes, ({ key, path }) => `${path.project.ownerId} ${key}`).values()) {
    const [first] = group;
    if (!first) continue;
    const { key, label, path } = first;
    const things = group.map((change) => change.path);
    const tag = await addTagRows(ctx, path.project.ownerId, key, label, things.map(taggedItem));
    for (const thing of things) written.set(thing, [...(written.get(thing) ?? []), tag.label]);
  }
  for (const [path, added] of written) await writeTags(ctx, path, [...(rowOf(path).tags ?? []), ...added]);
  await recordTagActivity(
    ctx,
    [...written].flatMap(([path, added]) => added.map((to) => ({ path, to }))),
  );
}

export async function removeTag(ctx: Ctx, path: TaggedPath, label: string): Promise<void> {
  await removeTagsFromAll(ctx, [path], [label]);
}

export async function removeTagsFromAll(ctx: Ctx, paths: TaggedPath[], labels: string[]): Promise<void> {
  const keys = new Set(labels.map(tagKey));
  const taggedPaths = paths.flatMap((path) => {
    const removedTags = (rowOf(path).tags ?? []).filter((each) => keys.has(tagKey(each)));
    return removedTags.length === 0 ? [] : [{ path, gone: removedTags }];
  });
  const uses = new Map<Id<"tags">, number>();
  for (const [ownerId, group] of Map.groupBy(taggedPaths, ({ path }) => path.project.ownerId)) {
    const tags = new Set<Id<"tags">>();
    for (const key of keys) {
      const tag = await tagOf(ctx, ownerId, key);
      if (tag) tags.add(tag._id);
    }
    for (const { path } of group) {
      const rows = await ctx.db
        .query("taggings")
        .withIndex("by_thing", (q) => q.eq("thing", rowOf(path)._id))
        .take(TAGS_MAX);
      for (const { _id, tagId } of rows) {
        if (!tags.has(tagId)) continue;
        await ctx.db.delete(_id);
        uses.set(tagId, (uses.get(tagId) ?? 0) + 1);
      }
    }
  }
  for (const [tagId, gone] of uses) await changeUses(ctx, tagId, -gone);
  for (const { path, gone } of taggedPaths) {
    const remaining = (rowOf(path).tags ?? []).filter((each) => !gone.includes(each));
    await writeTags(ctx, path, remaining);
  }
  await recordTagActivity(
    ctx,
    taggedPaths.flatMap(({ path, gone }) => gone.map((from) => ({ path, from }))),
  );
}

export async function addTagUses(ctx: MutationCtx, ownerId: string, items: (TaggedItem & { tags: string[] | undefined })[]): Promise<void> {
  const byKey = Map.groupBy(
    items.flatMap(({ tags = [], ...thing }) => tags.map((label) => ({ label, thing }))),
    ({ label }) => tagKey(label),
  );
  for (const [key, carriers] of byKey) {
    const label = carriers[0]?.label ?? key;
    await addTagRows(
      ctx,
      ownerId,
      key,
      label,
      carriers.map(({ thing: { kind, thing } }) => (kind === "design" ? { kind, thing } : { kind, thing })),
    );
  }
}

export async function deleteTagUses(ctx: MutationCtx, { _id, tags }: Doc<"designs"> | Doc<"designImages">): Promise<number> {
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

export function tagOf({ db }: QueryCtx, ownerId: string, key: string): Promise<Doc<"tags"> | null> {
  return db
    .query("tags")
    .withIndex("by_owner", (q) => q.eq("ownerId", ownerId).eq("key", key))
    .unique();
}

async function addTagRows(ctx: MutationCtx, ownerId: string, key: string, label: string, things: TaggedItem[]): Promise<{ label: string }> {
  const existing = await tagOf(ctx, ownerId, key);
  const tagId = existing?._id ?? (await ctx.db.insert("tags", { ownerId, key, label, uses: 0 }));
  for (const { kind, thing } of things) await ctx.db.insert("taggings", { tagId, kind, thing });
  await changeUses(ctx, tagId, things.length);
  return existing ?? { label };
}

async function changeUses({ db }: MutationCtx, tagId: Id<"tags">, by: number): Promise<void> {
  const tag = await db.get(tagId);
  if (!tag) return;
  if (tag.uses + by > 0) await db.patch(tagId, { uses: tag.uses + by });
  else await db.delete(tagId);
}

async function writeTags({ db }: MutationCtx, { image, design }: TaggedPath, all: string[]): Promise<void> {
  const tags = all.length === 0 ? undefined : all;
  if (image) await db.patch(image._id, { tags, words: searchWords({ ...image, tags }) });
  else await db.patch(design._id, { tags, words: searchWords({ ...design, tags }) });
}

async function recordTagActivity(ctx: Ctx, changes: { path: TaggedPath; from?: string; to?: string }[]): Promise<void> {
  for (const { path } of new Map(changes.map((change) => [change.path.design._id, change])).values()) await touch(ctx, path);
  const entries = Map.groupBy(changes, ({ path: { image, design, project }, from, to }) =>
    JSON.stringify([project._id, image && design._id, from, to]),
  );
  for (const group of entries.values()) {
    const [last] = group.slice(-1);
    if (!last) continue;
    const { path, ...what } = last;
    await recordActivity(ctx, { kind: "tagged", ...path, ...what, count: group.length });
  }
}

const rowOf = ({ image, design }: TaggedPath): Doc<"designs"> | Doc<"designImages"> => image ?? design;

const taggedItem = ({ image, design }: TaggedPath): TaggedItem =>
  image ? { kind: "image", thing: image._id } : { kind: "design", thing: design._id };

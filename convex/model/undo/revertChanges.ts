import type { Doc, Id } from "../../_generated/dataModel";
import { recordActivity } from "../activities/recordActivity";
import {
  designFor,
  designsFor,
  expectRight,
  imageFor,
  imagesFor,
  type ItemPath,
  projectFor,
  trashedFor,
  unpurgedFor,
  type UserMutationCtx,
} from "../access";
import { designPaths, imagePaths } from "../bulk/applyAction";
import { conflict } from "../errors";
import { allProjectsWithFavourites, designsWithFavourites, favouriteAtOf, setFavourites } from "../items/favourites";
import { changeText, nameFields } from "../items/itemMutations";
import { moveDesigns, moveImages } from "../items/moves";
import { restoreReview } from "../review/setReviews";
import { searchWords } from "../search/words";
import { chosenIn } from "../items/summaries";
import { addTagsToAll, removeTagsFromAll } from "../tags/tagging";
import { rotateImage } from "../images/rotation";
import { restoreMany, trashDesigns, trashImages, trashProject } from "../items/trashing";
import { isolate } from "../isolate";
import { isField, isSame } from "./recordChanges";
import type { Change, Field } from "./undoTables";

type Ctx = UserMutationCtx;

/** Restores the earlier values. Throws "conflict" if a value has changed since, "not_found" if an item is missing. */
export async function revertChanges(ctx: Ctx, changes: Change[]): Promise<void> {
  const reading = withCachedReads(ctx);
  for (const change of changes) await expectUnchanged(reading, change);
  await revertTrash(ctx, reading, changes.filter(changed("removedAt")));
  await revertParents(ctx, changes);
  const isTagging = changes.every((change) => fieldsOf(change).every((field) => field === "tags"));
  await revertTags(ctx, isTagging ? reading : ctx, changes.filter(changed("tags")));
  await revertFavourites(ctx, changes.filter(changed("favouriteAt")));
  for (const change of changes) await revertFields(ctx, change);
}

/** Reads each row once, because a transaction limits its reads. Valid only until the first write. */
export function withCachedReads(ctx: Ctx): Ctx {
  const rows = new Map<string, unknown>();
  const get = (id: Id<"projects">) => {
    if (!rows.has(id)) rows.set(id, ctx.db.get(id));
    return rows.get(id);
  };
  return { ...ctx, db: new Proxy(ctx.db, { get: (target, name) => (name === "get" ? get : Reflect.get(target, name)) }) };
}

const fieldsOf = ({ before, after }: Change): Field[] => Object.keys({ ...before, ...after }).filter(isField);
const changed =
  (...fields: Field[]) =>
  (change: Change): boolean =>
    fieldsOf(change).some((field) => fields.includes(field));

export async function expectUnchanged(ctx: Ctx, change: Change): Promise<void> {
  const fields = fieldsOf(change);
  const isFavourite = fields.every((field) => field === "favouriteAt");
  const found = isFavourite ? await pathOf(ctx, change, "view") : await unpurgedFor(ctx, change.id, change.kind, rightFor(fields));
  const row: { name: string } & Partial<Record<Field, unknown>> = itemIn(found);
  const stored = fields.includes("favouriteAt") ? { ...row, favouriteAt: await favouriteAtOf(ctx, found) } : row;
  for (const field of fields)
    if (!isSame(stored[field], change.after[field]))
      throw conflict(`“${isolate(row.name)}” was changed in the meantime, so the action cannot be undone or redone.`);
}

/** Commenters may not edit, but may undo their reviews. */
const rightFor = (fields: Field[]) => (fields.every((field) => field === "review") ? "review" : "edit");

const itemIn = ({ project, design, image }: ItemPath): Doc<"projects"> | Doc<"designs"> | Doc<"designImages"> => image ?? design ?? project;

async function revertTrash(ctx: Ctx, reading: Ctx, changes: Change[]): Promise<void> {
  const [restored, trashed] = [true, false].map((isBack) => changes.filter(({ before }) => (before.removedAt === undefined) === isBack));
  await restoreMany(ctx, await Promise.all((restored ?? []).map(({ id }) => trashedFor(reading, id))));
  const idsOf = (kind: Change["kind"]) => (trashed ?? []).filter((change) => change.kind === kind).map(({ id }) => id);
  await trashImages(ctx, await imagesFor(ctx, idsOf("image"), "delete"));
  await trashDesigns(ctx, await designsFor(ctx, idsOf("design"), "delete"));
  for (const id of idsOf("project")) await trashProject(ctx, await projectFor(ctx, id, "deleteProject"));
}

async function revertParents(ctx: Ctx, changes: Change[]): Promise<void> {
  for (const [designId, group] of Map.groupBy(changes, ({ before }) => before.designId))
    if (designId !== undefined) await moveImages(ctx, idsIn(group), designId);
  for (const [projectId, group] of Map.groupBy(changes, ({ before }) => before.projectId)) {
    if (projectId === undefined) continue;
    await moveDesigns(ctx, await designsFor(ctx, idsIn(group), "edit"), await projectFor(ctx, projectId, "edit"));
  }
}

const idsIn = (changes: { id: string }[]) => changes.map(({ id }) => id);

const REVERTED: ReadonlySet<Field> = new Set(["removedAt", "projectId", "designId", "tags", "favouriteAt"]);

async function revertFields(ctx: Ctx, change: Change): Promise<void> {
  const { before } = change;
  const has = (field: Field) => changed(field)(change);
  const fields = fieldsOf(change).filter((field) => !REVERTED.has(field));
  if (fields.length === 0) return;
  const isMoved = has("designId") || has("projectId");
  if (isMoved && fields.every((field) => field === "orderKey")) return restoreKey(ctx, change);
  const path = await pathOf(ctx, change, rightFor(fields));
  const item = itemIn(path);
  if (has("orderKey") && !path.design) await expectRight(ctx, path.project, "arrange");
  if (has("name") && before.name !== undefined)
    await changeText(ctx, path, nameFields(before.name, item), { kind: "renamed", from: item.name, to: before.name });
  for (const field of ["description", "caption"] as const) {
    if (!has(field)) continue;
    const text = field === "caption" ? { caption: before.caption } : { description: before.description };
    const words = searchWords({ ...item, ...text });
    await changeText(ctx, path, { ...text, words }, { kind: field === "caption" ? "captioned" : "described" });
  }
  if (has("coverImageId") && !path.image) await revertCover(ctx, path, before.coverImageId);
  if (has("rotation") && path.image) await rotateImage(ctx, path, before.rotation ?? 0);
  if (has("review") && path.design) await restoreReview(ctx, { ...path, design: path.design }, before.review, change.closedRequests);
  if (!has("orderKey")) return;
  await ctx.db.patch(item._id, { orderKey: before.orderKey });
  if (path.design && !isMoved) await recordActivity(ctx, { kind: "reordered", ...path });
}

async function pathOf(ctx: Ctx, { kind, id }: Change, right: "view" | "edit" | "review"): Promise<ItemPath> {
  if (kind === "image") return imageFor(ctx, id, right);
  return kind === "design" ? designFor(ctx, id, right) : { project: await projectFor(ctx, id, right) };
}

async function revertFavourites(ctx: Ctx, changes: Change[]): Promise<void> {
  const favouriteAt = new Map(changes.map(({ id, before }) => [id, before.favouriteAt]));
  const valueOf = ({ _id }: { _id: string }) => favouriteAt.get(_id);
  const idsOf = (kind: Change["kind"]) => idsIn(changes.filter((change) => change.kind === kind));
  for (const { designs, project } of await designsFor(ctx, idsOf("design"), "view"))
    await setFavourites(ctx, designsWithFavourites(ctx, project), designs, valueOf);
  const projects = await Promise.all(idsOf("project").map((id) => projectFor(ctx, id, "view")));
  await setFavourites(ctx, allProjectsWithFavourites(ctx), projects, valueOf);
}

async function restoreKey({ db }: Ctx, { id, kind, before: { orderKey } }: Change): Promise<void> {
  const known = kind === "image" ? db.normalizeId("designImages", id) : db.normalizeId("designs", id);
  if (known) await db.patch(known, { orderKey });
}

/** Reads and writes shared rows once for items with the same change. `reading` is used for the first reads of each item. */
async function revertTags(ctx: Ctx, reading: Ctx, changes: Change[]): Promise<void> {
  const deltas = changes.map(({ kind, id, before: { tags: before = [] }, after: { tags: after = [] } }) => {
    const [removed, added] = [after.filter((tag) => !before.includes(tag)), before.filter((tag) => !after.includes(tag))];
    const isInOrder = isSame([...after.filter((tag) => !removed.includes(tag)), ...added], before);
    return { kind, id, before, removed, added, isInOrder };
  });
  for (const group of Map.groupBy(deltas, ({ kind, removed, added }) => JSON.stringify([kind, removed, added])).values()) {
    const [first] = group;
    if (!first) continue;
    const pathsIn = (from: Ctx) => (first.kind === "image" ? imagePaths : designPaths)(from, idsIn(group));
    const isReplaced = first.removed.length > 0 && first.added.length > 0;
    if (first.removed.length > 0) await removeTagsFromAll(ctx, await pathsIn(reading), first.removed);
    if (first.added.length > 0) await addTagsToAll(ctx, await pathsIn(isReplaced ? ctx : reading), first.added);
  }
  for (const { kind, id, before, isInOrder } of deltas) {
    if (isInOrder) continue;
    const known = kind === "image" ? ctx.db.normalizeId("designImages", id) : ctx.db.normalizeId("designs", id);
    if (known) await ctx.db.patch(known, { tags: before.length === 0 ? undefined : before });
  }
}

async function revertCover(ctx: Ctx, path: ItemPath, coverImageId: Id<"designImages"> | undefined): Promise<void> {
  const item = path.design ?? path.project;
  await ctx.db.patch(item._id, { coverImageId, chosenCover: undefined, ...(await chosenIn(ctx, { ...item, coverImageId })) });
  const chosen = coverImageId && (await ctx.db.get(coverImageId));
  await recordActivity(ctx, { kind: "covered", ...path, ...(chosen && { to: chosen.name, toId: chosen._id }) });
}

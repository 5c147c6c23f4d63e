import type { Doc, Id } from "../../_generated/dataModel";
import { recordActivity } from "../activities/recordActivity";
import {
  designFor,
  designsFor,
  imageFor,
  imagesFor,
  unpurgedFor,
  projectFor,
  type Trashed,
  trashedFor,
  type UserMutationCtx,
} from "../access";
import { conflict, notFound } from "../errors";
import { changeText, nameFields } from "../itemMutations";
import { moveDesigns, moveImages } from "../moves";
import { searchWords } from "../search/words";
import { chosenIn } from "../summaries";
import { addTagsToAll, removeTagsFromAll } from "../tags/tagging";
import { rotateImage } from "../rotation";
import { restoreMany, trashDesigns, trashImages, trashProject } from "../trashing";
import { isolate } from "../isolate";
import { isField, isSame } from "./recordChanges";
import type { Change, Field } from "./undoTables";

type Ctx = UserMutationCtx;

/** Restores the earlier values. Throws "conflict" if a value has changed since, "not_found" if an item is gone. */
export async function revertChanges(ctx: Ctx, changes: Change[]): Promise<void> {
  for (const change of changes) await expectUnchanged(ctx, change);
  await revertTrash(ctx, changes.filter(changed("removedAt")));
  await revertPlaces(ctx, changes);
  for (const change of changes) await revertFields(ctx, change);
}

const fieldsOf = ({ before, after }: Change): Field[] => Object.keys({ ...before, ...after }).filter(isField);
const changed =
  (...fields: Field[]) =>
  (change: Change): boolean =>
    fieldsOf(change).some((field) => fields.includes(field));

export async function expectUnchanged(ctx: Ctx, change: Change): Promise<void> {
  const row: { name: string } & Partial<Record<Field, unknown>> = itemIn(await unpurgedFor(ctx, change.id, change.kind));
  for (const field of fieldsOf(change))
    if (!isSame(row[field], change.after[field]))
      throw conflict(`“${isolate(row.name)}” was changed in the meantime, so the action cannot be undone or redone.`);
}

const itemIn = (found: Trashed): Doc<"projects"> | Doc<"designs"> | Doc<"designImages"> =>
  found.kind === "project" ? found.project : found.kind === "design" ? found.design : found.image;

async function revertTrash(ctx: Ctx, changes: Change[]): Promise<void> {
  const [restored, trashed] = [true, false].map((isBack) => changes.filter(({ before }) => (before.removedAt === undefined) === isBack));
  await restoreMany(ctx, await Promise.all((restored ?? []).map(({ id }) => trashedFor(ctx, id))));
  const idsOf = (kind: Change["kind"]) => (trashed ?? []).filter((change) => change.kind === kind).map(({ id }) => id);
  await trashImages(ctx, await imagesFor(ctx, idsOf("image"), "edit"));
  await trashDesigns(ctx, await designsFor(ctx, idsOf("design"), "edit"));
  for (const id of idsOf("project")) await trashProject(ctx, await projectFor(ctx, id, "edit"));
}

async function revertPlaces(ctx: Ctx, changes: Change[]): Promise<void> {
  for (const [designId, group] of Map.groupBy(changes, ({ before }) => before.designId))
    if (designId !== undefined) await moveImages(ctx, idsIn(group), designId);
  for (const [projectId, group] of Map.groupBy(changes, ({ before }) => before.projectId)) {
    if (projectId === undefined) continue;
    await moveDesigns(ctx, await designsFor(ctx, idsIn(group), "edit"), await projectFor(ctx, projectId, "edit"));
  }
}

const idsIn = (changes: Change[]) => changes.map(({ id }) => id);

async function revertFields(ctx: Ctx, change: Change): Promise<void> {
  const { id, kind, before } = change;
  const has = (field: Field) => changed(field)(change);
  if (fieldsOf(change).every((field) => field === "removedAt")) return;
  const path: Path =
    kind === "image" ? await imageFor(ctx, id, "edit") : kind === "design" ? await designFor(ctx, id, "edit") : await projectPath(ctx, id);
  const item = path.image ?? path.design ?? path.project;
  if (has("name") && before.name !== undefined)
    await changeText(ctx, path, nameFields(before.name, item), { kind: "renamed", from: item.name, to: before.name });
  for (const field of ["description", "caption"] as const) {
    if (!has(field)) continue;
    const text = field === "caption" ? { caption: before.caption } : { description: before.description };
    const words = searchWords({ ...item, ...text });
    await changeText(ctx, path, { ...text, words }, { kind: field === "caption" ? "captioned" : "described" });
  }
  if (has("tags")) await revertTags(ctx, path, before.tags ?? []);
  if (has("coverImageId") && !path.image) await revertCover(ctx, path, before.coverImageId);
  if (has("rotation") && path.image) await rotateImage(ctx, path, before.rotation ?? 0);
  if (has("favouriteAt")) await ctx.db.patch(item._id, { favouriteAt: before.favouriteAt });
  if (!has("orderKey")) return;
  await ctx.db.patch(item._id, { orderKey: before.orderKey });
  if (path.design && !has("designId") && !has("projectId")) await recordActivity(ctx, { kind: "reordered", ...path });
}

type Path = { project: Doc<"projects">; design?: Doc<"designs">; image?: Doc<"designImages"> };

const projectPath = async (ctx: Ctx, id: string): Promise<Path> => ({ project: await projectFor(ctx, id, "edit") });

async function revertTags(ctx: Ctx, { project, design, image }: Path, tags: string[]): Promise<void> {
  if (!design) throw notFound();
  const now = (image ?? design).tags ?? [];
  const place = { project, design, ...(image && { image }) };
  await removeTagsFromAll(
    ctx,
    [place],
    now.filter((tag) => !tags.includes(tag)),
  );
  const currentPath = { ...place, design: (await ctx.db.get(design._id)) ?? design };
  const fresh = image ? { ...currentPath, image: (await ctx.db.get(image._id)) ?? image } : currentPath;
  await addTagsToAll(
    ctx,
    [fresh],
    tags.filter((tag) => !now.includes(tag)),
  );
  // Restores their order as well: adding appends.
  await ctx.db.patch((image ?? design)._id, { tags: tags.length === 0 ? undefined : tags });
}

async function revertCover(ctx: Ctx, path: Path, coverImageId: Id<"designImages"> | undefined): Promise<void> {
  const item = path.design ?? path.project;
  await ctx.db.patch(item._id, { coverImageId, chosenCover: undefined, ...(await chosenIn(ctx, { ...item, coverImageId })) });
  const chosen = coverImageId && (await ctx.db.get(coverImageId));
  await recordActivity(ctx, { kind: "covered", ...path, ...(chosen && { to: chosen.name, toId: chosen._id }) });
}

import { v } from "convex/values";
import { internal } from "../_generated/api";
import type { Doc } from "../_generated/dataModel";
import type { MutationCtx, QueryCtx } from "../_generated/server";
import { redactDeleted } from "./activities/redactDeleted";
import { cleanName, cleanTag, cleanText, cleanUserName } from "./names";
import { sortNameOf } from "./lists/order";
import { nameFromFile, tagKey } from "./rules";
import { searchWords } from "./search/words";

export const upgradedTables = ["users", "tags", "projects", "designs", "designImages", "imageVersions", "activities", "passkeys"] as const;
export type UpgradedTable = (typeof upgradedTables)[number];
export const upgradedTable = v.union(...upgradedTables.map((table) => v.literal(table)));

type Item = Doc<"projects"> | Doc<"designs"> | Doc<"designImages">;

export async function upgradeRow(ctx: MutationCtx, row: Doc<UpgradedTable>): Promise<void> {
  const { db } = ctx;
  if ("key" in row) return upgradeTag(ctx, row);
  if ("actorId" in row) return redactDeleted(ctx, row);
  if ("credentialID" in row) {
    const name = cleanName(row.name ?? "") || null;
    if (name !== row.name) await db.patch(row._id, { name });
  } else if ("email" in row) {
    const name = cleanUserName(row.name);
    if (name !== row.name) await db.patch(row._id, { name });
  } else if ("imageId" in row) {
    const name = nameFromFile(row.name);
    if (name !== row.name) await db.patch(row._id, { name });
  } else {
    const texts = textsOf(row);
    if (differs(row, texts)) await db.patch(row._id, texts);
  }
}

function textsOf(row: Item) {
  const texts = {
    name: nameFromFile(row.name),
    ...("description" in row && row.description !== undefined && { description: cleanText(row.description) }),
    ...("caption" in row && row.caption !== undefined && { caption: cleanText(row.caption) }),
    ...("tags" in row && row.tags !== undefined && { tags: cleanTags(row.tags) }),
  };
  return { ...texts, sortName: sortNameOf(texts.name), words: searchWords({ ...row, ...texts }) };
}

function cleanTags(tags: string[]): string[] {
  const labels = tags.map(cleanTag);
  return [...new Map(labels.toReversed().map((label) => [tagKey(label), label])).values()].toReversed();
}

async function upgradeTag(ctx: MutationCtx, tag: Doc<"tags">): Promise<void> {
  const label = cleanTag(tag.label);
  const key = tagKey(label);
  const other =
    key === tag.key
      ? null
      : await ctx.db
          .query("tags")
          .withIndex("by_owner", (q) => q.eq("ownerId", tag.ownerId).eq("key", key))
          .first();
  if (other !== null) await ctx.scheduler.runAfter(0, internal.jobs.upgrade.mergeTags, { from: tag._id, into: other._id });
  else if (differs(tag, { label, key })) await ctx.db.patch(tag._id, { label, key });
}

function differs(row: Record<string, unknown>, changes: object): boolean {
  return Object.entries(changes).some(([field, value]) => JSON.stringify(row[field]) !== JSON.stringify(value));
}

/** Returns the name of the upgrade. Each upgrade runs once, so change the name with each change of the texts. */
export const upgradeOf = (table: UpgradedTable): string => `texts of ${table}`;

export const isUpgraded = (ctx: Pick<QueryCtx, "db">, table: UpgradedTable): Promise<boolean> => isDone(ctx, upgradeOf(table));

async function isDone({ db }: Pick<QueryCtx, "db">, name: string): Promise<boolean> {
  const done = await db
    .query("upgrades")
    .withIndex("by_name", (q) => q.eq("name", name))
    .first();
  return done !== null;
}

export async function areUpgraded({ db }: Pick<QueryCtx, "db">, tables: UpgradedTable[]): Promise<boolean> {
  const done = new Set((await db.query("upgrades").take(UPGRADES_MAX)).map(({ name }) => name));
  return tables.every((table) => done.has(upgradeOf(table)));
}

const UPGRADES_MAX = 100;

const FAVOURITES = "favourites";
const BYTES = "bytes of images";

/** Returns whether all favourites were copied. Until then, `favourites.ts` also reads the old field. */
export async function isFavouritesUpgraded(ctx: Pick<QueryCtx, "db">): Promise<boolean> {
  return isDone(ctx, FAVOURITES);
}

export const finishFavourites = (ctx: MutationCtx): Promise<void> => finish(ctx, FAVOURITES);

export const areBytesUpgraded = (ctx: Pick<QueryCtx, "db">): Promise<boolean> => isDone(ctx, BYTES);

export const finishBytes = (ctx: MutationCtx): Promise<void> => finish(ctx, BYTES);

async function finish(ctx: MutationCtx, name: string): Promise<void> {
  if (!(await isDone(ctx, name))) await ctx.db.insert("upgrades", { name });
}

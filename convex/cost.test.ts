import { randomUUID } from "node:crypto";
import { convexTest } from "convex-test";
import { makeFunctionReference } from "convex/server";
import { generateKeyBetween, generateNKeysBetween } from "fractional-indexing";
import { beforeAll, expect, it } from "vitest";
import { modules } from "../tests/convex/convex-test.ts";
import type { Id } from "./_generated/dataModel";
import type { MutationCtx } from "./_generated/server";
import { FOREIGN_IMAGES_MAX } from "./jobs/copies";
import { upgradedTables, upgradeOf } from "./model/upgrades";
import schema from "./schema";

/** Reads of a call with 300 projects, designs and images, and as many foreign or removed ones, including session and user. */
type Cost = { documents: number; ranges: number };
const reads: [name: string, args: (fixtures: Fixtures) => object, cost: Cost][] = [
  ["projects:getProjects", () => ({}), { documents: 204, ranges: 5 }],
  ["projects:getNames", () => ({}), { documents: 204, ranges: 5 }],
  ["projects:listProjects", () => ({ paginationOpts: page }), { documents: 23, ranges: 5 }],
  ["projects:getProjectById", ({ project }) => ({ id: project }), { documents: 3, ranges: 4 }],
  ["designs:getDesignsByProjectId", ({ project }) => ({ projectId: project }), { documents: 205, ranges: 6 }],
  ["designs:listDesigns", ({ project }) => ({ projectId: project, paginationOpts: page }), { documents: 24, ranges: 6 }],
  ["designs:getRecent", () => ({}), { documents: 10, ranges: 8 }],
  ["designs:getDesignById", ({ design }) => ({ id: design }), { documents: 4, ranges: 5 }],
  ["designs:getProject", ({ design }) => ({ id: design }), { documents: 4, ranges: 4 }],
  ["designImages:getDesignImagesByDesignId", ({ design }) => ({ designId: design }), { documents: 205, ranges: 5 }],
  ["designImages:listDesignImages", ({ design }) => ({ designId: design, paginationOpts: page }), { documents: 24, ranges: 5 }],
  ["versions:getVersions", ({ image }) => ({ imageId: image }), { documents: 5, ranges: 6 }],
  ["versions:getImageVersion", ({ image }) => ({ imageId: image }), { documents: 5, ranges: 5 }],
  ["designImages:getDesignImageInPlace", ({ image }) => ({ id: image }), { documents: 6, ranges: 9 }],
  ["projects:getProjects", () => ({ sort: "name" }), { documents: 204, ranges: 5 }],
  ["projects:listProjects", () => ({ sort: "manual", paginationOpts: page }), { documents: 22, ranges: 4 }],
  ["designs:listDesigns", ({ project }) => ({ projectId: project, sort: "created", paginationOpts: page }), { documents: 24, ranges: 6 }],
  [
    "designImages:listDesignImages",
    ({ design }) => ({ designId: design, sort: "name", paginationOpts: page }),
    { documents: 24, ranges: 5 },
  ],
  ["designs:listDesigns", ({ project }) => ({ projectId: project, review: "none", paginationOpts: page }), { documents: 23, ranges: 5 }],
  [
    "designImages:listDesignImages",
    ({ design }) => ({ designId: design, review: "none", paginationOpts: page }),
    { documents: 24, ranges: 5 },
  ],
  ["reviews:getReview", ({ image }) => ({ id: image }), { documents: 5, ranges: 5 }],
  ["reviews:getOverview", ({ project }) => ({ projectId: project }), { documents: 3, ranges: 9 }],
  ["wall:listProjectImages", ({ project }) => ({ projectId: project, paginationOpts: page }), { documents: 65, ranges: 5 }],
  ["activities:list", ({ project }) => ({ projectId: project, paginationOpts: page }), { documents: 26, ranges: 7 }],
  ["trash:getTrash", () => ({}), { documents: 602, ranges: 305 }],
  ["trash:listTrash", () => ({ kind: "project", paginationOpts: page }), { documents: 22, ranges: 3 }],
  ["usage:getUsage", () => ({}), { documents: 3, ranges: 3 }],
  // 20 of each kind, one more to detect a next page, their parents, the finished upgrades, and whether anything is shared.
  ["search:find", () => ({ text: "name" }), { documents: 98, ranges: 31 }],
  ["search:find", () => ({ text: "", kind: "image" }), { documents: 55, ranges: 6 }],
  ["search:find", () => ({ text: "", kind: "image", type: "image/png", from: 1 }), { documents: 55, ranges: 6 }],
  ["links:list", ({ project }) => ({ projectId: project, paginationOpts: page }), { documents: 63, ranges: 64 }],
  ["tags:getTags", () => ({}), { documents: 2, ranges: 3 }],
  ["comments:listThreads", ({ image }) => ({ itemId: image, filter: "open", paginationOpts: page }), { documents: 46, ranges: 28 }],
  ["comments:listThreads", ({ image }) => ({ itemId: image, filter: "resolved", paginationOpts: page }), { documents: 5, ranges: 7 }],
  ["comments:listReplies", ({ thread }) => ({ threadId: thread, paginationOpts: page }), { documents: 27, ranges: 8 }],
  ["comments:listPins", ({ image }) => ({ itemId: image }), { documents: 305, ranges: 8 }],
  ["presence:list", ({ design }) => ({ designId: design }), { documents: 38, ranges: 8 }],
  ["presence:listPointers", ({ image }) => ({ imageId: image }), { documents: 5, ranges: 6 }],
];
const writes: typeof reads = [
  ["projects:create", () => ({ name }), { documents: 6, ranges: 6 }],
  ["projects:rename", ({ project }) => ({ id: project, name }), { documents: 5, ranges: 4 }],
  ["designs:create", ({ project }) => ({ projectId: project, name }), { documents: 8, ranges: 6 }],
  ["designs:rename", ({ design }) => ({ id: design, name }), { documents: 8, ranges: 5 }],
  ["designImages:rename", ({ image }) => ({ id: image, name }), { documents: 9, ranges: 6 }],
  ["projects:setFavourite", ({ project }) => ({ id: project, favourite: true }), { documents: 5, ranges: 5 }],
  ["projects:setCover", ({ project, image }) => ({ id: project, imageId: image }), { documents: 8, ranges: 7 }],
  ["reviews:setStatus", ({ image }) => ({ id: image, status: "approved", note: "" }), { documents: 11, ranges: 8 }],
  ["designImages:reorder", ({ image }) => ({ id: image, to: "up" }), { documents: 9, ranges: 10 }],
  ["designImages:duplicate", ({ image }) => ({ id: image }), { documents: 26, ranges: 17 }],
  ["designs:duplicate", ({ design }) => ({ id: design }), { documents: 13, ranges: 11 }],
  ["uploads:finalize", (fixtures) => finalizing(fixtures), { documents: 25, ranges: 19 }],
  ["comments:startThread", ({ image }) => ({ itemId: image, text: name, key: name }), { documents: 18, ranges: 21 }],
  ["comments:reply", ({ thread }) => ({ threadId: thread, text: name, key: "reply" }), { documents: 46, ranges: 25 }],
  ["comments:markRead", ({ image }) => ({ itemId: image }), { documents: 13, ranges: 14 }],
  ["presence:update", (each) => ({ tab, itemId: each.design, ...openTab }), { documents: 7, ranges: 6 }],
  ["presence:setPointer", (each) => ({ tab, imageId: each.image, viewport }), { documents: 6, ranges: 6 }],
  ["designImages:remove", ({ image }) => ({ id: image }), { documents: 20, ranges: 10 }],
  ["designs:remove", ({ design }) => ({ id: design }), { documents: 17, ranges: 10 }],
  ["projects:remove", ({ project }) => ({ id: project }), { documents: 10, ranges: 7 }],
];

const keys = generateNKeysBetween(null, null, 300);
const lastKey = generateKeyBetween(keys.at(-1) ?? null, null);

const page = { cursor: null, numItems: 20 };
const name = "a name";
const sessionId = "session of ada";
const issuer = "https://atelier.invalid";

const tab = "0".repeat(36);
const openTab = { isAway: false, isWatching: false, isNew: false };
const viewport = { x: 0, y: 0, width: 1, height: 1 };

type Fixtures = {
  project: Id<"projects">;
  design: Id<"designs">;
  image: Id<"designImages">;
  thread: Id<"commentThreads">;
  loose: Id<"_storage">;
};
let fixtures: Fixtures;
let sharedFixtures: Fixtures;
const test = convexTest({ schema, modules });
const sharedTest = convexTest({ schema, modules });
const ada = test.withIdentity({ issuer, subject: "ada", sessionId });
const mel = sharedTest.withIdentity({ issuer, subject: "mel", sessionId: "session of mel" });
const sharedServer = sharedTest.withIdentity({ issuer, subject: "app-server", service: true });
const server = test.withIdentity({ issuer, subject: "app-server", service: true });

beforeAll(async () => {
  fixtures = await createFixtures(test);
  sharedFixtures = await createFixtures(sharedTest);
});

function createFixtures({ run }: typeof test): Promise<Fixtures> {
  return run(async (ctx) => {
    for (const id of ["ada", "bob", "mel"]) await signUp(ctx, id);
    const storageId = await ctx.storage.store(new Blob(["x"]));
    for (const ownerId of ["ada", "bob"]) {
      for (let each = 0; each < 300; each++) await ctx.db.insert("projects", project(ownerId));
      for (let each = 0; each < 300; each++) await ctx.db.insert("projects", { ...project(ownerId), removedAt: 1 });
    }
    const own = await ctx.db.insert("projects", project("ada"));
    for (const upgrade of ["favourites", ...upgradedTables.map(upgradeOf)]) await ctx.db.insert("upgrades", { name: upgrade });
    await ctx.db.insert("usage", { ownerId: "ada", projects: 0, designs: 0, images: 0, bytes: 0 });
    for (const orderKey of keys) await ctx.db.insert("designs", { ...design(own), orderKey, latestImageAt: 1 });
    for (let each = 0; each < 300; each++) await ctx.db.insert("designs", { ...design(own), removedAt: 1 });
    const full = await ctx.db.insert("designs", { ...design(own), orderKey: lastKey });
    for (let each = 0; each < 300; each++) await ctx.db.insert("designImages", { ...image(full, storageId), removedAt: 1 });
    for (const orderKey of keys.slice(1)) await ctx.db.insert("designImages", { ...image(full, storageId), orderKey });
    const last = await ctx.db.insert("designImages", { ...image(full, storageId), orderKey: lastKey });
    await ctx.db.patch(full, { latestImageAt: 2 });
    await ctx.db.insert("projectAccess", { projectId: own, ownerId: "ada" });
    await ctx.db.insert("designAccess", { designId: full, projectId: own });
    await ctx.db.insert("projectMembers", { projectId: own, userId: "mel", role: "editor", addedAt: 1, addedBy: "ada" });
    for (const userId of ["bob", "eve"])
      await ctx.db.insert("projectMembers", { projectId: own, userId, role: "viewer", addedAt: 1, addedBy: "ada" });
    const settings = { kind: "view" as const, name, lock: 0, downloads: false, sealedToken: "x" };
    for (let createdAt = 0; createdAt < 1000; createdAt++)
      await ctx.db.insert("links", { ...settings, projectId: own, itemId: own, tokenHash: randomUUID(), createdBy: "ada", createdAt });
    const thing = { kind: "design" as const, id: full, name };
    for (let at = 0; at < 300; at++) {
      await ctx.db.insert("activities", { projectId: own, ownerId: "ada", actorId: "ada", at, kind: "described", thing });
    }
    const threads = [];
    for (let each = 0; each < 300; each++) threads.push(await startThread(ctx, last));
    const [thread = await startThread(ctx, last)] = threads;
    for (let each = 0; each < 300; each++) await ctx.db.insert("comments", comment(thread, true));
    for (let each = 0; each < 30; each++) await openTabOf(ctx, "bob", full, randomUUID());
    await openTabOf(ctx, "ada", full, tab);
    return { project: own, design: full, image: last, thread, loose: await ctx.storage.store(new Blob(["y"])) };
  });
}

it.each(reads)("%s reads only what it returns", async (name, args, cost) => {
  const query = makeFunctionReference<"query">(name);
  const used = await ada.mutation(async (ctx) => {
    await ctx.runQuery(query, args(fixtures));
    return metrics(ctx);
  });
  expect(used).toEqual(cost);
});

it.each(writes)("%s reads only what it changes", async (name, args, cost) => {
  const mutation = makeFunctionReference<"mutation">(name);
  const used = await (name.startsWith("uploads:") ? server : ada).mutation(async (ctx) => {
    await ctx.runMutation(mutation, args(fixtures));
    return metrics(ctx);
  });
  expect(used).toEqual(cost);
});

const OWNERS = ["projects:remove", "links:list"];
/** For the owner, these functions also read whether the favourites of the previous build have been copied, or whether there are members. */
const MORE_FOR_OWNERS = ["designs:getDesignsByProjectId", "designs:listDesigns", "presence:list"];
const ofProjects = (functions: typeof reads) =>
  functions.filter(([each, args]) => /^\(\{ \w|^\(?fixtures/.test(String(args)) && !OWNERS.includes(each));

it.each(ofProjects(reads))("%s reads at most one row more for a member", async (name, args, { documents, ranges }) => {
  const query = makeFunctionReference<"query">(name);
  const used = await mel.mutation(async (ctx) => {
    await ctx.runQuery(query, args(sharedFixtures));
    return metrics(ctx);
  });
  const isFiltered = "review" in args(sharedFixtures);
  const more = MORE_FOR_OWNERS.includes(name) && !isFiltered ? 0 : 1;
  expect(used).toEqual({ documents: documents + more, ranges: ranges + more });
});

it.each(ofProjects(writes))("%s reads one row more for an editor", async (name, args, { documents, ranges }) => {
  const mutation = makeFunctionReference<"mutation">(name);
  const isUpload = name.startsWith("uploads:");
  const used = await (isUpload ? sharedServer : mel).mutation(async (ctx) => {
    await ctx.runMutation(mutation, { ...args(sharedFixtures), ...(isUpload && { sessionId: "session of mel" }) });
    return metrics(ctx);
  });
  const more = ["projects:setFavourite", "comments:startThread"].includes(name) ? 0 : 1;
  const moreRanges = name === "comments:startThread" ? 0 : 1;
  expect(used).toEqual({ documents: documents + more, ranges: ranges + moreRanges });
});

/** Index ranges of a transaction (https://docs.convex.dev/production/state/limits). */
const RANGES_MAX = 4096;

it("checks the maximum of another owner's images within a transaction's reads", async () => {
  const [few, many] = [await rangesOfCopy(10), await rangesOfCopy(30)];
  const perImage = (many - few) / 20;
  expect(perImage).toBeGreaterThanOrEqual(3);
  expect(few + perImage * (FOREIGN_IMAGES_MAX - 10)).toBeLessThan(RANGES_MAX);
});

async function rangesOfCopy(images: number): Promise<number> {
  const copyTest = convexTest({ schema, modules });
  const source = await copyTest.run(async (ctx) => {
    for (const id of ["ada", "mel"]) await signUp(ctx, id);
    const shared = await ctx.db.insert("projects", project("ada"));
    await ctx.db.insert("projectMembers", { projectId: shared, userId: "mel", role: "viewer", addedAt: 1, addedBy: "ada" });
    await ctx.db.insert("usage", { ownerId: "mel", projects: 0, designs: 0, images: 0, bytes: 0 });
    const own = await ctx.db.insert("designs", { ...design(await ctx.db.insert("projects", project("mel"))), ownerId: "mel" });
    for (let each = 0; each < images; each++) {
      const file = await ctx.storage.store(new Blob([String(each)]));
      const size = each === 0 ? images : 1;
      await ctx.db.insert("designImages", { ...image(await ctx.db.insert("designs", { ...design(shared), imageCount: 1 }), file), size });
      if (each === 0) await ctx.db.insert("designImages", { ...image(own, file), ownerId: "mel", size });
    }
    return shared;
  });
  const member = copyTest.withIdentity({ issuer, subject: "mel", sessionId: "session of mel", quota: images });
  return member.mutation(async (ctx) => {
    await ctx.runMutation(makeFunctionReference<"mutation">("projects:duplicate"), { id: source });
    return (await metrics(ctx)).ranges;
  });
}

async function metrics(ctx: MutationCtx): Promise<Cost> {
  const { documentsRead, databaseQueries } = await ctx.meta.getTransactionMetrics();
  return { documents: documentsRead.used, ranges: databaseQueries.used };
}

async function signUp({ db }: MutationCtx, id: string) {
  const times = { createdAt: 1, updatedAt: 1 };
  await db.insert("users", { id, name: id, email: `${id}@example.com`, emailVerified: true, ...times });
  await db.insert("sessions", { id: `session of ${id}`, token: id, userId: id, expiresAt: Date.now() + 1e9, ...times });
}

const project = (ownerId: string) => ({ ownerId, name, words: name, updatedAt: 1, designCount: 0, imageCount: 0, cover: [] });
const design = (projectId: Id<"projects">) => ({
  ownerId: "ada",
  projectId,
  name,
  words: name,
  updatedAt: 1,
  imageCount: 0,
  cover: [],
  latestImageAt: 0,
});
const image = (designId: Id<"designs">, storageId: Id<"_storage">) => ({
  ownerId: "ada",
  designId,
  storageId,
  name,
  words: name,
  uploadId: randomUUID(),
  contentType: "image/png",
  size: 1,
  width: 1,
  height: 1,
  checksum: "0".repeat(64),
  placeholder: null,
  animated: false,
});
const comment = (threadId: Id<"commentThreads">, isReply: boolean) => ({
  threadId,
  isReply,
  authorId: "bob",
  text: name,
  createdAt: 1,
  mentions: [],
  key: randomUUID(),
});
async function startThread({ db }: MutationCtx, itemId: Id<"designImages">): Promise<Id<"commentThreads">> {
  const thread = { itemId, anchor: { x: 0, y: 0 }, versionNumber: 1, authorId: "bob", lastAt: 1, commentCount: 1, key: randomUUID() };
  const id = await db.insert("commentThreads", thread);
  await db.insert("comments", comment(id, false));
  return id;
}
async function openTabOf({ db }: MutationCtx, userId: string, designId: Id<"designs">, key: string) {
  const presenceId = await db.insert("presence", { userId, tab: key, designId, isAway: false, isWatching: false });
  await db.insert("presenceBeats", { presenceId, designId, seenAt: Date.now() });
}
const finalizing = ({ design, loose }: Fixtures) => {
  const { ownerId: _, words: __, ...properties } = image(design, loose);
  return { sessionId, ...properties };
};

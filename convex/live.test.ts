import { randomUUID } from "node:crypto";
import { ConvexClient } from "convex/browser";
import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type Backend, type Person, probe, signOut, signUp } from "../tests/convex/backends.ts";
import { startTestDeployment, type TestDeployment } from "../tests/convex/deployment.ts";
import { embeddedOn } from "../tests/convex/embedded.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api } from "./_generated/api";
import { refusalOf } from "./model/errors";

let deployment: TestDeployment;
let backend: Backend;
const clients: ConvexClient[] = [];

beforeAll(async () => {
  deployment = await startTestDeployment();
  backend = embeddedOn(deployment);
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(() => backend.close());

async function watch<Query extends FunctionReference<"query">>(person: Person, query: Query, args: FunctionArgs<Query>) {
  const client = new ConvexClient(deployment.url, { skipConvexDeploymentUrlCheck: true, logger: false });
  clients.push(client);
  client.setAuth(() => deployment.token({ sub: person.userId, aud: "atelier-user", sessionId: person.sessionId }));
  const messages: (FunctionReturnType<Query> | string)[] = [];
  client.onUpdate(
    query,
    args,
    (value) => messages.push(value),
    (error) => messages.push(refusalOf(error)?.code ?? error.message),
  );
  await expect.poll(() => messages.length).toBeGreaterThan(0);
  return messages;
}

it("updates every open browser after a change", async () => {
  const ada = await signUp(backend, "ada");
  const projectId = await ada.mutation(api.projects.create, { name: "first" });
  const designId = await ada.mutation(api.designs.create, { projectId, name: "a design" });
  const projects = await watch(ada, api.projects.getProjects, {});
  const images = await watch(ada, api.designImages.getDesignImagesByDesignId, { designId });

  await ada.mutation(api.projects.rename, { id: projectId, name: "renamed" });
  await expect.poll(() => projects.at(-1)).toMatchObject([{ name: "renamed" }]);
  const { id } = await addImage(backend, ada, designId, "picture.png");
  await expect.poll(() => images.at(-1)).toMatchObject([{ _id: id }]);
  await expect.poll(() => projects.at(-1)).toMatchObject([{ imageCount: 1, cover: [{ imageId: id }] }]);
});

it("follows every query of a joined one, also a rejected one", async () => {
  const ada = await signUp(backend, "ada");
  const id = await ada.mutation(api.projects.create, { name: "first" });
  const queries = [
    { name: "notices:getUnreadCount", args: {} },
    { name: "projects:getProjectById", args: { id } },
  ];
  const answers = await watch(ada, api.pages.load, { queries });
  expect(answers.at(-1)).toMatchObject([{ value: 0 }, { value: { name: "first" } }]);
  await ada.mutation(api.projects.moveToTrash, { id });
  await expect.poll(() => answers.at(-1)).toEqual([{ value: 0 }, { refusal: { code: "not_found" } }]);
  await ada.mutation(api.trash.restore, { id });
  await expect.poll(() => answers.at(-1)).toMatchObject([{ value: 0 }, { value: { name: "first" } }]);
  const notice = { userId: ada.userId, notice: { kind: "passwordChanged" }, at: 0, read: false };
  await backend.inside.mutation(probe.insert, { table: "notices", row: notice });
  await expect.poll(() => answers.at(-1)).toMatchObject([{ value: 1 }, { value: { name: "first" } }]);
});

it("shows a bulk job as stopped when its failed batch stored no state", { tags: "@bulk-stopped-live" }, async () => {
  const ada = await signUp(backend, "ada");
  const { userId } = ada;
  const place = {
    kind: "design",
    id: await ada.mutation(api.designs.create, {
      projectId: await ada.mutation(api.projects.create, { name: "a project" }),
      name: "a design",
    }),
  };
  const insert = (table: string, row: object) => backend.inside.mutation(probe.insert, { table, row: { userId, at: 1, ...row } });
  const selectionId = await insert("bulkSelections", { kind: "image", place, ids: [], until: 1 });
  const counts = { run: 0, parts: 0, part: 0, total: 1, done: 0, failed: 0, failures: [] };
  const job = { step: "s", selectionId, kind: "image", action: { type: "trash" }, cursor: "{", ...counts };
  const flags = { isLimited: false, isDismissed: false, state: "cancelled", phase: "do" };
  const id = await insert("bulkJobs", { ...job, ...flags });
  const jobs = await watch(ada, api.bulk.getRecent, {});
  await ada.mutation(api.bulk.resume, { id });
  const row = async () => backend.inside.query(probe.row, { table: "bulkJobs", id });
  await expect.poll(row).toMatchObject({ state: "running", run: 1 });
  await expect.poll(() => jobs.at(-1)).toMatchObject([{ state: "cancelled" }]);
  await backend.settle();
  await ada.mutation(api.bulk.dismiss, { id });
  await expect.poll(() => jobs.at(-1)).toEqual([]);
});

it("ends all live queries when the session ends", async () => {
  const ada = await signUp(backend, "ada");
  const projectId = await ada.mutation(api.projects.create, { name: "a project" });
  const lists = [
    await watch(ada, api.projects.getProjects, {}),
    await watch(ada, api.projects.getProjectById, { id: projectId }),
    await watch(ada, api.designs.getDesignsByProjectId, { projectId }),
  ];
  await signOut(backend, ada);
  for (const messages of lists) await expect.poll(() => messages.at(-1)).toBe("unauthenticated");
});

it("reports not_found to viewers when a parent is trashed", async () => {
  const ada = await signUp(backend, "ada");
  const projectId = await ada.mutation(api.projects.create, { name: "a project" });
  const designId = await ada.mutation(api.designs.create, { projectId, name: "a design" });
  const design = await watch(ada, api.designs.getDesignById, { id: designId });
  const images = await watch(ada, api.designImages.getDesignImagesByDesignId, { designId });
  await ada.mutation(api.projects.remove, { id: projectId });
  for (const messages of [design, images]) await expect.poll(() => messages.at(-1)).toBe("not_found");
});

it("sends no update for changes of other users", async () => {
  const [ada, bob] = [await signUp(backend, "ada"), await signUp(backend, "bob")];
  await ada.mutation(api.projects.create, { name: "ada's" });
  const messages = await watch(ada, api.projects.getProjects, {});
  const projectId = await bob.mutation(api.projects.create, { name: "bob's" });
  const designId = await bob.mutation(api.designs.create, { projectId, name: "bob's" });
  await addImage(backend, bob, designId, "bob's.png");
  await signOut(backend, bob);
  await ada.mutation(api.projects.create, { name: "ada's second" });
  await expect.poll(() => messages.at(-1)).toHaveLength(2);
  expect(messages).toHaveLength(2);
});

it("updates a member's open pages at once when the role changes or access ends", async () => {
  const [ada, eve] = [await signUp(backend, "ada"), await signUp(backend, "eve")];
  const projectId = await ada.mutation(api.projects.create, { name: "Shared" });
  const designId = await ada.mutation(api.designs.create, { projectId, name: "Cover" });
  const row = { projectId, userId: eve.userId, role: "editor", addedAt: Date.now(), addedBy: ada.userId };
  await backend.inside.mutation(probe.insert, { table: "projectMembers", row });
  const projects = await watch(eve, api.projects.getProjectById, { id: projectId });
  const designs = await watch(eve, api.designs.getDesignById, { id: designId });
  const shared = await watch(eve, api.members.listSharedProjects, { paginationOpts: { cursor: null, numItems: 10 } });
  expect(shared.at(-1)).toMatchObject({ page: [{ role: "editor" }] });

  await ada.mutation(api.members.setRole, { projectId, userId: eve.userId, role: "viewer" });
  await expect.poll(() => shared.at(-1)).toMatchObject({ page: [{ role: "viewer" }] });
  await ada.mutation(api.members.remove, { projectId, userId: eve.userId });
  await expect.poll(() => [projects.at(-1), designs.at(-1)]).toEqual(["not_found", "not_found"]);
  await expect.poll(() => shared.at(-1)).toMatchObject({ page: [] });
});

it("re-runs no query for heartbeats and pointers", { tags: "@presence-re-runs-nothing" }, async () => {
  const [ada, eve] = [await signUp(backend, "ada"), await signUp(backend, "eve")];
  const projectId = await ada.mutation(api.projects.create, { name: "Shared" });
  const designId = await ada.mutation(api.designs.create, { projectId, name: "Cover" });
  const { id: imageId } = await addImage(backend, ada, designId, "picture.png");
  const row = { projectId, userId: eve.userId, role: "viewer", addedAt: Date.now(), addedBy: ada.userId };
  await backend.inside.mutation(probe.insert, { table: "projectMembers", row });
  const tab = randomUUID();
  const update = (isAway: boolean, isNew = false) =>
    eve.mutation(api.presence.update, { tab, itemId: imageId, isAway, isWatching: false, isNew });
  await update(false, true);
  const list = await watch(ada, api.presence.list, { designId });
  await watch(ada, api.designs.getDesignById, { id: designId });
  await watch(ada, api.designImages.getDesignImageInPlace, { id: imageId });
  await watch(ada, api.projects.getProjectById, { id: projectId });
  const { cursor } = await runsSince(0);

  for (let each = 1; each <= 5; each++) {
    await update(false);
    await eve.mutation(api.presence.setPointer, { tab, imageId, viewport: { x: 0, y: 0, width: 1, height: each / 5 } });
  }
  await update(true);
  await expect.poll(() => list.at(-1)).toMatchObject([{ isAway: true }]);
  const { names } = await runsSince(cursor);
  const repeated = names.filter((name) => !name.startsWith("presence:") || name === "presence:list");
  expect(repeated).toEqual(["presence:list"]);
  expect(names.filter((name) => name === "presence:setPointer")).toHaveLength(5);
});

it("re-runs no query of an image for an upload into its design", { tags: "@upload-re-runs" }, async () => {
  const ada = await signUp(backend, "ada");
  const projectId = await ada.mutation(api.projects.create, { name: "Own" });
  const designId = await ada.mutation(api.designs.create, { projectId, name: "Cover" });
  const { id } = await addImage(backend, ada, designId, "picture.png");
  await addImage(backend, ada, designId, "next.png");
  await watch(ada, api.designImages.getDesignImageInPlace, { id });
  await watch(ada, api.versions.getVersions, { imageId: id });
  await watch(ada, api.reviews.getReview, { id });
  const design = await watch(ada, api.designs.getDesignById, { id: designId });
  const { cursor } = await runsSince(0);
  await addImage(backend, ada, designId, "another.png");
  await expect.poll(() => design.at(-1)).toMatchObject({ imageCount: 3 });
  const { names } = await runsSince(cursor);
  expect(names.filter((name) => /^(designImages|versions|reviews):get/.test(name))).toEqual([]);
});

async function runsSince(cursor: number): Promise<{ names: string[]; cursor: number }> {
  const headers = { Authorization: `Convex ${deployment.adminKey}` };
  const response = await fetch(`${deployment.url}/api/stream_function_logs?cursor=${cursor}`, { headers });
  const { entries, newCursor }: { entries: { identifier: string }[]; newCursor: number } = await response.json();
  return { names: entries.map(({ identifier }) => identifier), cursor: newCursor };
}

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, newBackends, type Person, probe, signUp } from "../../tests/convex/backends.ts";
import { refused } from "../../tests/convex/expect.ts";
import { addImage } from "../../tests/convex/pictures.ts";
import { equals } from "../../tests/convex/equals.ts";
import { api, internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";
import { PURGE_BATCH } from "./purge";

describe.each(newBackends)("purging on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  beforeAll(async () => {
    backend = await start();
    ada = await signUp(backend, "ada");
  });
  afterAll(() => backend.close());

  const row = (table: string, id: string) => backend.inside.query(probe.row, { table, id });
  const imagesOf = (designId: string) => backend.inside.query(probe.rows, { table: "designImages", field: "designId", value: designId });

  async function deletePermanently(id: string) {
    const { moveToTrash } = (await row("projects", id)) ? api.projects : (await row("designs", id)) ? api.designs : api.designImages;
    await ada.mutation(moveToTrash, { id });
    await ada.mutation(api.trash.purge, { id });
  }

  async function projectWith(counts: number[]) {
    const projectId = await ada.mutation(api.projects.create, { name: "big" });
    const designIds: Id<"designs">[] = [];
    const storageId = counts.some((count) => count > 0) ? await backend.store(new TextEncoder().encode("shared")) : null;
    for (const count of counts) {
      const designId = await ada.mutation(api.designs.create, { projectId, name: "big" });
      designIds.push(designId);
      if (storageId) await fill(designId, storageId, count);
    }
    return { projectId, designIds, storageId };
  }

  async function fill(designId: Id<"designs">, storageId: Id<"_storage">, count: number) {
    for (let from = 0; from < count; from += 1000) {
      await backend.inside.mutation(probe.insertImages, { designId, storageId, from, count: Math.min(1000, count - from) });
    }
  }

  async function remainingRows({ projectId, designIds, storageId }: Awaited<ReturnType<typeof projectWith>>) {
    const rows = [await row("projects", projectId), ...(await Promise.all(designIds.map((id) => row("designs", id))))];
    const images = await Promise.all(designIds.map((id) => imagesOf(id)));
    const files = await backend.inside.query(probe.filesAmong, { ids: storageId ? [storageId] : [] });
    return [...rows.filter((each) => each !== null), ...images.flat(), ...files];
  }

  it.each([
    ["no designs", []],
    ["empty designs", [0, 0]],
    ["exactly a batch", [PURGE_BATCH]],
    ["a batch that ends within a design", [PURGE_BATCH - 1, PURGE_BATCH, 1]],
    ["several batches, with empty designs between", [0, PURGE_BATCH + 1, 0, 2 * PURGE_BATCH + 50]],
    ["more designs than a batch", Array.from({ length: PURGE_BATCH + 30 }, () => 1)],
  ])("deletes a project with %s, leaving nothing", async (_, counts) => {
    const big = await projectWith(counts);
    await deletePermanently(big.projectId);
    await backend.settle();
    expect(await remainingRows(big)).toEqual([]);
  });

  it("deletes a design with several batches of images and keeps its project", async () => {
    const big = await projectWith([2 * PURGE_BATCH + 50, 1]);
    const [going = "", staying = ""] = big.designIds;
    await deletePermanently(going);
    await backend.settle();
    expect([await row("designs", going), await imagesOf(going)]).toEqual([null, []]);
    expect(await row("projects", big.projectId)).not.toBeNull();
    expect(await imagesOf(staying)).toHaveLength(1);
  });

  it("deletes one batch per transaction and hides the rest", async () => {
    const big = await projectWith([450]);
    const [designId] = big.designIds;
    await backend.inside.mutation(probe.patch, { table: "projects", id: big.projectId, fields: { removedAt: 1, purgingSince: 1 } });
    expect(await refused(ada.query(api.designImages.getDesignImagesByDesignId, { designId: designId ?? "" }))).toEqual({
      code: "not_found",
    });
    const before = await backend.inside.query(probe.scheduledCalls, { name: "jobs/purge:project" });
    await backend.inside.mutation(internal.jobs.purge.project, { id: big.projectId });
    await backend.settle();
    expect(await remainingRows(big)).toEqual([]);
    const calls = (await backend.inside.query(probe.scheduledCalls, { name: "jobs/purge:project" })) - before;
    expect(calls, "the first batch was called here, the others by it").toBe(Math.floor(450 / PURGE_BATCH));
  });

  it("keeps other designs with their images and files", async () => {
    const projectId = await ada.mutation(api.projects.create, { name: "both" });
    const going = await ada.mutation(api.designs.create, { projectId, name: "going" });
    const staying = await ada.mutation(api.designs.create, { projectId, name: "staying" });
    const gone = await addImage(backend, ada, going, "gone.png");
    const kept = await addImage(backend, ada, staying, "kept.png");
    await deletePermanently(going);
    await backend.settle();
    expect(await row("designImages", gone.id)).toBeNull();
    expect(await row("designImages", kept.id)).not.toBeNull();
    expect(await backend.inside.query(probe.filesAmong, { ids: [gone.storageId, kept.storageId] })).toEqual([kept.storageId]);
  });

  it("keeps a file that another image references", async () => {
    const projectId = await ada.mutation(api.projects.create, { name: "shared file" });
    const designId = await ada.mutation(api.designs.create, { projectId, name: "a design" });
    const storageId = await backend.store(new TextEncoder().encode("two rows, one file"));
    await backend.inside.mutation(probe.insertImages, { designId, storageId, from: 0, count: 2 });
    const [first, second] = await ada.query(api.designImages.getDesignImagesByDesignId, { designId });
    await deletePermanently(first?._id ?? "");
    await backend.settle();
    expect(await backend.inside.query(probe.filesAmong, { ids: [storageId] })).toEqual([storageId]);
    await deletePermanently(second?._id ?? "");
    await backend.settle();
    expect(await backend.inside.query(probe.filesAmong, { ids: [storageId] })).toEqual([]);
  });

  it("tolerates a repeated step", async () => {
    const big = await projectWith([3]);
    await deletePermanently(big.projectId);
    await backend.settle();
    const [designId] = big.designIds;
    await backend.inside.mutation(internal.jobs.purge.project, { id: big.projectId });
    if (designId) await backend.inside.mutation(internal.jobs.purge.design, { id: designId });
    await backend.settle();
    expect(await remainingRows(big)).toEqual([]);
  });

  it("resumes stale purges, but not recent ones or trashed items", async () => {
    const [old, fresh, trashed] = [await projectWith([5]), await projectWith([5]), await projectWith([5])];
    const leftover = await ada.mutation(api.projects.create, { name: "with leftovers" });
    const design = await ada.mutation(api.designs.create, { projectId: leftover, name: "left" });
    const other = await ada.mutation(api.designs.create, { projectId: leftover, name: "kept" });
    const then = Date.now() - 2 * 60 * 60 * 1000;
    const going = (since: number) => ({ removedAt: then, purgingSince: since });
    await backend.inside.mutation(probe.patch, { table: "projects", id: old.projectId, fields: going(then) });
    await backend.inside.mutation(probe.patch, { table: "designs", id: design, fields: going(then) });
    await backend.inside.mutation(probe.patch, { table: "projects", id: fresh.projectId, fields: going(Date.now()) });
    await backend.inside.mutation(probe.patch, { table: "projects", id: trashed.projectId, fields: { removedAt: then } });
    await backend.inside.mutation(internal.jobs.purge.resume, {});
    await backend.settle();
    expect(await remainingRows(old)).toEqual([]);
    expect(await row("designs", design)).toBeNull();
    expect(await row("designs", other)).not.toBeNull();
    expect(await row("projects", fresh.projectId)).not.toBeNull();
    expect(await row("projects", trashed.projectId)).not.toBeNull();
  });

  it("removes all data of a deleted account, and nothing of others", { tags: "@removes-all-data-deleted-account" }, async () => {
    const bob = await signUp(backend, "bob");
    const ids = [];
    for (let each = 0; each < 3; each++) ids.push(await bob.mutation(api.projects.create, { name: `bob's ${each}` }));
    const mine = await ada.mutation(api.projects.create, { name: "ada's" });
    const bobHimself = [equals("id", bob.userId)];
    await (await appServer(backend)).mutation(api.accounts.store.deleteMany, { model: "users", where: [...bobHimself] });
    expect(await refused(bob.query(api.projects.getProjects, {}))).toEqual({ code: "unauthenticated" });
    await backend.settle();
    for (const id of ids) expect(await row("projects", id)).toBeNull();
    expect(await row("projects", mine)).not.toBeNull();
  });

  it("finishes after the deployment was killed in the middle", { tags: "slow", timeout: 60_000 }, async ({ skip }) => {
    const crash = backend.crash ?? skip("nothing to kill");
    const total = 10_000;
    const big = await projectWith([total]);
    const [designId] = big.designIds;
    const countImages = async () => (designId ? backend.inside.query(probe.imageCount, { designId }) : 0);
    await deletePermanently(big.projectId);
    await expect.poll(countImages, { interval: 5 }).toBeLessThan(total);
    await crash();
    expect(await countImages(), "it was killed in the middle").toBeGreaterThan(0);
    await crash();
    await backend.settle();
    expect(await remainingRows(big)).toEqual([]);
  });
});

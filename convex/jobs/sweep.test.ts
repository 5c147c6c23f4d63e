import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../../tests/convex/backends.ts";
import { addImage } from "../../tests/convex/pictures.ts";
import { api, internal } from "../_generated/api";
import type { Id } from "../_generated/dataModel";

describe.each(backends)("the sweep on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  let designId: Id<"designs">;
  beforeAll(async () => {
    backend = await start();
    ada = await signUp(backend, "ada");
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    const projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    designId = await ada.mutation(api.designs.create, { projectId, name: "Cover" });
  });

  const loose = () => backend.store(new TextEncoder().encode("no row"));
  const stored = (ids: Id<"_storage">[]) => backend.inside.query(probe.filesAmong, { ids });
  const mark = async () => (await backend.inside.query(probe.rows, { table: "sweeps" }))[0]?.["sweptUntil"];
  const sweep = async (until = Date.now() + 1, anyNumber = false) => {
    const from = Number((await mark()) ?? 0);
    await backend.inside.mutation(internal.jobs.sweep.run, { batch: { cursor: null, from, until }, anyNumber });
    await backend.settle();
    // The next sweep begins after `until` and would skip a file that is stored earlier.
    await vi.waitUntil(() => Date.now() > until, { interval: 1 });
  };
  const setCount = async (files: number) => {
    const [row] = await backend.inside.query(probe.rows, { table: "sweeps" });
    await backend.inside.mutation(probe.patch, { table: "sweeps", id: String(row?.["_id"]), fields: { files } });
  };
  const manyUnused = async (count: number) => {
    const ids = [];
    for (let each = 0; each < count; each++) ids.push(await loose());
    return ids;
  };

  it("keeps files that may still be finalized", async () => {
    const fresh = await loose();
    await backend.inside.mutation(internal.jobs.sweep.run, {});
    await backend.settle();
    expect(await stored([fresh])).toEqual([fresh]);
  });

  it("deletes a file without a row and keeps files with one", async () => {
    await sweep(undefined, true);
    const kept = await addImage(backend, ada, designId, "kept.png");
    const unused = await loose();
    const alsoKept = await addImage(backend, ada, designId, "also kept.png");
    await sweep();
    expect(await stored([kept.storageId, unused, alsoKept.storageId])).toEqual([kept.storageId, alsoKept.storageId]);
  });

  it("deletes nothing when more than 1% of the files have no row", async () => {
    await sweep(undefined, true);
    await setCount(2_000);
    const before = await mark();
    const image = await addImage(backend, ada, designId, "one.png");
    const lost = [image.storageId, ...(await manyUnused(20))];
    await backend.inside.mutation(probe.remove, { table: "designImages", id: image.id });
    await sweep();
    expect(await stored(lost)).toEqual(lost);
    expect(await mark()).toBe(before);
    await sweep(undefined, true);
    expect(await stored(lost)).toEqual([]);
  });

  it("deletes the abandoned uploads of a small deployment", async () => {
    await sweep(undefined, true);
    await setCount(20);
    const abandoned = await manyUnused(10);
    await sweep();
    expect(await stored(abandoned)).toEqual([]);
  });

  it("deletes nothing when most of a few files have no row", async () => {
    await sweep(undefined, true);
    await setCount(3);
    const lost = await manyUnused(4);
    await sweep();
    expect(await stored(lost)).toEqual(lost);
    await sweep(undefined, true);
  });

  it("deletes nothing when more than 100 files have no row", { tags: "slow" }, async () => {
    await sweep(undefined, true);
    await setCount(1_000_000);
    const allowed = await manyUnused(100);
    await sweep();
    expect(await stored(allowed)).toEqual([]);
    const tooMany = await manyUnused(101);
    await sweep();
    expect(await stored(tooMany)).toEqual(tooMany);
  });

  it("checks all files once more when the mark of an earlier build has no count", async () => {
    await sweep(undefined, true);
    const kept = await addImage(backend, ada, designId, "kept.png");
    const rows = await backend.inside.query(probe.rows, { table: "sweeps" });
    await backend.inside.mutation(probe.replace, { table: "sweeps", id: String(rows[0]?.["_id"]), row: { sweptUntil: Date.now() + 1 } });
    await backend.inside.mutation(internal.jobs.sweep.run, {});
    await backend.settle();
    expect(await backend.inside.query(probe.rows, { table: "sweeps" })).toMatchObject([{ files: expect.any(Number) }]);
    expect(await stored([kept.storageId])).toEqual([kept.storageId]);
  });

  it("checks more files than one batch contains", { tags: "slow" }, async () => {
    const kept = await addImage(backend, ada, designId, "kept.png");
    const many = await manyUnused(230);
    const last = await addImage(backend, ada, designId, "last.png");
    await sweep(undefined, true);
    expect(await stored([kept.storageId, ...many, last.storageId])).toEqual([kept.storageId, last.storageId]);
  });

  it("stores its progress and never goes back", async () => {
    await addImage(backend, ada, designId, "kept.png");
    const until = Date.now() + 1;
    await sweep(until);
    expect(await mark()).toBe(until);
    await backend.inside.mutation(internal.jobs.sweep.run, {});
    await backend.settle();
    expect(await mark()).toBe(until);
    expect(await backend.inside.query(probe.rows, { table: "sweeps" })).toHaveLength(1);
  });
});

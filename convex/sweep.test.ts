import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";

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
  /** As the sweep runs once these files are old enough. */
  const sweep = async (until = Date.now() + 1) => {
    const from = Number((await mark()) ?? 0);
    await backend.inside.mutation(internal.sweep.run, { batch: { cursor: null, from, until } });
    await backend.settle();
  };

  it("spares files that may still be finalized", async () => {
    const fresh = await loose();
    await backend.inside.mutation(internal.sweep.run, {});
    await backend.settle();
    expect(await stored([fresh])).toEqual([fresh]);
  });

  it("drops files without a row and keeps those with one", async () => {
    const kept = await addImage(backend, ada, designId, "kept.png");
    const dropped = [await loose(), await loose()];
    const alsoKept = await addImage(backend, ada, designId, "also kept.png");
    await sweep();
    expect(await stored([kept.storageId, ...dropped, alsoKept.storageId])).toEqual([kept.storageId, alsoKept.storageId]);
  });

  it("goes through more files than one batch takes", async () => {
    const kept = await addImage(backend, ada, designId, "kept.png");
    const many = [];
    for (let each = 0; each < 230; each++) many.push(await loose());
    const last = await addImage(backend, ada, designId, "last.png");
    await sweep();
    expect(await stored([kept.storageId, ...many, last.storageId])).toEqual([kept.storageId, last.storageId]);
  });

  it("remembers how far it came, and never goes back", async () => {
    await addImage(backend, ada, designId, "kept.png");
    const until = Date.now() + 1;
    await sweep(until);
    expect(await mark()).toBe(until);
    await backend.inside.mutation(internal.sweep.run, {});
    await backend.settle();
    expect(await mark()).toBe(until);
    expect(await backend.inside.query(probe.rows, { table: "sweeps" })).toHaveLength(1);
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api } from "./_generated/api";

describe.each(backends)("usage on $name", ({ start }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());

  async function counted({ userId }: Person) {
    const mine = async (table: string) => await backend.inside.query(probe.rows, { table, field: "ownerId", value: userId });
    const [projects, designs, images] = await Promise.all([mine("projects"), mine("designs"), mine("designImages")]);
    const hidden = new Set([...projects, ...designs].filter(({ removedAt }) => removedAt !== undefined).map(({ _id }) => _id));
    const live = (row: Record<string, unknown>) => row["removedAt"] === undefined && !hidden.has(row["projectId"]);
    const liveDesigns = new Set(designs.filter(live).map(({ _id }) => _id));
    const files = new Map(images.map(({ storageId, size }) => [storageId, Number(size)]));
    return {
      projects: projects.filter(live).length,
      designs: liveDesigns.size,
      images: images.filter((image) => live(image) && liveDesigns.has(image["designId"])).length,
      bytes: [...files.values()].reduce((sum, size) => sum + size, 0),
    };
  }

  async function createItems(name: string) {
    const person = await signUp(backend, name);
    const projectId = await person.mutation(api.projects.create, { name: "one" });
    const other = await person.mutation(api.projects.create, { name: "two" });
    const designId = await person.mutation(api.designs.create, { projectId, name: "a design" });
    const second = await person.mutation(api.designs.create, { projectId: other, name: "another" });
    const { id } = await addImage(backend, person, designId, "a");
    await addImage(backend, person, designId, "b");
    await addImage(backend, person, second, "c");
    return { person, projectId, designId, imageId: id };
  }

  it("matches the stored items after every change", async () => {
    const { person, projectId, designId, imageId } = await createItems("ada");
    const agrees = async () => {
      await backend.settle();
      const usage = await person.query(api.usage.getUsage, {});
      expect(usage).toEqual(await counted(person));
      return usage;
    };
    expect(await agrees()).toMatchObject({ projects: 2, designs: 2, images: 3 });
    await person.mutation(api.designImages.remove, { id: imageId });
    expect(await agrees()).toMatchObject({ images: 2 });
    await person.mutation(api.designs.remove, { id: designId });
    expect(await agrees()).toMatchObject({ projects: 2, designs: 1, images: 1 });
    await person.mutation(api.projects.remove, { id: projectId });
    expect(await agrees()).toMatchObject({ projects: 1, designs: 1, images: 1 });
  });

  it("is counted for users without a row, also during changes", async () => {
    const { person, designId } = await createItems("bob");
    await backend.settle();
    const rows = () => backend.inside.query(probe.rows, { table: "usage", field: "ownerId", value: person.userId });
    for (const { _id } of await rows()) await backend.inside.mutation(probe.remove, { table: "usage", id: String(_id) });
    expect(await person.query(api.usage.getUsage, {})).toEqual(await counted(person));

    for (const name of ["d", "e", "f"]) await addImage(backend, person, designId, name);
    await backend.settle();
    expect(await rows()).toHaveLength(1);
    expect(await person.query(api.usage.getUsage, {})).toEqual(await counted(person));

    const [row] = await rows();
    await backend.inside.mutation(probe.patch, { table: "usage", id: String(row?.["_id"]), fields: { bytes: 1, counting: 3 } });
    await addImage(backend, person, designId, "g");
    await backend.settle();
    expect(await person.query(api.usage.getUsage, {})).toEqual(await counted(person));
    expect((await rows())[0]).not.toHaveProperty("counting");
  });

  it("is zero for a new user", async () => {
    const carol = await signUp(backend, "carol");
    expect(await carol.query(api.usage.getUsage, {})).toEqual({ projects: 0, designs: 0, images: 0, bytes: 0 });
  });
});

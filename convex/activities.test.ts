import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, signUp } from "../tests/convex/backends.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api } from "./_generated/api";

describe.each(backends)("activities on $name", ({ start }) => {
  let backend: Backend;
  beforeAll(async () => void (backend = await start()));
  afterAll(() => backend.close());

  it("have the item's location, and its picture until it is trashed", async () => {
    const ada = await signUp(backend, "ada");
    const projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    const designId = await ada.mutation(api.designs.create, { projectId, name: "Front" });
    const { id: imageId } = await addImage(backend, ada, designId, "a.png");
    const { id: other } = await addImage(backend, ada, designId, "b.png");
    const list = async () => {
      const { page } = await ada.query(api.activities.list, { projectId, paginationOpts: { cursor: null, numItems: 20 } });
      return page.map(({ kind, thing, place, picture }) => [kind, thing.name, place, picture?.imageId]);
    };
    await ada.mutation(api.designImages.rename, { id: imageId, name: "c.png" });
    expect((await list())[0]).toEqual(["renamed", "a.png", { designId, imageId }, imageId]);
    expect((await list()).at(-1)).toEqual(["created", "Magazine", {}, other]);
    await ada.mutation(api.designImages.moveToTrash, { id: imageId });
    expect((await list())[0]).toEqual(["trashed", "c.png", { designId, imageId }, undefined]);
    await ada.mutation(api.trash.purge, { id: imageId });
    await backend.settle();
    expect((await list())[0]).toEqual(["purged", "", { designId }, undefined]);
    expect((await list()).find(([kind, name]) => kind === "created" && name === "Front")).toEqual([
      "created",
      "Front",
      { designId },
      other,
    ]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";

describe.each(backends)("design images on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  let projectId: Id<"projects">;
  let designId: Id<"designs">;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    ada = await signUp(backend, "ada");
    projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    designId = await ada.mutation(api.designs.create, { projectId, name: "Cover" });
  });

  const images = () => ada.query(api.designImages.getDesignImagesByDesignId, { designId });
  const design = () => ada.query(api.designs.getDesignById, { id: designId });
  const project = () => ada.query(api.projects.getProjectById, { id: projectId });

  it("returns an image with its neighbours", async () => {
    const [first, gone, second, third] = [
      await addImage(backend, ada, designId, "1.png"),
      await addImage(backend, ada, designId, "gone.png"),
      await addImage(backend, ada, designId, "2.png"),
      await addImage(backend, ada, designId, "3.png"),
    ];
    await ada.mutation(api.designImages.remove, { id: gone.id });
    const inPlace = (id: string) => ada.query(api.designImages.getDesignImageInPlace, { id });
    expect(await inPlace(first.id)).toMatchObject({ image: { name: "1.png" }, previous: null, next: second.id });
    expect(await inPlace(second.id)).toMatchObject({ image: { name: "2.png" }, previous: first.id, next: third.id });
    expect(await inPlace(third.id)).toMatchObject({ image: { name: "3.png" }, previous: second.id, next: null });
    expect(await refused(inPlace(gone.id))).toEqual({ code: "not_found" });
  });

  it("lists by name, size, type and date in both directions", async () => {
    for (const [name, contentType] of [
      ["aa", "image/webp"],
      ["c", "image/gif"],
      ["bbb", "image/png"],
    ] as const) {
      const { id } = await addImage(backend, ada, designId, name);
      await backend.inside.mutation(probe.patch, { table: "designImages", id, fields: { contentType, size: name.length } });
    }
    const sorted = async (sort: "name" | "name-desc" | "created" | "created-asc" | "size" | "size-asc" | "type" | "type-desc") => {
      const { page } = await ada.query(api.designImages.listDesignImages, {
        designId,
        sort,
        paginationOpts: { cursor: null, numItems: 9 },
      });
      return page.map(({ name }) => name).join(" ");
    };
    expect([await sorted("name"), await sorted("name-desc")]).toEqual(["aa bbb c", "c bbb aa"]);
    expect([await sorted("created"), await sorted("created-asc")]).toEqual(["bbb c aa", "aa c bbb"]);
    expect([await sorted("size"), await sorted("size-asc")]).toEqual(["bbb aa c", "c aa bbb"]);
    expect([await sorted("type"), await sorted("type-desc")]).toEqual(["c bbb aa", "aa bbb c"]);
  });

  it("renames an image and updates its design and project", async () => {
    const { id } = await addImage(backend, ada, designId, "old.png");
    const [designBefore, projectBefore] = [await design(), await project()];
    await new Promise((resolve) => setTimeout(resolve, 2));
    await ada.mutation(api.designImages.rename, { id, name: " new " });
    expect((await images()).map(({ name }) => name)).toEqual(["new"]);
    expect((await design()).updatedAt).toBeGreaterThan(designBefore.updatedAt);
    expect((await project()).updatedAt).toBeGreaterThan(projectBefore.updatedAt);
    expect((await design()).imageCount).toBe(1);
  });

  it("rejects an invalid name with a field error and keeps the old one", async () => {
    const { id } = await addImage(backend, ada, designId, "old.png");
    for (const name of ["", "  ", "i".repeat(201)]) {
      expect(await refused(ada.mutation(api.designImages.rename, { id, name }))).toEqual({
        code: "invalid",
        fieldErrors: { name: [expect.any(String)] },
      });
    }
    expect((await images()).map(({ name }) => name)).toEqual(["old.png"]);
  });

  it("hides a trashed image, updates counts, and purges its row and file", async () => {
    const gone = await addImage(backend, ada, designId, "gone.png");
    const kept = await addImage(backend, ada, designId, "kept.png");
    await ada.mutation(api.designImages.remove, { id: gone.id });
    expect((await images()).map(({ name }) => name)).toEqual(["kept.png"]);
    expect([(await design()).imageCount, (await project()).imageCount]).toEqual([1, 1]);
    expect(await refused(ada.mutation(api.designImages.rename, { id: gone.id, name: "back" }))).toEqual({ code: "not_found" });
    expect(await refused(ada.mutation(api.designImages.remove, { id: gone.id }))).toEqual({ code: "not_found" });
    await ada.mutation(api.trash.purge, { id: gone.id });
    await backend.settle();
    expect(await backend.inside.query(probe.row, { table: "designImages", id: gone.id })).toBeNull();
    expect(await backend.inside.query(probe.filesAmong, { ids: [gone.storageId, kept.storageId] })).toEqual([kept.storageId]);
  });
});

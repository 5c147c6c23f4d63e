import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";

describe.each(backends)("designs on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  let projectId: Id<"projects">;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    ada = await signUp(backend, "ada");
    projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
  });

  const names = async () => (await ada.query(api.designs.getDesignsByProjectId, { projectId })).map(({ name }) => name);
  const project = () => ada.query(api.projects.getProjectById, { id: projectId });

  it("creates an empty design, returns its fields and counts it", async () => {
    const before = (await project()).updatedAt;
    await later();
    const id = await ada.mutation(api.designs.create, { projectId, name: " Cover " });
    const design = await ada.query(api.designs.getDesignById, { id });
    expect(design).toEqual({
      _id: id,
      _creationTime: expect.any(Number),
      projectId,
      name: "Cover",
      updatedAt: expect.any(Number),
      imageCount: 0,
      cover: [],
      coverChosen: false,
      favourite: false,
      description: "",
    });
    expect(await ada.query(api.designs.getDesignsByProjectId, { projectId })).toEqual([design]);
    expect((await project()).designCount).toBe(1);
    expect((await project()).updatedAt).toBeGreaterThan(before);
  });

  it("lists the last changed design first and updates the project on rename", async () => {
    const first = await ada.mutation(api.designs.create, { projectId, name: "first" });
    await later();
    await ada.mutation(api.designs.create, { projectId, name: "second" });
    await later();
    expect(await names()).toEqual(["second", "first"]);
    const before = (await project()).updatedAt;
    await ada.mutation(api.designs.rename, { id: first, name: "first again" });
    expect(await names()).toEqual(["first again", "second"]);
    expect((await project()).updatedAt).toBeGreaterThan(before);
    expect((await project()).designCount).toBe(2);
  });

  it("rejects an invalid name with a field error", async () => {
    const id = await ada.mutation(api.designs.create, { projectId, name: "d".repeat(200) });
    for (const name of ["", " ", "d".repeat(201), "a\u0000b"]) {
      for (const call of [
        () => ada.mutation(api.designs.create, { projectId, name }),
        () => ada.mutation(api.designs.rename, { id, name }),
      ]) {
        expect(await refused(call())).toEqual({ code: "invalid", fieldErrors: { name: [expect.any(String)] } });
      }
    }
    expect(await names()).toEqual(["d".repeat(200)]);
  });

  it("hides a trashed design, updates counts, and purges its row", async () => {
    const id = await ada.mutation(api.designs.create, { projectId, name: "to go" });
    await ada.mutation(api.designs.create, { projectId, name: "to stay" });
    await ada.mutation(api.designs.remove, { id });
    expect(await names()).toEqual(["to stay"]);
    expect((await project()).designCount).toBe(1);
    for (const call of [
      () => ada.query(api.designs.getDesignById, { id }),
      () => ada.query(api.designImages.getDesignImagesByDesignId, { designId: id }),
      () => ada.mutation(api.designs.rename, { id, name: "back" }),
      () => ada.mutation(api.designs.remove, { id }),
    ]) {
      expect(await refused(call())).toEqual({ code: "not_found" });
    }
    await ada.mutation(api.trash.purge, { id });
    await backend.settle();
    expect(await backend.inside.query(probe.row, { table: "designs", id })).toBeNull();
    expect((await project()).designCount).toBe(1);
  });

  it("returns 201 designs at most, and all of them page by page", async () => {
    for (let each = 0; each < 203; each++) {
      await backend.inside.mutation(probe.insert, {
        table: "designs",
        row: { projectId, name: `d${each}`, updatedAt: 1000 + each, imageCount: 0, cover: [], latestImageAt: 0 },
      });
    }
    const expected = Array.from({ length: 203 }, (_, each) => `d${202 - each}`);
    expect(await names()).toEqual(expected.slice(0, 201));

    const first = await ada.query(api.designs.listDesigns, { projectId, paginationOpts: { cursor: null, numItems: 1000 } });
    expect(first.isDone).toBe(false);
    const rest = await ada.query(api.designs.listDesigns, { projectId, paginationOpts: { cursor: first.continueCursor, numItems: 10 } });
    expect(rest.isDone).toBe(true);
    expect([...first.page, ...rest.page].map(({ name }) => name)).toEqual(expected);
  });
});

const later = () => new Promise((resolve) => setTimeout(resolve, 2));

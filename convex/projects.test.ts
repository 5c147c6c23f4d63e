import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { api } from "./_generated/api";

describe.each(backends)("projects on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());

  const newPerson = async () => {
    ada = await signUp(backend, "ada");
    return ada;
  };
  it("returns no projects for a new user", async () => {
    await newPerson();
    expect(await names(ada)).toEqual([]);
  });

  it("creates an empty project with a trimmed name and returns its fields", async () => {
    await newPerson();
    const before = Date.now();
    const id = await ada.mutation(api.projects.create, { name: "  Poster  " });
    const project = await ada.query(api.projects.getProjectById, { id });
    expect(project).toEqual({
      _id: id,
      _creationTime: expect.any(Number),
      name: "Poster",
      updatedAt: expect.any(Number),
      designCount: 0,
      imageCount: 0,
      cover: [],
      coverChosen: false,
      favourite: false,
      description: "",
    });
    expect(project.updatedAt).toBeGreaterThanOrEqual(before);
    expect(await ada.query(api.projects.getProjects, {})).toEqual([project]);
  });

  it("creates a project with one design of the same name", async () => {
    await newPerson();
    const { projectId, designId } = await ada.mutation(api.projects.createWithDesign, { name: " Autumn " });
    expect(await ada.query(api.projects.getProjectById, { id: projectId })).toMatchObject({ name: "Autumn", designCount: 1 });
    expect(await ada.query(api.designs.getDesignById, { id: designId })).toMatchObject({ name: "Autumn", projectId });
    expect(await refused(ada.mutation(api.projects.createWithDesign, { name: " " }))).toMatchObject({ code: "invalid" });
    expect(await names(ada)).toEqual(["Autumn"]);
  });

  it("lists the last changed project first", async () => {
    await newPerson();
    const first = await ada.mutation(api.projects.create, { name: "first" });
    await later();
    await ada.mutation(api.projects.create, { name: "second" });
    await later();
    expect(await names(ada)).toEqual(["second", "first"]);
    await ada.mutation(api.projects.rename, { id: first, name: "first again" });
    expect(await names(ada)).toEqual(["first again", "second"]);
    await later();
    const [, second] = await ada.query(api.projects.getProjects, {});
    await ada.mutation(api.designs.create, { projectId: second?._id ?? "", name: "a design" });
    expect(await names(ada)).toEqual(["second", "first again"]);
  });

  it("rejects invalid names and accepts names at the length limit", async () => {
    await newPerson();
    const id = await ada.mutation(api.projects.create, { name: "n".repeat(200) });
    for (const name of ["", "   ", "n".repeat(201), "two\nlines"]) {
      expect(await refused(ada.mutation(api.projects.create, { name }))).toEqual({
        code: "invalid",
        fieldErrors: { name: [expect.any(String)] },
      });
      expect((await refused(ada.mutation(api.projects.rename, { id, name }))).code).toBe("invalid");
    }
    expect(await names(ada)).toEqual(["n".repeat(200)]);
  });

  it("reports an invalid name with a field error", async () => {
    await newPerson();
    const { fieldErrors } = await refused(ada.mutation(api.projects.create, { name: "" }));
    expect(fieldErrors).toEqual({ name: ["Enter a name for the project."] });
  });

  it("hides a trashed project and its contents, and purges their rows", async () => {
    await newPerson();
    const id = await ada.mutation(api.projects.create, { name: "to go" });
    const kept = await ada.mutation(api.projects.create, { name: "to stay" });
    const designId = await ada.mutation(api.designs.create, { projectId: id, name: "inside" });
    await ada.mutation(api.projects.remove, { id });
    expect(await names(ada)).toEqual(["to stay"]);
    for (const call of [
      () => ada.query(api.projects.getProjectById, { id }),
      () => ada.query(api.designs.getDesignsByProjectId, { projectId: id }),
      () => ada.query(api.designs.getDesignById, { id: designId }),
      () => ada.query(api.designImages.getDesignImagesByDesignId, { designId }),
      () => ada.mutation(api.projects.rename, { id, name: "back" }),
      () => ada.mutation(api.projects.remove, { id }),
      () => ada.mutation(api.designs.create, { projectId: id, name: "late" }),
    ]) {
      expect(await refused(call())).toEqual({ code: "not_found" });
    }
    await ada.mutation(api.trash.purge, { id });
    await backend.settle();
    expect(await backend.inside.query(probe.row, { table: "projects", id })).toBeNull();
    expect(await backend.inside.query(probe.row, { table: "designs", id: designId })).toBeNull();
    expect(await backend.inside.query(probe.row, { table: "projects", id: kept })).not.toBeNull();
  });

  it("returns 201 projects at most, and all of them page by page", async () => {
    await newPerson();
    for (let each = 0; each < 205; each++) {
      await backend.inside.mutation(probe.insert, {
        table: "projects",
        row: { ownerId: ada.userId, name: `p${each}`, updatedAt: 1000 + each, designCount: 0, imageCount: 0, cover: [] },
      });
    }
    const expected = Array.from({ length: 205 }, (_, each) => `p${204 - each}`);
    expect(await names(ada)).toEqual(expected.slice(0, 201));

    const paged: string[] = [];
    let cursor: string | null = null;
    let done = false;
    while (!done) {
      const page: Awaited<ReturnType<typeof pageAt>> = await pageAt(cursor, 90);
      expect(page.page.length).toBeLessThanOrEqual(90);
      paged.push(...page.page.map(({ name }) => name));
      cursor = page.continueCursor;
      done = page.isDone;
    }
    expect(paged).toEqual(expected);
    expect((await pageAt(null, 100_000)).page).toHaveLength(200);
  });

  const pageAt = (cursor: string | null, numItems: number) =>
    ada.query(api.projects.listProjects, { paginationOpts: { cursor, numItems } });
});

const names = async (person: Person) => (await person.query(api.projects.getProjects, {})).map(({ name }) => name);

const later = () => new Promise((resolve) => setTimeout(resolve, 2));

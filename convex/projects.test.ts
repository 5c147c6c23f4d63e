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
  it("starts with none", async () => {
    await newPerson();
    expect(await names(ada)).toEqual([]);
  });

  it("makes an empty project with its name trimmed, and shows all of it and no more", async () => {
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

  it("lists the one that changed last first", async () => {
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

  it("refuses names that are empty, too long or no line of text, and keeps those at the limit", async () => {
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

  it("says what is wrong with a name as a form would", async () => {
    await newPerson();
    const { fieldErrors } = await refused(ada.mutation(api.projects.create, { name: "" }));
    expect(fieldErrors).toEqual({ name: ["Give the project a name."] });
  });

  it("hides a removed project and all that is in it at once, and deletes the rows for ever when told to", async () => {
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

  it("answers the first 200 and one that tells of more, and all of them page by page in the same order", async () => {
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

/** Lets the clock move on, so that one change is later than another. */
const later = () => new Promise((resolve) => setTimeout(resolve, 2));

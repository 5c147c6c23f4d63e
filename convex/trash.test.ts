import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api, internal } from "./_generated/api";
import { TRASH_TIME } from "./jobs/purge";

const everything = { cursor: null, numItems: 50 };

describe.each(backends)("the trash on $name", ({ start }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());

  async function createItems(name: string) {
    const person = await signUp(backend, name);
    const project = await person.mutation(api.projects.create, { name: "Magazine" });
    const design = await person.mutation(api.designs.create, { projectId: project, name: "Cover" });
    const other = await person.mutation(api.designs.create, { projectId: project, name: "Inside" });
    const images = [];
    for (const each of ["one", "two", "three"]) images.push(await addImage(backend, person, design, each));
    const [one, two, three] = images;
    if (!one || !two || !three) throw new Error("three images");
    return { person, project, design, other, one, two, three };
  }
  type Fixtures = Awaited<ReturnType<typeof createItems>>;

  async function seen({ person }: Fixtures) {
    const projects = await person.query(api.projects.getProjects, { sort: "manual" });
    const designs = await Promise.all(
      projects.map(({ _id }) => person.query(api.designs.getDesignsByProjectId, { projectId: _id, sort: "manual" })),
    );
    const images = await Promise.all(
      designs.flat().map(({ _id }) => person.query(api.designImages.getDesignImagesByDesignId, { designId: _id })),
    );
    const usage = await person.query(api.usage.getUsage, {});
    return JSON.parse(JSON.stringify([projects, designs, images, usage], (key, value: unknown) => (key === "updatedAt" ? 0 : value)));
  }
  const trashOf = async ({ person }: Fixtures) => {
    const { projects, designs, images } = await person.query(api.trash.getTrash, {});
    return [...projects, ...designs, ...images].map(({ name }) => name);
  };

  it("hides items everywhere and restores exactly what was trashed", async () => {
    const fixtures = await createItems("ada");
    const { person, project, design, one, two } = fixtures;
    const server = await appServer(backend);
    await person.mutation(api.designs.setCover, { id: design, imageId: two.id });
    await person.mutation(api.projects.setCover, { id: project, imageId: two.id });
    await backend.settle();
    for (const [id, moveToTrash] of [
      [two.id, api.designImages.moveToTrash],
      [design, api.designs.moveToTrash],
      [project, api.projects.moveToTrash],
    ] as const) {
      const before = await seen(fixtures);
      await person.mutation(moveToTrash, { id });
      const imageId = id === two.id ? two.id : one.id;
      for (const call of [
        () => person.query(api.designImages.getDesignImageInPlace, { id: imageId }),
        () => server.query(api.uploads.getFile, { sessionId: person.sessionId, imageId }),
        () => person.mutation(api.designImages.rename, { id: imageId, name: "x" }),
        ...(id === two.id ? [] : [() => person.query(api.designs.getDesignById, { id: design })]),
        ...(id === project ? [() => person.query(api.wall.listProjectImages, { projectId: project, paginationOpts: everything })] : []),
      ]) {
        expect(await refused(call())).toEqual({ code: "not_found" });
      }
      const found = await person.query(api.search.find, { text: id === two.id ? "two" : "one" });
      expect([found.images, id === two.id ? [] : (await person.query(api.search.find, { text: "Cover" })).designs]).toEqual([[], []]);
      const during = JSON.stringify(await seen(fixtures));
      expect(during).not.toContain(imageId);
      expect(await person.query(api.trash.getTrashed, { id: imageId })).toMatchObject({ _id: id });

      expect(await person.mutation(api.trash.restore, { id })).toMatchObject({ id });
      expect(await seen(fixtures)).toEqual(before);
      expect(await trashOf(fixtures)).toEqual([]);
    }
  });

  it("isolates a right-to-left name in a refusal", async () => {
    const person = await signUp(backend, "miriam");
    const project = await person.mutation(api.projects.create, { name: "מגזין 2026 (טיוטה)" });
    const design = await person.mutation(api.designs.create, { projectId: project, name: "Cover" });
    await person.mutation(api.designs.moveToTrash, { id: design });
    await person.mutation(api.projects.moveToTrash, { id: project });
    expect(await refused(person.mutation(api.trash.restore, { id: design }))).toMatchObject({
      message: "Its project “\u2068מגזין 2026 (טיוטה)\u2069” is in the trash too.",
    });
  });

  it("keeps earlier trashed contents, restored with or without their parent", async () => {
    const fixtures = await createItems("bob");
    const { person, project, design, one, two } = fixtures;
    await person.mutation(api.designImages.moveToTrash, { id: one.id });
    await person.mutation(api.designs.moveToTrash, { id: design });
    await person.mutation(api.projects.moveToTrash, { id: project });
    expect(await trashOf(fixtures)).toEqual(["Magazine", "Cover", "one"]);

    for (const [id, parent] of [
      [design, "Its project “Magazine”"],
      [one.id, "Its project “Magazine”"],
    ] as const) {
      expect(await refused(person.mutation(api.trash.restore, { id }))).toEqual({
        code: "conflict",
        message: `${parent} is in the trash too.`,
      });
    }
    await person.mutation(api.trash.restore, { id: project });
    expect(await trashOf(fixtures)).toEqual(["Cover", "one"]);
    expect(await refused(person.mutation(api.trash.restore, { id: one.id }))).toMatchObject({
      message: expect.stringContaining("Its design “Cover”"),
    });

    await person.mutation(api.projects.moveToTrash, { id: project });
    expect(await person.mutation(api.trash.restore, { id: one.id, withPlace: true })).toMatchObject({
      kind: "image",
      designId: design,
      projectId: project,
    });
    expect(await trashOf(fixtures)).toEqual([]);
    expect((await person.query(api.designs.getDesignById, { id: design })).imageCount).toBe(3);

    const elsewhere = await person.mutation(api.projects.create, { name: "Elsewhere" });
    await person.mutation(api.designImages.moveToTrash, { id: two.id });
    await person.mutation(api.designs.moveToTrash, { id: design });
    await person.mutation(api.projects.moveToTrash, { id: project });
    expect(await person.mutation(api.trash.restore, { id: design, into: elsewhere })).toMatchObject({ projectId: elsewhere });
    const there = await person.query(api.projects.getProjectById, { id: elsewhere });
    expect([there.designCount, there.imageCount]).toEqual([1, 2]);
    const stranger = await createItems("eve");
    for (const into of [stranger.project, stranger.design, "nonsense", project]) {
      expect(await refused(person.mutation(api.trash.restore, { id: two.id, into }))).toEqual({ code: "not_found" });
    }
    expect(await person.query(api.usage.getUsage, {})).toMatchObject({ projects: 1, designs: 1, images: 2 });
  });

  it("purges single items, and everything when it is emptied", async () => {
    const fixtures = await createItems("carol");
    const { person, project, design, other, one, two, three } = fixtures;
    await person.mutation(api.designImages.moveToTrash, { id: one.id });
    await person.mutation(api.trash.purge, { id: one.id });
    await person.mutation(api.designImages.moveToTrash, { id: two.id });
    await person.mutation(api.designs.moveToTrash, { id: other });
    const kept = await person.mutation(api.projects.create, { name: "kept" });
    await backend.settle();
    const files = () => backend.inside.query(probe.filesAmong, { ids: [one, two, three].map(({ storageId }) => storageId) });
    expect(await files()).toEqual([two.storageId, three.storageId]);
    await person.mutation(api.trash.empty, {});
    expect(await trashOf(fixtures)).toEqual([]);
    await backend.settle();
    expect(await files()).toEqual([three.storageId]);

    await person.mutation(api.projects.moveToTrash, { id: project });
    await person.mutation(api.trash.empty, {});
    for (const id of [project, design, three.id]) {
      expect(await refused(person.mutation(api.trash.restore, { id }))).toEqual({ code: "not_found" });
      expect(await refused(person.query(api.trash.getTrashed, { id }))).toEqual({ code: "not_found" });
    }
    await backend.settle();
    expect(await files()).toEqual([]);
    expect((await person.query(api.projects.getProjects, {})).map(({ _id }) => _id)).toEqual([kept]);
    expect(await person.query(api.usage.getUsage, {})).toEqual({ projects: 1, designs: 0, images: 0, bytes: 0 });
    expect(await backend.inside.query(probe.rows, { table: "activities", field: "projectId", value: project })).toEqual([]);
  });

  it("purges items after 30 days and no sooner, and records it", { tags: "@records-expired-trash" }, async () => {
    const { person, project, other, one } = await createItems("dora");
    const younger = await person.mutation(api.projects.create, { name: "younger" });
    for (const [table, id, age] of [
      ["designs", other, TRASH_TIME + 1000],
      ["designImages", one.id, TRASH_TIME + 1000],
      ["projects", younger, TRASH_TIME - 60_000],
    ] as const) {
      await backend.inside.mutation(probe.patch, { table, id, fields: { removedAt: Date.now() - age } });
    }
    await backend.inside.mutation(internal.jobs.purge.expire, {});
    await backend.settle();
    const left = await Promise.all(
      [
        ["designs", other],
        ["designImages", one.id],
        ["projects", younger],
        ["projects", project],
      ].map(([table = "", id = ""]) => backend.inside.query(probe.row, { table, id })),
    );
    expect(left.map((row) => row !== null)).toEqual([false, false, true, true]);
    expect(await backend.inside.query(probe.filesAmong, { ids: [one.storageId] })).toEqual([]);
    const { page } = await person.query(api.activities.list, { projectId: project, paginationOpts: everything });
    expect(page.filter(({ kind }) => kind === "purged").map(({ actor, thing }) => [actor, thing.kind])).toEqual([
      [null, "image"],
      [null, "design"],
    ]);
    const log = await person.query(api.auditLog.listAll, { category: "data", paginationOpts: everything });
    expect(log.page).toMatchObject([
      { action: "item.deleted", actor: "system", target: { kind: "image", id: one.id } },
      { action: "item.deleted", actor: "system", target: { kind: "design", id: other } },
    ]);
  });

  it("returns items page by page", async () => {
    const { person, one, two, three } = await createItems("finn");
    for (const { id } of [one, two, three]) await person.mutation(api.designImages.moveToTrash, { id });
    const first = await person.query(api.trash.listTrash, { kind: "image", paginationOpts: { cursor: null, numItems: 2 } });
    const rest = await person.query(api.trash.listTrash, { kind: "image", paginationOpts: { cursor: first.continueCursor, numItems: 2 } });
    expect([...first.page, ...rest.page].map(({ name }) => name)).toEqual(["three", "two", "one"]);
    for (const kind of ["project", "design"] as const) {
      expect((await person.query(api.trash.listTrash, { kind, paginationOpts: everything })).page).toEqual([]);
    }
  });
});

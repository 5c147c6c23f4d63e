import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";

type Sort = "changed" | "name" | "created" | "manual";
const SORTS: Sort[] = ["changed", "name", "created", "manual"];
const DESIGNS = 60;

describe.each(backends)("favourites on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  let projectId: Id<"projects">;
  let designId: Id<"designs">;
  beforeAll(async () => {
    backend = await start();
    await backend.inside.mutation(internal.jobs.upgrade.run, {});
    await backend.settle();
  });
  afterAll(() => backend.close());

  beforeEach(async () => {
    ada = await signUp(backend, "ada");
    projectId = await ada.mutation(api.projects.create, { name: "Project" });
    designId = await ada.mutation(api.designs.create, { projectId, name: "Design" });
  });

  const rowsOf = async (id: string) =>
    (await backend.inside.query(probe.rows, { table: "favourites" })).filter(({ itemId }) => itemId === id);
  const insert = (row: object) => backend.inside.mutation(probe.insert, { table: "favourites", row: { favouriteAt: 5, ...row } });
  const insertDesigns = (count: number, fields: (index: number) => object) =>
    backend.inside.mutation(probe.insertMany, {
      table: "designs",
      rows: Array.from({ length: count }, (_, index) => ({
        ownerId: ada.userId,
        projectId,
        name: `design ${index}`,
        sortName: `design ${String((index * 7) % count).padStart(3, "0")}`,
        updatedAt: 1000 + ((index * 13) % count),
        imageCount: 0,
        cover: [],
        latestImageAt: 0,
        ...fields(index),
      })),
    });
  const designs = (sort: Sort) => ada.query(api.designs.getDesignsByProjectId, { projectId, sort });

  async function pages(sort: Sort, numItems: number) {
    const pages = [];
    let cursor: string | null = null;
    for (let isDone = false; !isDone;) {
      const answer: Awaited<ReturnType<typeof pageAt>> = await pageAt(sort, numItems, cursor);
      pages.push(answer.page);
      ({ isDone, continueCursor: cursor } = answer);
    }
    return pages;
  }
  const pageAt = (sort: Sort, numItems: number, cursor: string | null) =>
    ada.query(api.designs.listDesigns, { projectId, sort, paginationOpts: { numItems, cursor } });

  it("belong to one person", async () => {
    const bob = await signUp(backend, "bob");
    await insert({ userId: bob.userId, projectId, itemId: designId });
    await insert({ userId: bob.userId, itemId: projectId });
    for (const sort of SORTS) expect((await designs(sort)).map(({ favourite }) => favourite)).toEqual([false]);
    expect(await ada.query(api.designs.getDesignById, { id: designId })).toMatchObject({ favourite: false });
    expect(await ada.query(api.projects.getProjectById, { id: projectId })).toMatchObject({ favourite: false });
    expect(await ada.query(api.projects.getProjects, { favourites: true })).toEqual([]);

    await ada.mutation(api.designs.setFavourite, { id: designId, favourite: true });
    await ada.mutation(api.projects.setFavourite, { id: projectId, favourite: true });
    for (const sort of SORTS) expect((await designs(sort)).map(({ favourite }) => favourite)).toEqual([true]);
    expect(await rowsOf(designId)).toHaveLength(2);
    await ada.mutation(api.designs.setFavourite, { id: designId, favourite: false });
    expect((await rowsOf(designId)).map(({ userId }) => userId)).toEqual([bob.userId]);
    expect(await ada.query(api.designs.getDesignById, { id: designId })).toMatchObject({ favourite: false });
  });

  it("are independent for members and the owner, also when undone", async () => {
    const eve = await signUp(backend, "eve");
    const membership = { projectId, userId: eve.userId, role: "viewer", addedAt: 1, addedBy: ada.userId };
    const member = await backend.inside.mutation(probe.insert, { table: "projectMembers", row: membership });
    const other = await ada.mutation(api.designs.create, { projectId, name: "Other" });
    await ada.mutation(api.designs.setFavourite, { id: other, favourite: true });
    await ada.mutation(api.projects.setFavourite, { id: projectId, favourite: true });
    const seenBy = async (person: Person) => ({
      designs: (await person.query(api.designs.getDesignsByProjectId, { projectId })).map(({ _id, favourite }) => [_id, favourite]),
      design: (await person.query(api.designs.getDesignById, { id: designId })).favourite,
      project: (await person.query(api.projects.getProjectById, { id: projectId })).favourite,
    });
    const owners = await seenBy(ada);
    const start = await seenBy(eve);
    expect(start).toMatchObject({
      designs: [
        [other, false],
        [designId, false],
      ],
      design: false,
      project: false,
    });

    await eve.mutation(api.many.favouriteDesigns, { ids: [designId], favourite: true, step: "design" });
    await eve.mutation(api.projects.setFavourite, { id: projectId, favourite: true, step: "project" });
    expect(await seenBy(eve)).toEqual({
      designs: [
        [designId, true],
        [other, false],
      ],
      design: true,
      project: true,
    });
    expect(await eve.query(api.projects.getProjects, {})).toEqual([]);
    const listed = async () => (await eve.query(api.members.listSharedProjects, { paginationOpts: { numItems: 5, cursor: null } })).page;
    expect(await listed()).toMatchObject([{ _id: projectId, favourite: true }]);
    expect(await seenBy(ada)).toEqual(owners);
    expect((await backend.inside.query(probe.row, { table: "designs", id: designId }))?.["favouriteAt"]).toBeUndefined();

    for (const step of ["design", "project"]) await eve.mutation(api.undo.revert, { step });
    expect(await seenBy(eve)).toEqual(start);
    expect(await seenBy(ada)).toEqual(owners);
    await eve.mutation(api.undo.revert, { step: "design" });
    await backend.inside.mutation(probe.remove, { table: "projectMembers", id: member });
    expect(await refused(eve.mutation(api.undo.revert, { step: "design" }))).toMatchObject({ code: "not_found" });
    expect(await refused(eve.mutation(api.designs.setFavourite, { id: designId, favourite: false }))).toMatchObject({ code: "not_found" });
  });

  it("return for the owner when a member's move is undone", async () => {
    const eve = await signUp(backend, "eve");
    const target = await ada.mutation(api.projects.create, { name: "Target" });
    for (const id of [projectId, target]) {
      const row = { projectId: id, userId: eve.userId, role: "editor", addedAt: 1, addedBy: ada.userId };
      await backend.inside.mutation(probe.insert, { table: "projectMembers", row });
    }
    for (const person of [ada, eve]) await person.mutation(api.designs.setFavourite, { id: designId, favourite: true });
    await eve.mutation(api.designs.move, { id: designId, projectId: target, step: "move" });
    for (const person of [ada, eve])
      expect(await person.query(api.designs.getDesignById, { id: designId })).toMatchObject({ favourite: false });
    await eve.mutation(api.undo.revert, { step: "move" });
    for (const person of [ada, eve])
      expect(await person.query(api.designs.getDesignById, { id: designId })).toMatchObject({ favourite: true });
  });

  it("come first on the first page, and are on no later one", async () => {
    await insertDesigns(DESIGNS - 1, () => ({}));
    const ids = (await designs("created")).map(({ _id }) => _id);
    const chosen = new Set(ids.filter((_, index) => index % 5 === 2));
    for (const id of chosen) await ada.mutation(api.designs.setFavourite, { id, favourite: true });
    for (const sort of SORTS) {
      const whole = await designs(sort);
      expect(
        whole
          .filter(({ favourite }) => favourite)
          .map(({ _id }) => _id)
          .toSorted(),
      ).toEqual([...chosen].toSorted());
      expect(sort === "manual" || whole.slice(0, chosen.size).every(({ favourite }) => favourite)).toBe(true);
      const listed = await pages(sort, 20);
      expect(listed.flat(), sort).toEqual(whole);
      expect(listed[0], sort).toHaveLength(20);
      expect(
        listed.every((page) => page.length > 0),
        sort,
      ).toBe(true);
    }
    for (const numItems of [1, 5, 12, 13]) expect((await pages("changed", numItems)).flat()).toEqual(await designs("changed"));
  });

  it("stay readable by a cursor when a favourite changes", async () => {
    await insertDesigns(DESIGNS - 1, () => ({}));
    const { page, continueCursor } = await pageAt("changed", 20, null);
    const rest = (await pageAt("changed", 40, continueCursor)).page;
    const [first] = page;
    const [later] = rest;
    for (const row of [first, later]) await ada.mutation(api.designs.setFavourite, { id: row?._id ?? "", favourite: true });
    expect((await pageAt("changed", 40, continueCursor)).page).toEqual(rest.slice(1));
  });

  it("return with items from the trash, and with another project's designs", async () => {
    const bob = await signUp(backend, "bob");
    await insert({ userId: bob.userId, projectId, itemId: designId });
    await ada.mutation(api.designs.setFavourite, { id: designId, favourite: true });
    await ada.mutation(api.designs.moveToTrash, { id: designId });
    expect(await designs("changed")).toEqual([]);
    await ada.mutation(api.trash.restore, { id: designId });
    expect((await designs("changed")).map(({ favourite }) => favourite)).toEqual([true]);

    const other = await ada.mutation(api.projects.create, { name: "Other" });
    await ada.mutation(api.designs.move, { id: designId, projectId: other, step: "move" });
    expect(await ada.query(api.designs.getDesignById, { id: designId })).toMatchObject({ favourite: false });
    expect((await rowsOf(designId)).map(({ userId }) => userId)).toEqual([bob.userId]);
    await ada.mutation(api.undo.revert, { step: "move" });
    expect((await designs("changed")).map(({ favourite }) => favourite)).toEqual([true]);
  });

  it("end when a design is restored to another project", async () => {
    const other = await ada.mutation(api.projects.create, { name: "Other" });
    await ada.mutation(api.designs.setFavourite, { id: designId, favourite: true });
    await ada.mutation(api.designs.moveToTrash, { id: designId });
    await ada.mutation(api.trash.restore, { id: designId, into: other });
    expect(await ada.query(api.designs.getDesignById, { id: designId })).toMatchObject({ favourite: false });
    expect(await rowsOf(designId)).toEqual([]);
    expect((await backend.inside.query(probe.row, { table: "designs", id: designId }))?.["favouriteAt"]).toBeUndefined();
  });

  it("are all shown when a restored design makes more than 50", async () => {
    await insertDesigns(59, () => ({}));
    const ids = (await designs("created")).map(({ _id }) => _id);
    await ada.mutation(api.many.favouriteDesigns, { ids: ids.slice(0, 50), favourite: true });
    await ada.mutation(api.designs.moveToTrash, { id: ids[0] ?? "" });
    await ada.mutation(api.designs.setFavourite, { id: ids[50] ?? "", favourite: true });
    await ada.mutation(api.trash.restore, { id: ids[0] ?? "" });
    const shown = await designs("changed");
    expect(shown.map(({ _id }) => _id).toSorted()).toEqual(ids.toSorted());
    expect(shown.filter(({ favourite }) => favourite)).toHaveLength(51);
  });

  it("are replaced by new ones when many items are in the trash", async () => {
    await insertDesigns(159, () => ({}));
    const ids = (await designs("created")).map(({ _id }) => _id);
    for (const from of [0, 50]) {
      const group = ids.slice(from, from + 50);
      await ada.mutation(api.many.favouriteDesigns, { ids: group, favourite: true });
      await ada.mutation(api.many.trashDesigns, { ids: group });
    }
    const rest = ids.slice(100, 150);
    await ada.mutation(api.many.favouriteDesigns, { ids: rest, favourite: true, step: "more" });
    expect((await ada.query(api.designs.getDesignsByProjectId, { projectId, favourites: true })).map(({ _id }) => _id).toSorted()).toEqual(
      rest.toSorted(),
    );
    const extra = { id: ids[155] ?? "", favourite: true };
    expect(await refused(ada.mutation(api.designs.setFavourite, extra))).toMatchObject({ code: "limit" });
    await ada.mutation(api.undo.revert, { step: "more" });
    expect(await ada.query(api.designs.getDesignsByProjectId, { projectId, favourites: true })).toEqual([]);
    await ada.mutation(api.designs.setFavourite, extra);
  });

  it("are deleted with the item, of every person", async () => {
    for (let index = 0; index < 150; index++) await insert({ userId: `member ${index}`, projectId, itemId: designId });
    for (let index = 0; index < 150; index++) await insert({ userId: `member ${index}`, itemId: projectId });
    for (const [remove, id] of [
      [api.designs.moveToTrash, designId],
      [api.projects.moveToTrash, projectId],
    ] as const) {
      await ada.mutation(remove, { id });
      await ada.mutation(api.trash.purge, { id });
      await backend.settle();
      expect(await rowsOf(id)).toEqual([]);
    }
  });

  it("stay with the designs of a copied project", async () => {
    await ada.mutation(api.designs.setFavourite, { id: designId, favourite: true });
    const bob = await signUp(backend, "bob");
    await insert({ userId: bob.userId, projectId, itemId: designId });
    const copy = await ada.mutation(api.projects.duplicate, { id: projectId });
    await backend.settle();
    const [design] = await ada.query(api.designs.getDesignsByProjectId, { projectId: copy });
    expect(design).toMatchObject({ favourite: true });
    expect((await rowsOf(design?._id ?? "")).map(({ userId }) => userId)).toEqual([ada.userId]);
  });

  describe("of the previous build", () => {
    const setUpgraded = async (isUpgraded: boolean) => {
      for (const { _id } of await backend.inside.query(probe.rows, { table: "upgrades", field: "name", value: "favourites" }))
        await backend.inside.mutation(probe.remove, { table: "upgrades", id: String(_id) });
      if (isUpgraded) await backend.inside.mutation(internal.jobs.upgrade.run, {});
      await backend.settle();
    };
    const storeInItem = (table: string, id: string, favouriteAt: number | undefined) =>
      backend.inside.mutation(probe.patch, { table, id, fields: { favouriteAt } });
    const favouriteIn = async (table: string, id: string) => (await backend.inside.query(probe.row, { table, id }))?.["favouriteAt"];

    it("are read, changed and undone before they are copied", async () => {
      await setUpgraded(false);
      await storeInItem("designs", designId, 7);
      await storeInItem("projects", projectId, 8);
      for (const sort of SORTS) expect((await designs(sort)).map(({ favourite }) => favourite)).toEqual([true]);
      for (const sort of SORTS) expect((await pageAt(sort, 20, null)).page.map(({ favourite }) => favourite)).toEqual([true]);
      expect(await ada.query(api.designs.getDesignById, { id: designId })).toMatchObject({ favourite: true });
      expect(await ada.query(api.projects.getProjects, { favourites: true })).toMatchObject([{ _id: projectId, favourite: true }]);
      const copy = await ada.mutation(api.projects.duplicate, { id: projectId });
      await backend.settle();
      expect(await ada.query(api.designs.getDesignsByProjectId, { projectId: copy })).toMatchObject([{ favourite: true }]);

      await ada.mutation(api.designs.setFavourite, { id: designId, favourite: false, step: "off" });
      expect((await designs("changed")).map(({ favourite }) => favourite)).toEqual([false]);
      await ada.mutation(api.undo.revert, { step: "off" });
      expect((await designs("changed")).map(({ favourite }) => favourite)).toEqual([true]);
      expect(await favouriteIn("designs", designId)).toBe(7);
      await setUpgraded(true);
    });

    it("are copied once, also from the trash, and later read from the rows alone", async () => {
      const trashed = await ada.mutation(api.designs.create, { projectId, name: "Trashed" });
      await setUpgraded(false);
      await storeInItem("designs", designId, 7);
      await storeInItem("designs", trashed, 9);
      await storeInItem("projects", projectId, 8);
      await ada.mutation(api.designs.moveToTrash, { id: trashed });
      for (let run = 0; run < 2; run++) await backend.inside.mutation(internal.jobs.upgrade.favourites, { table: "designs", cursor: null });
      await backend.settle();
      await setUpgraded(true);
      for (const [id, favouriteAt] of [
        [designId, 7],
        [trashed, 9],
      ] as const)
        expect(await rowsOf(id)).toMatchObject([{ userId: ada.userId, projectId, favouriteAt }]);
      expect(await rowsOf(projectId)).toMatchObject([{ userId: ada.userId, favouriteAt: 8 }]);
      expect((await rowsOf(projectId))[0]).not.toHaveProperty("projectId");

      await storeInItem("designs", designId, undefined);
      expect((await designs("changed")).map(({ favourite }) => favourite)).toEqual([true]);
    });

    it("are all copied from a list with many more in the trash", async () => {
      await setUpgraded(false);
      const trashed = 120;
      await insertDesigns(trashed + 50, (index) => ({ favouriteAt: 1 + index, ...(index < trashed && { removedAt: Date.now() }) }));
      const favourites = () => ada.query(api.designs.getDesignsByProjectId, { projectId, favourites: true });
      const before = await favourites();
      expect(before).toHaveLength(50);
      await setUpgraded(true);
      expect(await favourites()).toEqual(before);
      expect((await ada.query(api.designs.getDesignsByProjectId, { projectId })).slice(0, 50)).toEqual(before);
      for (const { _id: id } of before) await ada.mutation(api.designs.setFavourite, { id, favourite: false });
      expect(await favourites()).toEqual([]);
    });

    it("stay readable for that build, because changes are also written to the items", async () => {
      await ada.mutation(api.designs.setFavourite, { id: designId, favourite: true });
      await ada.mutation(api.projects.setFavourite, { id: projectId, favourite: true });
      for (const [table, id] of [
        ["designs", designId],
        ["projects", projectId],
      ] as const)
        expect(await favouriteIn(table, id)).toBe((await rowsOf(id))[0]?.["favouriteAt"]);
      await ada.mutation(api.designs.setFavourite, { id: designId, favourite: false });
      expect(await favouriteIn("designs", designId)).toBeUndefined();
    });
  });

  it("return an empty last page for a cursor of another index", async () => {
    if (backend.crash === null) return;
    await insertDesigns(30, () => ({}));
    const { continueCursor } = await pageAt("name", 10, null);
    expect(await pageAt("changed", 10, continueCursor)).toMatchObject({ page: [], isDone: true });
  });
});

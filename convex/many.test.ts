import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { BULK_MAX, TAGS_MAX } from "./model/rules";

const everything = { cursor: null, numItems: 50 };

describe.each(backends)("bulk operations on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  let bob: Person;
  let projectId: Id<"projects">;
  beforeAll(async () => {
    backend = await start();
    ada = await signUp(backend, "ada");
    bob = await signUp(backend, "bob");
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
  });

  const newDesign = (name: string, into = projectId) => ada.mutation(api.designs.create, { projectId: into, name });
  const newImages = async (designId: Id<"designs">, ...names: string[]) => {
    const ids = [];
    for (const name of names) ids.push((await addImage(backend, ada, designId, name)).id);
    return ids;
  };
  const project = (id = projectId) => ada.query(api.projects.getProjectById, { id });
  const design = (id: string) => ada.query(api.designs.getDesignById, { id });
  const namesIn = async (designId: string) =>
    (await ada.query(api.designImages.getDesignImagesByDesignId, { designId })).map(({ name }) => name);
  const designsIn = async (id = projectId) =>
    (await ada.query(api.designs.getDesignsByProjectId, { projectId: id, sort: "manual" })).map(({ name }) => name);
  const last = async (id = projectId) => {
    const [entry] = (await ada.query(api.activities.list, { projectId: id, paginationOpts: everything })).page;
    return entry && [entry.kind, entry.thing.name, entry.count ?? 1];
  };

  it("trashes and restores images of several designs together", async () => {
    const [front, back] = [await newDesign("Front"), await newDesign("Back")];
    const inFront = await newImages(front, "a.png", "b.png", "c.png");
    const inBack = await newImages(back, "d.png", "e.png");
    await backend.settle();
    const before = [await project(), await design(front), await design(back), await ada.query(api.usage.getUsage, {})];
    const ids = [inFront[0], inBack[1], inFront[2], inFront[0]].filter((id) => id !== undefined);

    await ada.mutation(api.many.trashImages, { ids });
    expect([await namesIn(front), await namesIn(back)]).toEqual([["b.png"], ["d.png"]]);
    expect([(await design(front)).imageCount, (await design(back)).imageCount, (await project()).imageCount]).toEqual([1, 1, 2]);
    expect((await project()).cover.map(({ imageId }) => imageId)).toEqual([inBack[0], inFront[1]]);
    expect(await last()).toEqual(["trashed", "e.png", 1]);

    await ada.mutation(api.many.restore, { ids });
    const [wasProject, wasFront, wasBack, usage] = before;
    const updatedAt = expect.any(Number);
    expect(await project()).toEqual({ ...wasProject, updatedAt });
    expect([await design(front), await design(back)]).toEqual([
      { ...wasFront, updatedAt },
      { ...wasBack, updatedAt },
    ]);
    expect(await ada.query(api.usage.getUsage, {})).toEqual(usage);
    expect([await namesIn(front), await namesIn(back)]).toEqual([
      ["a.png", "b.png", "c.png"],
      ["d.png", "e.png"],
    ]);
  });

  it("trashes and restores designs together", async () => {
    const [a, b] = [await newDesign("A"), await newDesign("B")];
    await newDesign("C");
    await newImages(a, "a.png");
    await newImages(b, "b.png", "c.png");
    await ada.mutation(api.many.trashDesigns, { ids: [a, b] });
    expect(await designsIn()).toEqual(["C"]);
    expect(await project()).toMatchObject({ designCount: 1, imageCount: 0, cover: [] });
    expect(await last()).toEqual(["trashed", "B", 2]);

    await ada.mutation(api.many.restore, { ids: [b, a] });
    expect(await designsIn()).toEqual(["A", "B", "C"]);
    expect(await project()).toMatchObject({ designCount: 3, imageCount: 3 });
    expect(await last()).toEqual(["restored", "A", 2]);

    await ada.mutation(api.many.trashDesigns, { ids: [a, b] });
    await ada.mutation(api.projects.moveToTrash, { id: projectId });
    expect(await refused(ada.mutation(api.many.restore, { ids: [a, b] }))).toMatchObject({ code: "conflict" });
  });

  it("moves designs of several projects into one in the given order", async () => {
    const other = await ada.mutation(api.projects.create, { name: "Book" });
    const [a, b, c] = [await newDesign("A"), await newDesign("B"), await newDesign("C", other)];
    await newImages(a, "a.png");
    await newImages(b, "b.png", "c.png");
    await ada.mutation(api.many.moveDesigns, { ids: [b, c, a], projectId: other });
    expect([await designsIn(), await designsIn(other)]).toEqual([[], ["C", "B", "A"]]);
    expect(await project()).toMatchObject({ designCount: 0, imageCount: 0 });
    expect(await project(other)).toMatchObject({ designCount: 3, imageCount: 3 });
    expect([await last(), await last(other)]).toEqual([
      ["moved", "A", 2],
      ["moved", "A", 2],
    ]);
  });

  it("moves images of several designs in the given order", async () => {
    const [front, back, into] = [await newDesign("Front"), await newDesign("Back"), await newDesign("Into")];
    const [a = "", b = ""] = await newImages(front, "a.png", "b.png");
    const [c = ""] = await newImages(back, "c.png");
    await ada.mutation(api.designImages.move, { ids: [b, c, a], designId: into });
    expect([await namesIn(front), await namesIn(back), await namesIn(into)]).toEqual([[], [], ["b.png", "c.png", "a.png"]]);
    expect([(await design(front)).imageCount, (await design(into)).imageCount, (await project()).imageCount]).toEqual([0, 3, 3]);
    expect(await last()).toEqual(["moved", "a.png", 3]);
  });

  it("adds several designs to the favourites up to the limit", async () => {
    const ids = [];
    for (let index = 0; index < 51; index++) ids.push(await newDesign(`D${index}`));
    expect(await refused(ada.mutation(api.many.favouriteDesigns, { ids, favourite: true }))).toMatchObject({ code: "limit" });
    expect((await design(ids[0] ?? "")).favourite).toBe(false);
    await ada.mutation(api.many.favouriteDesigns, { ids: ids.slice(0, 50), favourite: true });
    await ada.mutation(api.many.favouriteDesigns, { ids: ids.slice(0, 50), favourite: true });
    expect((await design(ids[49] ?? "")).favourite).toBe(true);
    await ada.mutation(api.many.favouriteDesigns, { ids: ids.slice(1), favourite: false });
    expect((await ada.query(api.designs.getDesignsByProjectId, { projectId })).filter(({ favourite }) => favourite)).toHaveLength(1);
  });

  it("tags and untags designs and images of several designs", async () => {
    const [front, back] = [await newDesign("Front"), await newDesign("Back")];
    const [a = "", b = ""] = await newImages(front, "a.png", "b.png");
    const [c = ""] = await newImages(back, "c.png");
    const ids = [a, b, c];
    const tags = async () =>
      Promise.all(ids.map(async (id) => (await ada.query(api.designImages.getDesignImageInPlace, { id })).image.tags));
    const found = async (tag: string) => (await ada.query(api.search.find, { text: "", tag })).images.map(({ name }) => name).toSorted();
    await ada.mutation(api.tags.tagImage, { id: b, tag: "Poster" });
    await ada.mutation(api.many.tagImages, { ids: [...ids, a], tag: "final, poster" });
    expect(await tags()).toEqual([
      ["final", "Poster"],
      ["Poster", "final"],
      ["final", "Poster"],
    ]);
    expect(await found("FINAL")).toEqual(["a.png", "b.png", "c.png"]);
    expect(await found("poster")).toEqual(["a.png", "b.png", "c.png"]);
    const history = (await ada.query(api.activities.list, { projectId, paginationOpts: everything })).page;
    expect(history.slice(0, 4).map(({ design, to, count = 1 }) => [design?.name, to, count])).toEqual(
      expect.arrayContaining([
        ["Front", "final", 2],
        ["Back", "Poster", 1],
      ]),
    );

    await ada.mutation(api.many.untagImages, { ids, tag: "POSTER, never there" });
    expect(await tags()).toEqual([["final"], ["final"], ["final"]]);
    expect(await found("poster")).toEqual([]);
    expect(await ada.query(api.tags.getTags, {})).toEqual(["final"]);
    await ada.mutation(api.many.untagImages, { ids, tag: "final" });
    expect(await ada.query(api.tags.getTags, {})).toEqual([]);

    await ada.mutation(api.many.tagDesigns, { ids: [front, back], tag: "Draft" });
    expect([(await design(front)).tags, (await design(back)).tags]).toEqual([["Draft"], ["Draft"]]);
    expect(await last()).toEqual(["tagged", "Back", 2]);
    await ada.mutation(api.many.untagDesigns, { ids: [front, back], tag: "draft" });
    expect([(await design(front)).tags, (await design(back)).tags]).toEqual([undefined, undefined]);

    const twenty = Array.from({ length: TAGS_MAX }, (_, index) => `t${index}`).join(",");
    await ada.mutation(api.tags.tagImage, { id: c, tag: twenty });
    expect(await refused(ada.mutation(api.many.tagImages, { ids, tag: "more" }))).toMatchObject({
      code: "limit",
      message: expect.stringContaining("c.png"),
    });
    expect(await refused(ada.mutation(api.many.tagImages, { ids, tag: " , " }))).toMatchObject({ fieldErrors: { tag: ["Enter a tag."] } });
    expect((await tags()).slice(0, 2)).toEqual([undefined, undefined]);
  });

  it("processes up to the transaction's limits and reports the excess", { tags: "slow" }, async () => {
    const designId = await newDesign("Front");
    const [first = ""] = await newImages(designId, "a.png");
    const { _id, _creationTime, ...row } = (await backend.inside.query(probe.row, { table: "designImages", id: first })) ?? {};
    const more = Array.from({ length: BULK_MAX - 1 }, (_, each) =>
      backend.inside.mutation(probe.insert, { table: "designImages", row: { ...row, uploadId: `${first} ${each}` } }),
    );
    const ids = [first, ...(await Promise.all(more)).map(String)];
    expect(await refused(ada.mutation(api.many.tagImages, { ids, tag: "a,b,c,d,e" }))).toEqual({
      code: "invalid",
      fieldErrors: { tag: [expect.stringContaining("at most 4 tags")] },
    });
    const known = await ada.query(api.tags.getTags, {});
    await ada.mutation(api.many.tagImages, { ids, tag: "a,b,c,d" });
    expect(await ada.query(api.tags.getTags, {})).toEqual(["a", "b", "c", "d", ...known]);
    await ada.mutation(api.many.untagImages, { ids, tag: "a,b,c,d" });
    expect(await ada.query(api.tags.getTags, {})).toEqual(known);

    const other = await newDesign("Back");
    await ada.mutation(api.designImages.move, { ids, designId: other });
    await ada.mutation(api.many.trashImages, { ids });
    await ada.mutation(api.many.restore, { ids });
    expect((await namesIn(designId)).length).toBe(0);
    expect((await namesIn(other)).length).toBe(201);
  });

  it("changes nothing when one item is missing, foreign or beyond the limit", async () => {
    const designId = await newDesign("Front");
    const [a = "", b = ""] = await newImages(designId, "a.png", "b.png");
    const bobs = await bob.mutation(api.projects.create, { name: "bob's" });
    const foreign = await bob.mutation(api.designs.create, { projectId: bobs, name: "bob's" });
    const { id: picture } = await addImage(backend, bob, foreign, "his.png");
    const tooMany = Array.from({ length: BULK_MAX + 1 }, () => a);
    for (const ids of [[a, picture], [a, "nothing"], [a, designId], []]) {
      const code = ids.length === 0 ? "invalid" : "not_found";
      expect(await refused(ada.mutation(api.many.trashImages, { ids }))).toMatchObject({ code });
      expect(await refused(ada.mutation(api.designImages.move, { ids, designId: foreign }))).toMatchObject({ code: expect.any(String) });
      expect(await refused(ada.query(api.many.getName, { kind: "image", ids }))).toMatchObject({ code });
    }
    expect(await refused(ada.mutation(api.designImages.move, { ids: [a, b], designId: foreign }))).toEqual({ code: "not_found" });
    expect(await refused(ada.mutation(api.many.moveDesigns, { ids: [designId], projectId: bobs }))).toEqual({ code: "not_found" });
    for (const call of [api.many.trashImages, api.many.trashDesigns, api.many.restore]) {
      expect(await refused(ada.mutation(call, { ids: tooMany }))).toEqual({
        code: "invalid",
        fieldErrors: { ids: [expect.stringContaining(String(BULK_MAX))] },
      });
    }
    await ada.mutation(api.many.trashImages, { ids: [a] });
    expect(await refused(ada.mutation(api.many.restore, { ids: [a, b] }))).toEqual({ code: "not_found" });
    expect(await namesIn(designId)).toEqual(["b.png"]);
  });

  it("name an archive after the common parent, and omit trashed items", async () => {
    const [front, back] = [await newDesign("Front"), await newDesign("Back")];
    const [a = "", b = ""] = await newImages(front, "a.png", "b.png");
    const [c = ""] = await newImages(back, "c.png");
    const name = (kind: "image" | "design", ...ids: string[]) => ada.query(api.many.getName, { kind, ids });
    expect([await name("image", a, b), await name("image", a, c), await name("design", front, back)]).toEqual([
      "Front",
      "Magazine",
      "Magazine",
    ]);
    const server = await appServer(backend);
    const { sessionId } = ada;
    await ada.mutation(api.many.trashImages, { ids: [b] });
    const rows = await server.query(api.accounts.belongings.chosenImages, { sessionId, ids: [c, b, "nothing", a] });
    expect(rows).toMatchObject([{ name: "c.png" }, { name: "a.png" }]);
    expect(await server.query(api.accounts.belongings.chosenImages, { sessionId: bob.sessionId, ids: [a, c] })).toEqual([]);
    expect(await server.query(api.accounts.belongings.chosenDesigns, { sessionId: bob.sessionId, ids: [front] })).toEqual([]);
  });
});

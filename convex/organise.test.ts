import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { TEXT_MAX } from "./model/rules";
import { upgradedTables } from "./model/upgrades";

const everything = { cursor: null, numItems: 50 };

describe.each(backends)("organising on $name", ({ start }) => {
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
  const project = (id = projectId) => ada.query(api.projects.getProjectById, { id });
  const design = (id: string) => ada.query(api.designs.getDesignById, { id });
  const images = (designId: string) => ada.query(api.designImages.getDesignImagesByDesignId, { designId });
  const namesIn = async (designId: string) => (await images(designId)).map(({ name }) => name);
  const history = async (id = projectId) =>
    (await ada.query(api.activities.list, { projectId: id, paginationOpts: everything })).page.map(({ kind, thing, from, to, count }) =>
      [kind, thing.kind, thing.name, from, to, count].filter((each) => each !== undefined),
    );

  it("copies a project without trashed contents and shares its files", async () => {
    const [front, back] = [await newDesign("Front"), await newDesign("Back")];
    const [a, b] = [await addImage(backend, ada, front, "a.png"), await addImage(backend, ada, front, "b.png")];
    const gone = await addImage(backend, ada, back, "gone.png");
    await ada.mutation(api.designImages.moveToTrash, { id: gone.id });
    await ada.mutation(api.designImages.reorder, { id: b.id, to: "first" });
    await ada.mutation(api.designImages.setCaption, { id: a.id, caption: "The first" });
    await ada.mutation(api.designs.setCover, { id: front, imageId: a.id });
    await ada.mutation(api.projects.setCover, { id: projectId, imageId: b.id });
    await ada.mutation(api.projects.setDescription, { id: projectId, description: "All of it" });
    await backend.settle();
    const before = await ada.query(api.usage.getUsage, {});

    const copy = await ada.mutation(api.projects.duplicate, { id: projectId });
    await backend.settle();
    expect(await project(copy)).toMatchObject({
      name: "Magazine (copy)",
      designCount: 2,
      imageCount: 2,
      description: "All of it",
      coverChosen: true,
    });
    const designs = await ada.query(api.designs.getDesignsByProjectId, { projectId: copy, sort: "manual" });
    expect(designs.map(({ name, imageCount, coverChosen }) => [name, imageCount, coverChosen])).toEqual([
      ["Front", 2, true],
      ["Back", 0, false],
    ]);
    const copies = await images(designs[0]?._id ?? "");
    expect(copies.map(({ name, caption }) => [name, caption])).toEqual([
      ["b.png", ""],
      ["a.png", "The first"],
    ]);
    expect((await project(copy)).cover.map(({ imageId }) => imageId)).toEqual([copies[0]?._id]);
    expect(designs[0]?.cover.map(({ imageId }) => imageId)).toEqual([copies[1]?._id]);
    expect(await ada.query(api.usage.getUsage, {})).toEqual({
      ...before,
      projects: before.projects + 1,
      designs: before.designs + 2,
      images: before.images + 2,
    });
    const manual = (await ada.query(api.projects.getProjects, { sort: "manual" })).map(({ _id }) => _id);
    expect(manual.indexOf(copy)).toBe(manual.indexOf(projectId) + 1);

    await ada.mutation(api.projects.moveToTrash, { id: projectId });
    await ada.mutation(api.trash.purge, { id: projectId });
    await backend.settle();
    const files = () => backend.inside.query(probe.filesAmong, { ids: [a.storageId, b.storageId, gone.storageId] });
    expect(await files()).toEqual([a.storageId, b.storageId]);
    await ada.mutation(api.projects.moveToTrash, { id: copy });
    await ada.mutation(api.trash.purge, { id: copy });
    await backend.settle();
    expect(await files()).toEqual([]);
    expect((await ada.query(api.usage.getUsage, {})).bytes).toBe(0);
  });

  it("copies a large design in batches and inserts an image copy after it", async () => {
    const large = await newDesign("Large");
    const storageId = await backend.store(new TextEncoder().encode("shared"));
    await backend.inside.mutation(probe.insertImages, { designId: large, storageId, from: 0, count: 230 });
    const copy = await ada.mutation(api.designs.duplicate, { id: large });
    await backend.settle();
    expect(await design(copy)).toMatchObject({ name: "Large (copy)", imageCount: 230 });
    expect((await namesIn(copy)).slice(0, 3)).toEqual(["image 0", "image 1", "image 2"]);
    expect(await backend.inside.query(probe.imageCount, { designId: copy })).toBe(230);

    const small = await newDesign("Small");
    const { id } = await addImage(backend, ada, small, "a.png");
    await addImage(backend, ada, small, "b.png");
    await ada.mutation(api.designImages.duplicate, { id });
    await ada.mutation(api.designImages.duplicate, { id });
    expect(await namesIn(small)).toEqual(["a.png", "a (copy).png", "a (copy).png", "b.png"]);
    expect((await design(small)).imageCount).toBe(4);
  });

  it("copies one design after the other", { tags: "@copies-in-turn" }, async () => {
    const ids: Id<"designs">[] = [];
    for (const name of ["First", "Second", "Third"]) {
      const id = await newDesign(name);
      await addImage(backend, ada, id, `${name}.png`);
      ids.push(id);
    }
    await ada.mutation(api.many.copyDesigns, { ids, projectId });
    await backend.settle();
    const calls = await backend.inside.query(probe.scheduledArguments, { name: "jobs/copies:design" });
    const own = calls.filter(({ from }) => ids.some((id) => id === from));
    expect(own.map(({ from, next }) => [from, Object(next).length])).toEqual(ids.map((id, index) => [id, 2 - index]));
    expect(await project()).toMatchObject({ designCount: 6, imageCount: 6 });
  });

  it("updates counts and covers when designs and images are moved", async () => {
    const [front, back] = [await newDesign("Front"), await newDesign("Back")];
    const ids = [];
    for (const name of ["a", "b", "c"]) ids.push((await addImage(backend, ada, front, name)).id);
    const [a = "", b = "", c = ""] = ids;
    await addImage(backend, ada, back, "d");
    await ada.mutation(api.designs.setCover, { id: front, imageId: b });
    await backend.settle();
    const before = await ada.query(api.usage.getUsage, {});

    await ada.mutation(api.designImages.move, { ids: [c, b, c], designId: back });
    expect([await namesIn(front), await namesIn(back)]).toEqual([["a"], ["d", "c", "b"]]);
    expect([(await design(front)).imageCount, (await design(back)).imageCount, (await project()).imageCount]).toEqual([1, 3, 4]);
    expect((await design(front)).cover.map(({ imageId }) => imageId)).toEqual([a]);
    await ada.mutation(api.designImages.move, { ids: [b], designId: front });
    expect(
      (await design(front)).cover.map(({ imageId }) => imageId),
      "the chosen one is there again",
    ).toEqual([b]);

    const other = await ada.mutation(api.projects.create, { name: "Other" });
    await ada.mutation(api.designs.move, { id: front, projectId: other });
    expect(await design(front)).toMatchObject({ projectId: other, imageCount: 2 });
    expect(await project()).toMatchObject({ designCount: 1, imageCount: 2 });
    expect(await project(other)).toMatchObject({ designCount: 1, imageCount: 2 });
    expect((await project(other)).cover).toHaveLength(2);
    expect(await ada.query(api.usage.getUsage, {})).toEqual({ ...before, projects: before.projects + 1 });

    const foreign = await bob.mutation(api.designs.create, {
      projectId: await bob.mutation(api.projects.create, { name: "Bob's" }),
      name: "his",
    });
    const { id: his } = await addImage(backend, bob, foreign, "his");
    for (const call of [
      () => ada.mutation(api.designImages.move, { ids: [a, his], designId: back }),
      () => ada.mutation(api.designImages.move, { ids: [a], designId: foreign }),
      () => ada.mutation(api.designs.move, { id: front, projectId: foreign }),
      () => ada.mutation(api.designs.setCover, { id: back, imageId: his }),
      () => ada.mutation(api.designs.setCover, { id: back, imageId: a }),
      () => ada.mutation(api.projects.setCover, { id: projectId, imageId: a }),
    ]) {
      expect(await refused(call())).toEqual({ code: "not_found" });
    }
    expect(await namesIn(front)).toEqual(["a", "b"]);
    expect((await history(other)).slice(0, 1)).toEqual([["moved", "design", "Front", "Magazine", "Other"]]);
  });

  it("stores texts up to their limit and records them in the history", async () => {
    const cover = await newDesign("Cover");
    for (const name of ["a", "b", "c"]) await addImage(backend, ada, cover, name);
    const [first] = await images(cover);
    await ada.mutation(api.designImages.setCaption, { id: first?._id ?? "", caption: "  Two\nlines " });
    expect((await images(cover))[0]?.caption).toBe("Two\nlines");
    await ada.mutation(api.designs.setDescription, { id: cover, description: "What it is" });
    await ada.mutation(api.designs.setDescription, { id: cover, description: "" });
    expect((await design(cover)).description).toBe("");
    const long = "x".repeat(TEXT_MAX + 1);
    expect(await refused(ada.mutation(api.projects.setDescription, { id: projectId, description: long }))).toEqual({
      code: "invalid",
      fieldErrors: { description: ["A description can have at most 2,000 characters."] },
    });
    await ada.mutation(api.projects.rename, { id: projectId, name: "Journal" });
    expect(await history()).toEqual([
      ["renamed", "project", "Magazine", "Magazine", "Journal"],
      ["described", "design", "Cover"],
      ["described", "design", "Cover"],
      ["captioned", "image", "a"],
      ["uploaded", "image", "c", 3],
      ["created", "design", "Cover"],
      ["created", "project", "Magazine"],
    ]);
    const { page } = await ada.query(api.activities.list, { projectId, paginationOpts: everything });
    expect(page[0]?.actor).toEqual({ name: "ada", isMe: true });
  });

  it("lists all images of a project by design, page by page", async () => {
    const [one, two] = [await newDesign("one"), await newDesign("two")];
    await newDesign("empty");
    for (const name of ["a", "b", "c"]) await addImage(backend, ada, one, name);
    for (const name of ["d", "e"]) await addImage(backend, ada, two, name);
    for (const numItems of [1, 2, 3, 4, 50]) {
      const shown = [];
      let cursor: string | null = null;
      for (let done = false; !done;) {
        const { page, isDone, continueCursor }: Wall = await ada.query(api.wall.listProjectImages, {
          projectId,
          paginationOpts: { cursor, numItems },
        });
        expect(page.flatMap((group) => group.images).length).toBeLessThanOrEqual(numItems);
        for (const group of page) shown.push(...group.images.map(({ name }) => `${group.design.name}/${name}`));
        [done, cursor] = [isDone, continueCursor];
      }
      expect(shown, `${numItems} a page`).toEqual(["two/d", "two/e", "one/a", "one/b", "one/c"]);
    }
  });

  it("upgrades rows of an earlier build once", async () => {
    for (const { _id } of await backend.inside.query(probe.rows, { table: "upgrades" })) {
      await backend.inside.mutation(probe.remove, { table: "upgrades", id: String(_id) });
    }
    const row = async () => backend.inside.query(probe.row, { table: "projects", id: projectId });
    const { _id: __, _creationTime: ___, sortName: ____, ...fields } = (await row()) ?? {};
    await backend.inside.mutation(probe.replace, { table: "projects", id: projectId, row: { ...fields, name: "Älter" } });
    await backend.inside.mutation(internal.jobs.upgrade.run, {});
    await backend.settle();
    expect((await row())?.["sortName"]).toBe("alter");
    await backend.inside.mutation(internal.jobs.upgrade.run, {});
    await backend.settle();
    expect(await backend.inside.query(probe.rows, { table: "upgrades" })).toHaveLength(upgradedTables.length + 2);
  });
});

type Wall = { page: { design: { name: string }; images: { name: string }[] }[]; isDone: boolean; continueCursor: string };

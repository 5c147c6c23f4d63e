import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { BULK_MAX } from "./model/rules";
import { REVERTED_AT_ONCE } from "./model/undo/revertAsJob";

const step = "a step";
const codeOf = async (call: Promise<unknown>) => (await refused(call)).code;

describe.each(backends)("undo on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  let bob: Person;
  let projectId: Id<"projects">;
  let designId: Id<"designs">;
  let images: Id<"designImages">[];
  beforeAll(async () => {
    backend = await start();
    bob = await signUp(backend, "bob");
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    ada = await signUp(backend, "ada");
    projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    designId = await ada.mutation(api.designs.create, { projectId, name: "Front" });
    images = [];
    for (const name of ["a", "b", "c"]) images.push((await addImage(backend, ada, designId, name)).id);
    await backend.settle();
  });

  const revert = () => ada.mutation(api.undo.revert, { step });
  async function revertAll(of = step) {
    await ada.mutation(api.undo.revert, { step: of });
    await backend.settle();
  }
  async function tagged(): Promise<string[]> {
    const rows = await backend.inside.query(probe.rows, { table: "designImages", field: "designId", value: designId });
    return rows.filter(({ tags }) => Array.isArray(tags) && tags.includes("poster")).map(({ _id }) => String(_id));
  }
  async function fill(count: number, row: Record<string, unknown> | null): Promise<string[]> {
    const { _id, _creationTime, orderKey: _key, ...copied } = row ?? {};
    const rows = Array.from({ length: count - 3 }, (_, each) => ({ ...copied, uploadId: `${first()} ${each}` }));
    await backend.inside.mutation(probe.insertMany, { table: "designImages", rows });
    await backend.inside.mutation(probe.patch, { table: "designs", id: designId, fields: { imageCount: count } });
    const stored = await backend.inside.query(probe.rows, { table: "designImages", field: "designId", value: designId });
    return stored.map((each) => String(each["_id"]));
  }
  const [first, second] = [() => images[0] ?? "", () => images[1] ?? ""];

  async function shown() {
    const projects = await ada.query(api.projects.getProjects, { sort: "manual" });
    const of = await Promise.all(
      projects.map(async (project) => {
        const designs = await ada.query(api.designs.getDesignsByProjectId, { projectId: project._id, sort: "manual" });
        const rows = await Promise.all(designs.map(({ _id }) => ada.query(api.designImages.getDesignImagesByDesignId, { designId: _id })));
        return { project, designs, rows };
      }),
    );
    const stored = { of, usage: await ada.query(api.usage.getUsage, {}), tags: await ada.query(api.tags.getTags, {}) };
    return JSON.parse(JSON.stringify(stored, (key, value: unknown) => (key === "updatedAt" ? undefined : value)));
  }

  const actions: [string, () => Promise<unknown>][] = [
    ["a project's name", () => ada.mutation(api.projects.rename, { id: projectId, name: "Book", step })],
    ["an image's name", () => ada.mutation(api.designImages.rename, { id: first(), name: "z", step })],
    ["a description", () => ada.mutation(api.designs.setDescription, { id: designId, description: "text", step })],
    ["a caption", () => ada.mutation(api.designImages.setCaption, { id: first(), caption: "text", step })],
    ["a favourite", () => ada.mutation(api.designs.setFavourite, { id: designId, favourite: true, step })],
    ["favourites", () => ada.mutation(api.many.favouriteDesigns, { ids: [designId], favourite: true, step })],
    ["a design's cover", () => ada.mutation(api.designs.setCover, { id: designId, imageId: first(), step })],
    ["a project's cover", () => ada.mutation(api.projects.setCover, { id: projectId, imageId: first(), step })],
    ["the order of images", () => ada.mutation(api.designImages.reorder, { id: first(), to: "last", step })],
    ["new tags", () => ada.mutation(api.tags.tagImage, { id: first(), tag: "poster, final", step })],
    ["a copy of an image", () => ada.mutation(api.designImages.duplicate, { id: first(), step })],
    ["a copy of a design", () => ada.mutation(api.designs.duplicate, { id: designId, step }).then(() => backend.settle())],
    ["a copy of a project", () => ada.mutation(api.projects.duplicate, { id: projectId, step }).then(() => backend.settle())],
    ["copies of images", () => ada.mutation(api.many.copyImages, { ids: [second(), first()], designId, step })],
    ["copies of designs", () => ada.mutation(api.many.copyDesigns, { ids: [designId], projectId, step }).then(() => backend.settle())],
    ["a deleted image", () => ada.mutation(api.designImages.moveToTrash, { id: first(), step })],
    ["a deleted design", () => ada.mutation(api.designs.moveToTrash, { id: designId, step })],
    ["a deleted project", () => ada.mutation(api.projects.moveToTrash, { id: projectId, step })],
    ["deleted images", () => ada.mutation(api.many.trashImages, { ids: images, step })],
    ["deleted designs", () => ada.mutation(api.many.trashDesigns, { ids: [designId], step })],
  ];
  it("undoes and redoes an action on the most items of a selection", { tags: ["@undo-of-500", "slow"] }, async () => {
    const row = await backend.inside.query(probe.row, { table: "designImages", id: first() });
    const ids = await fill(BULK_MAX, row);
    const other = await ada.mutation(api.designs.create, { projectId, name: "Back" });
    const countOf = async (id: Id<"designs">) => (await ada.query(api.designs.getDesignById, { id })).imageCount;
    const acts: [name: string, act: (step: string) => Promise<unknown>, front: number, back: number, tags: number][] = [
      ["move", (step) => ada.mutation(api.designImages.move, { ids, designId: other, step }), 0, BULK_MAX, 0],
      ["tag", (step) => ada.mutation(api.many.tagImages, { ids, tag: "a,b,c,d", step }), BULK_MAX, 0, 4],
    ];
    for (const [name, act, ...expected] of acts) {
      const counts = async () => [await countOf(designId), await countOf(other), (await ada.query(api.tags.getTags, {})).length];
      await act(name);
      expect(await counts()).toEqual(expected);
      await revertAll(name);
      expect(await counts()).toEqual([BULK_MAX, 0, 0]);
      await revertAll(name);
      expect(await counts()).toEqual(expected);
      await revertAll(name);
    }
  });

  it("undoes many changes in parts, except those of items that were changed since", { tags: "@undo-in-parts" }, async () => {
    const row = await backend.inside.query(probe.row, { table: "designImages", id: first() });
    const ids = await fill(REVERTED_AT_ONCE + 20, row);
    await ada.mutation(api.many.tagImages, { ids, tag: "poster", step });
    const [changed = "", ...others] = ids;
    await ada.mutation(api.tags.tagImage, { id: changed, tag: "final" });
    await revertAll();
    const [job] = await ada.query(api.bulk.getRecent, {});
    expect(job).toMatchObject({ step, kind: "image", action: "tag", phase: "undo", state: "done", done: others.length, failed: 1 });
    expect(job?.failures).toMatchObject([{ id: changed }]);
    expect(await tagged()).toEqual([changed]);
    await revertAll();
    expect((await tagged()).toSorted()).toEqual(ids.toSorted());
  });

  it.each(actions)("undoes and redoes %s", async (_, act) => {
    const before = await shown();
    await act();
    const after = await shown();
    expect(after).not.toEqual(before);
    await revert();
    expect(await shown()).toEqual(before);
    await revert();
    expect(await shown()).toEqual(after);
    await revert();
    expect(await shown()).toEqual(before);
  });

  it("undoes moves from several lists and restores their order", async () => {
    const other = await ada.mutation(api.projects.create, { name: "Other" });
    const target = await ada.mutation(api.designs.create, { projectId: other, name: "Target" });
    const back = await ada.mutation(api.designs.create, { projectId, name: "Back" });
    const { id } = await addImage(backend, ada, back, "d");
    await ada.mutation(api.designs.setFavourite, { id: back, favourite: true });
    const before = await shown();
    await ada.mutation(api.designImages.move, { ids: [second(), id], designId: target, step });
    const after = await shown();
    await revert();
    expect(await shown()).toEqual(before);
    await revert();
    expect(await shown()).toEqual(after);
    await revert();
    await ada.mutation(api.many.moveDesigns, { ids: [designId, back], projectId: other, step });
    await revert();
    expect(await shown()).toEqual(before);
    await ada.mutation(api.designs.move, { id: back, projectId: other, step });
    await revert();
    expect(await shown()).toEqual(before);
  });

  it("returns an item from an empty list to the first place of its former list", { tags: "@undo-equal-keys" }, async () => {
    const other = await ada.mutation(api.projects.create, { name: "Other" });
    const target = await ada.mutation(api.designs.create, { projectId, name: "Target" });
    const before = await shown();
    await ada.mutation(api.designImages.move, { ids: [first()], designId: target, step });
    await revert();
    expect(await shown()).toEqual(before);
    await revert();
    await revert();
    expect(await shown()).toEqual(before);
    await ada.mutation(api.designs.move, { id: designId, projectId: other, step });
    await revert();
    expect(await shown()).toEqual(before);
  });

  it("returns removed tags to their former positions", async () => {
    await ada.mutation(api.tags.tagImage, { id: first(), tag: "one, two, three" });
    await ada.mutation(api.tags.tagImage, { id: second(), tag: "two" });
    const before = await shown();
    await ada.mutation(api.tags.untagImage, { id: first(), tag: "one", step });
    await revert();
    expect(await shown()).toEqual(before);
    await ada.mutation(api.many.untagImages, { ids: images, tag: "one, two", step });
    await revert();
    expect(await shown()).toEqual(before);
    await ada.mutation(api.many.tagImages, { ids: images, tag: "two, four", step });
    await revert();
    expect(await shown()).toEqual(before);
    expect((await ada.query(api.search.find, { text: "two" })).images).toHaveLength(2);
  });

  it("rejects an undo after a later change or deletion, and changes nothing", async () => {
    await ada.mutation(api.designImages.rename, { id: first(), name: "z", step });
    await ada.mutation(api.designImages.rename, { id: first(), name: "y" });
    expect(await codeOf(revert())).toBe("conflict");
    await ada.mutation(api.many.trashImages, { ids: images, step });
    await ada.mutation(api.trash.restore, { id: first() });
    const before = await shown();
    expect(await codeOf(revert())).toBe("conflict");
    expect(await shown()).toEqual(before);
    await ada.mutation(api.designImages.setCaption, { id: first(), caption: "text", step });
    await ada.mutation(api.designImages.moveToTrash, { id: first() });
    expect(await codeOf(revert())).toBe("not_found");
    await ada.mutation(api.trash.purge, { id: first() });
    expect(await codeOf(revert())).toBe("not_found");
  });

  it("undoes and redoes a rotation, unless it has changed since", async () => {
    const image = async () => (await ada.query(api.designImages.getDesignImageInPlace, { id: first() })).image;
    const { width, height } = await image();
    await ada.mutation(api.designImages.rotate, { id: first(), direction: "left", step });
    expect(await image()).toMatchObject({ rotation: 270, width: height, height: width });
    await revert();
    expect(await image()).toMatchObject({ rotation: 0, width, height });
    await revert();
    expect(await image()).toMatchObject({ rotation: 270, width: height, height: width });
    await ada.mutation(api.designImages.rotate, { id: first(), direction: "left" });
    expect(await codeOf(revert())).toBe("conflict");
  });

  it("keeps later changes of other fields", async () => {
    await ada.mutation(api.designImages.rename, { id: first(), name: "z", step });
    await ada.mutation(api.designImages.setCaption, { id: first(), caption: "text" });
    await revert();
    expect((await ada.query(api.designImages.getDesignImageInPlace, { id: first() })).image).toMatchObject({ name: "a", caption: "text" });
  });

  it("stores steps for a day, for their own user only, until the account is deleted", { tags: "@undo-steps-are-private" }, async () => {
    await ada.mutation(api.projects.rename, { id: projectId, name: "Book", step });
    expect(await codeOf(bob.mutation(api.undo.revert, { step }))).toBe("not_found");
    expect(await codeOf(ada.mutation(api.projects.rename, { id: projectId, name: "Novel", step: "x".repeat(65) }))).toBe("invalid");
    await backend.inside.mutation(internal.accounts.expiry.sweep, {});
    const rows = () => backend.inside.query(probe.rows, { table: "undoSteps", field: "userId", value: ada.userId });
    expect(await rows()).toHaveLength(1);
    await backend.inside.mutation(probe.insert, { table: "undoSteps", row: { userId: ada.userId, step: "old", at: 1, changes: [] } });
    await backend.inside.mutation(internal.accounts.expiry.sweep, {});
    expect(await rows()).toHaveLength(1);
    await backend.inside.mutation(internal.accounts.removal.forget, { userId: ada.userId });
    expect(await rows()).toEqual([]);
  });

  it("removes the steps of permanently deleted items only", async () => {
    await ada.mutation(api.many.tagImages, { ids: [first(), second()], tag: "one", step });
    await ada.mutation(api.designImages.rename, { id: first(), name: "secret", step: "of the deleted image" });
    await ada.mutation(api.designImages.moveToTrash, { id: first() });
    await ada.mutation(api.trash.purge, { id: first() });
    await backend.settle();
    const rows = () => backend.inside.query(probe.rows, { table: "undoSteps", field: "userId", value: ada.userId });
    expect(await rows()).toMatchObject([{ step, changes: [{ id: second() }] }]);
    await ada.mutation(api.projects.moveToTrash, { id: projectId });
    await ada.mutation(api.trash.empty, {});
    await backend.settle();
    expect(await rows()).toEqual([]);
  });

  it("undoes a bulk action that is stored in two rows", async () => {
    await ada.mutation(api.designImages.duplicate, { id: first() });
    for (let n = 0; n < 13; n++) await ada.mutation(api.designs.duplicate, { id: designId });
    await backend.settle();
    const designs = await ada.query(api.designs.getDesignsByProjectId, { projectId, sort: "manual" });
    const rows = await Promise.all(designs.map(({ _id }) => ada.query(api.designImages.getDesignImagesByDesignId, { designId: _id })));
    const ids = rows.flat().map(({ _id }) => _id);
    const before = await shown();
    await ada.mutation(api.many.trashImages, { ids, step });
    expect(await backend.inside.query(probe.rows, { table: "undoSteps", field: "userId", value: ada.userId })).toHaveLength(2);
    await revert();
    expect([ids.length, await shown()]).toEqual([56, before]);
  });
});

describe.each(backends)("stale texts on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  beforeAll(async () => {
    backend = await start();
    ada = await signUp(backend, "ada");
  });
  afterAll(() => backend.close());

  it("refuses a text that was edited from an outdated version", { tags: "@refuses-stale-texts" }, async () => {
    const projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    const designId = await ada.mutation(api.designs.create, { projectId, name: "Front" });
    const { id } = await addImage(backend, ada, designId, "a");
    const rename = (name: string, from?: string) =>
      ada.mutation(api.projects.rename, { id: projectId, name, ...(from !== undefined && { from }) });
    await rename("Book", " Magazine ");
    expect(await codeOf(rename("Novel", "Magazine"))).toBe("conflict");
    expect(await refused(rename("Novel", "Magazine"))).toMatchObject({ current: "Book" });
    expect((await ada.query(api.projects.getProjectById, { id: projectId })).name).toBe("Book");
    await rename("Book", "Magazine");
    await rename("Novel", "Book");
    await rename("Old tab");

    const describe = (description: string, from: string) => ada.mutation(api.designs.setDescription, { id: designId, description, from });
    await describe("one\ntwo", "");
    expect(await codeOf(describe("three", ""))).toBe("conflict");
    await describe("three", "one\r\ntwo");
    const caption = (caption: string, from: string) => ada.mutation(api.designImages.setCaption, { id, caption, from });
    await caption("one", "");
    expect(await codeOf(caption("two", ""))).toBe("conflict");
  });
});

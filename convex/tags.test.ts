import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { TAG_MAX, TAGS_MAX } from "./model/rules";

describe.each(backends)("tags on $name", ({ start }) => {
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

  const tagsOf = async (id = designId) => (await ada.query(api.designs.getDesignById, { id })).tags;
  const known = (person = ada) => person.query(api.tags.getTags, {});
  const tag = (typed: string, id = designId) => ada.mutation(api.tags.tagDesign, { id, tag: typed });
  async function uses() {
    const tags = await backend.inside.query(probe.rows, { table: "tags", field: "ownerId", value: ada.userId });
    const counted = tags.map(async ({ _id, key, uses }) => {
      const rows = await backend.inside.query(probe.rows, { table: "taggings", field: "tagId", value: _id });
      expect(rows).toHaveLength(Number(uses));
      return [String(key), uses];
    });
    return Object.fromEntries(await Promise.all(counted));
  }

  it("compare case-insensitively and keep their first spelling", async () => {
    await tag("  Summer   2026 , Poster ");
    expect(await tagsOf()).toEqual(["Summer 2026", "Poster"]);
    await tag("summer 2026, POSTER, ﬁnal");
    expect(await tagsOf()).toEqual(["Summer 2026", "Poster", "ﬁnal"]);
    const { id } = await addImage(backend, ada, designId, "a.png");
    await ada.mutation(api.tags.tagImage, { id, tag: "poster, FINAL" });
    expect((await ada.query(api.designImages.getDesignImageInPlace, { id })).image.tags).toEqual(["Poster", "ﬁnal"]);
    expect(await uses()).toEqual({ final: 2, poster: 2, "summer 2026": 1 });
    expect(await known()).toEqual(["ﬁnal", "Poster", "Summer 2026"]);
    expect(await known(await signUp(backend, "bob"))).toEqual([]);

    await ada.mutation(api.tags.untagImage, { id, tag: "Final" });
    await ada.mutation(api.tags.untagDesign, { id: designId, tag: "summer 2026" });
    await ada.mutation(api.tags.untagDesign, { id: designId, tag: "never there" });
    expect(await tagsOf()).toEqual(["Poster", "ﬁnal"]);
    expect(await uses()).toEqual({ final: 1, poster: 2 });
    expect(await known()).toEqual(["ﬁnal", "Poster"]);
  });

  it("are rejected with a field error when empty, too long or too many", async () => {
    const messages = async (typed: string) => (await refused(tag(typed)))?.fieldErrors?.["tag"];
    expect(await messages(" , ")).toEqual(["Enter a tag."]);
    expect(await messages("x".repeat(TAG_MAX + 1))).toEqual(["A tag can have at most 40 characters."]);
    expect(await messages("good, --- ")).toEqual(["A tag must contain a letter or a digit."]);
    expect(await messages("a\u0000b")).toEqual(["A tag must be a single line."]);
    expect(await messages(Array.from({ length: TAGS_MAX + 1 }, (_, each) => `t${each}`).join())).toEqual([
      "An item can have at most 20 tags.",
    ]);
    expect(await tagsOf()).toBeUndefined();

    await tag(Array.from({ length: TAGS_MAX }, (_, each) => `t${each}`).join());
    await tag("T1");
    expect(await refused(tag("one more"))).toEqual({
      code: "limit",
      message: "You can have at most 20 tags on an item. Remove one first.",
    });
    const name = "שער 2 (טיוטה)";
    await ada.mutation(api.designs.rename, { id: designId, name });
    expect(await refused(ada.mutation(api.many.tagDesigns, { ids: [designId], tag: "one more" }))).toMatchObject({
      message: `“\u2068${name}\u2069” can have at most 20 tags. Remove one first.`,
    });
    expect(await tagsOf()).toHaveLength(TAGS_MAX);
  });

  it("are copied with items, kept in the trash and removed on purge", async () => {
    await tag("poster");
    const { id } = await addImage(backend, ada, designId, "a.png");
    await ada.mutation(api.tags.tagImage, { id, tag: "poster, night" });
    await ada.mutation(api.designImages.duplicate, { id });
    expect(await uses()).toEqual({ night: 2, poster: 3 });
    await ada.mutation(api.designs.duplicate, { id: designId });
    const copy = await ada.mutation(api.projects.duplicate, { id: projectId });
    await backend.settle();
    expect(await uses()).toEqual({ night: 8, poster: 12 });

    await ada.mutation(api.projects.moveToTrash, { id: copy });
    expect(await uses()).toEqual({ night: 8, poster: 12 });
    await ada.mutation(api.trash.empty, {});
    await backend.settle();
    expect(await uses()).toEqual({ night: 4, poster: 6 });
    await ada.mutation(api.designs.moveToTrash, { id: designId });
    await ada.mutation(api.trash.restore, { id: designId });
    expect(await tagsOf()).toEqual(["poster"]);
    await ada.mutation(api.projects.moveToTrash, { id: projectId });
    await ada.mutation(api.trash.empty, {});
    await backend.settle();
    expect(await uses()).toEqual({});
    expect(await known()).toEqual([]);
  });

  it("are recorded in the history when added and removed", async () => {
    await tag("poster, night");
    await ada.mutation(api.tags.untagDesign, { id: designId, tag: "night" });
    const { page } = await ada.query(api.activities.list, { projectId, paginationOpts: { cursor: null, numItems: 3 } });
    expect(page.map(({ kind, from, to }) => [kind, from, to])).toEqual([
      ["tagged", "night", undefined],
      ["tagged", undefined, "night"],
      ["tagged", undefined, "poster"],
    ]);
  });
});

import type { FunctionArgs } from "convex/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { FOUND_LIMIT, FOUND_PAGE, type Found } from "./search";

describe.each(backends)("search on $name", ({ start }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());

  const search = (person: Person, requested: FunctionArgs<typeof api.search.find>) => person.query(api.search.find, requested);
  const find = (person: Person, text: string) => person.query(api.search.find, { text });

  async function withItems(name: string) {
    const person = await signUp(backend, name);
    const project = await person.mutation(api.projects.create, { name: "Autumn catalogue" });
    const design = await person.mutation(api.designs.create, { projectId: project, name: "Autumn cover" });
    const { id: image } = await addImage(backend, person, design, "autumn leaves.png");
    return { person, project, design, image };
  }

  it("finds projects, designs and images by name, with their parents", async () => {
    const { person, project, design, image } = await withItems("ada");
    await person.mutation(api.projects.create, { name: "Winter" });
    const found = await find(person, "autumn");
    expect(found).toMatchObject({
      projects: [{ _id: project, name: "Autumn catalogue", cover: [{ imageId: image }] }],
      designs: [{ _id: design, name: "Autumn cover", projectName: "Autumn catalogue", cover: [{ imageId: image }] }],
      images: [{ _id: image, designId: design, name: "autumn leaves.png", designName: "Autumn cover", projectName: "Autumn catalogue" }],
    });
    expect(JSON.stringify(found)).not.toMatch(/storage|ownerId/i);
  });

  it("matches prefixes, any word and any case, and follows renames", async () => {
    const { person, design } = await withItems("ada");
    const onMessage = async (text: string) => names(await find(person, text));
    expect(await onMessage("aut")).toEqual(["Autumn catalogue", "Autumn cover", "autumn leaves.png"]);
    expect(await onMessage("  COVER ")).toEqual(["Autumn cover"]);
    expect(await onMessage("nothing catal")).toEqual(["Autumn catalogue"]);
    expect(await onMessage("umn")).toEqual([]);
    await person.mutation(api.designs.rename, { id: design, name: "Ψυχή 夜" });
    expect(await onMessage("cover")).toEqual([]);
    expect(await onMessage("ψυχ")).toEqual(["Ψυχή 夜"]);
  });

  it("filters by review status, also without words", async () => {
    const person = await signUp(backend, "ada");
    const projectId = await person.mutation(api.projects.create, { name: "reviewed" });
    const designId = await person.mutation(api.designs.create, { projectId, name: "reviewed" });
    const { id } = await addImage(backend, person, designId, "reviewed.png");
    await person.mutation(api.reviews.setStatus, { id, status: "approved", note: "" });
    const idsOf = async (review: "none" | "approved" | "inReview", text = "") => {
      const { projects, designs, images } = await person.query(api.search.find, { text, review });
      return [...projects, ...designs, ...images].map(({ _id }) => _id);
    };
    expect(await idsOf("approved")).toEqual([id]);
    expect(await idsOf("none", "reviewed")).toEqual([designId]);
    expect(await idsOf("inReview")).toEqual([]);
  });

  it("filters by project, orientation, size and colour", async () => {
    const { person, project, design, image } = await withItems("ada");
    const other = await person.mutation(api.projects.create, { name: "Winter" });
    const elsewhere = await person.mutation(api.designs.create, { projectId: other, name: "Autumn again" });
    const { id: tall } = await addImage(backend, person, elsewhere, "autumn tall.png");
    const fields = { width: 2000, height: 3000, placeholder: "mrMBBwBYUh91h4iFeBiHWIiPgQqo4YUP" };
    await backend.inside.mutation(probe.patch, { table: "designImages", id: tall, fields });
    const images = async (requested: FunctionArgs<typeof api.search.find>) =>
      (await search(person, requested)).images.map(({ _id }) => _id);
    expect(names(await search(person, { text: "autumn", project }))).toEqual(["Autumn cover", "autumn leaves.png"]);
    expect((await search(person, { text: "", project })).designs.map(({ _id }) => _id)).toEqual([design]);
    expect(await images({ text: "autumn", orientation: "portrait" })).toEqual([tall]);
    expect(await images({ text: "", size: "medium" })).toEqual([tall]);
    expect(await images({ text: "", size: "small" })).toEqual([image]);
    expect(await images({ text: "", colour: "blue", kind: "image" })).toEqual([tall]);
    expect(await images({ text: "", colour: "red" })).toEqual([]);
    expect(names(await search(person, { text: "autumn", colour: "blue" }))).toEqual(["autumn tall.png"]);
    expect(await images({ text: "", project: "nonsense", orientation: "portrait" })).toEqual([]);
  });

  it("finds nothing without a word and treats any input as text", async () => {
    const { person } = await withItems("ada");
    for (const text of ["", "  ", '"', "*", "()", "- :", "\u0000", "\uD800", "\u202e"]) {
      expect(await find(person, text), JSON.stringify(text)).toEqual(NOTHING);
    }
    for (const text of ['autumn" OR "x', "autumn*", "name:autumn", "autumn NEAR(", "autumn ".repeat(500), "autumn' --"]) {
      await expect(find(person, text), text).resolves.toHaveProperty("projects");
    }
  });

  it("shows no items of other users", async () => {
    await withItems("ada");
    const bob = await signUp(backend, "bob");
    expect(names(await find(bob, "autumn"))).toEqual([]);
    await bob.mutation(api.projects.create, { name: "Autumn of bob" });
    expect(names(await find(bob, "autumn catalogue cover leaves"))).toEqual(["Autumn of bob"]);
  });

  it("checks access by the project, not by the row's owner", async () => {
    const { person: ada, design, image } = await withItems("ada");
    const eve = await signUp(backend, "eve");
    await backend.inside.mutation(probe.patch, { table: "designs", id: design, fields: { ownerId: eve.userId } });
    await backend.inside.mutation(probe.patch, { table: "designImages", id: image, fields: { ownerId: eve.userId } });
    expect(names(await find(eve, "autumn"))).toEqual([]);
    expect(names(await find(ada, "autumn"))).toEqual(["Autumn catalogue"]);
  });

  it("finds no trashed items and none of their contents", async () => {
    const { person, project, design, image } = await withItems("ada");
    await person.mutation(api.designImages.remove, { id: image });
    expect(names(await find(person, "autumn"))).toEqual(["Autumn catalogue", "Autumn cover"]);
    const { id: second } = await addImage(backend, person, design, "autumn again.png");
    await person.mutation(api.designs.remove, { id: design });
    expect(names(await find(person, "autumn"))).toEqual(["Autumn catalogue"]);
    expect(second).not.toBe(image);
    const other = await person.mutation(api.designs.create, { projectId: project, name: "Autumn back" });
    await addImage(backend, person, other, "autumn back.png");
    await person.mutation(api.projects.remove, { id: project });
    expect(names(await find(person, "autumn"))).toEqual([]);
  });

  it("returns full pages up to the limit, and skips any number of hidden rows", { tags: "@finds-so-many-no-more-page" }, async () => {
    const { person, design } = await withItems("ada");
    const project = await person.mutation(api.projects.create, { name: "shown" });
    const hidden = await person.mutation(api.projects.create, { name: "hidden" });
    const shown = FOUND_PAGE + 5;
    await insertDesigns(person, project, shown);
    // The hidden ones are newer and match equally well, so they rank first.
    await insertDesigns(person, hidden, 80);
    await person.mutation(api.projects.moveToTrash, { id: hidden });

    const overview = await find(person, "poster");
    expect(overview.designs).toHaveLength(FOUND_LIMIT);
    expect(overview).toMatchObject({ more: ["design"], next: null });
    expect(await find(person, "cover")).toMatchObject({ designs: [{ _id: design }], more: [] });

    for (const requested of [{ text: "poster" }, { text: "", tag: "many" }, { text: "", from: 1 }, { text: "poster", tag: "many" }]) {
      const first = await search(person, { ...requested, kind: "design" });
      expect(first.designs).toHaveLength(FOUND_PAGE);
      const last = await search(person, { ...requested, kind: "design", after: first.next ?? "" });
      const all = [...first.designs, ...last.designs].filter(({ projectName }) => projectName === "shown");
      expect(new Set(all.map(({ _id }) => _id)), JSON.stringify(requested)).toHaveLength(shown);
      expect(last).toMatchObject({ next: null, projects: [], images: [] });
    }
  });

  it("ends a text search at the 1,024 results that a deployment returns", async () => {
    const { person } = await withItems("ada");
    const project = await person.mutation(api.projects.create, { name: "large" });
    const seed = await person.mutation(api.designs.create, { projectId: project, name: "Poster" });
    const { _id: _, _creationTime: __, ...row } = (await backend.inside.query(probe.row, { table: "designs", id: seed })) ?? {};
    await backend.inside.mutation(probe.insertMany, { table: "designs", rows: Array.from({ length: 1_050 }, () => row) });
    const page = (after: string) => search(person, { text: "poster", kind: "design", after });
    expect(await page("960")).toMatchObject({ designs: { length: FOUND_PAGE }, next: "1010" });
    expect(await page("1010")).toMatchObject({ designs: { length: 14 }, next: null });
  });

  it("finds current descriptions, captions and tags", async () => {
    const { person, project, design, image } = await withItems("ada");
    await person.mutation(api.projects.setDescription, { id: project, description: "For the orchard" });
    await person.mutation(api.designs.setDescription, { id: design, description: "Orchard in\nfog" });
    await person.mutation(api.designImages.setCaption, { id: image, caption: "Two apples" });
    await person.mutation(api.tags.tagImage, { id: image, tag: "Orchard, final draft" });
    expect(names(await find(person, "orchard"))).toEqual(["Autumn catalogue", "Autumn cover", "autumn leaves.png"]);
    expect(names(await find(person, "apples"))).toEqual(["autumn leaves.png"]);
    expect(names(await find(person, "draf"))).toEqual(["autumn leaves.png"]);
    const copy = await person.mutation(api.designs.duplicate, { id: design });
    await backend.settle();
    expect((await find(person, "fog")).designs.map(({ _id }) => _id).toSorted()).toEqual([design, copy].toSorted());
    expect((await find(person, "apples")).images).toHaveLength(2);
    await person.mutation(api.designs.moveToTrash, { id: copy });

    await person.mutation(api.designs.setDescription, { id: design, description: "" });
    await person.mutation(api.designImages.setCaption, { id: image, caption: "" });
    await person.mutation(api.tags.untagImage, { id: image, tag: "orchard" });
    expect(names(await find(person, "orchard"))).toEqual(["Autumn catalogue"]);
    expect(names(await find(person, "fog apples"))).toEqual([]);
    await person.mutation(api.designImages.rename, { id: image, name: "b.png" });
    expect(names(await find(person, "final"))).toEqual(["b.png"]);
  });

  it("cuts long descriptions before a character that crosses the limit", async () => {
    const { person, project, design } = await withItems("ada");
    const description = `${"x".repeat(199)}😀 long`;
    await person.mutation(api.projects.setDescription, { id: project, description });
    await person.mutation(api.designs.setDescription, { id: design, description });
    const { projects, designs } = await find(person, "long");
    expect([...projects, ...designs].map((found) => found.description)).toEqual(["x".repeat(199), "x".repeat(199)]);
  });

  it("combines the filters for tag, kind, type, time and words", async () => {
    const { person, project, design, image } = await withItems("ada");
    await person.mutation(api.tags.tagDesign, { id: design, tag: "Night" });
    await person.mutation(api.tags.tagImage, { id: image, tag: "night" });
    const { id: other } = await addImage(backend, person, design, "winter.png");
    await backend.inside.mutation(probe.patch, { table: "designImages", id: other, fields: { contentType: "image/svg+xml" } });
    const found = async (requested: Partial<FunctionArgs<typeof api.search.find>>) =>
      names(await search(person, { text: "", ...requested }));
    const at = (await person.query(api.designImages.getDesignImageInPlace, { id: image })).image._creationTime;

    expect(await found({ tag: " NIGHT" })).toEqual(["Autumn cover", "autumn leaves.png"]);
    expect(await found({ tag: "night", kind: "design" })).toEqual(["Autumn cover"]);
    expect(await found({ tag: "night", kind: "project" })).toEqual([]);
    expect(await found({ tag: "night", text: "nothing leav" })).toEqual(["autumn leaves.png"]);
    expect(await found({ tag: "nigh" })).toEqual([]);
    expect(await found({ kind: "project" })).toEqual(["Autumn catalogue"]);
    expect(await found({ type: "image/svg+xml" })).toEqual(["winter.png"]);
    expect(await found({ type: "image/png", text: "autumn" })).toEqual(["autumn leaves.png"]);
    expect(await found({ type: "image/svg+xml", text: "autumn" })).toEqual([]);
    expect(await found({ from: at, to: at + 0.01 })).toEqual(["autumn leaves.png"]);
    expect(await found({ from: at, to: at + 0.01, text: "autumn" })).toEqual(["autumn leaves.png"]);
    expect(await found({ to: at })).toEqual(["Autumn catalogue", "Autumn cover"]);
    expect(await found({ to: at, tag: "night" })).toEqual(["Autumn cover"]);
    expect(await found({ kind: "image", text: " … " })).toEqual([]);
    for (const after of ["nonsense", "-1", "Infinity", "NaN", "{}"]) {
      expect(await found({ kind: "project", after }), after).toEqual(["Autumn catalogue"]);
    }

    await person.mutation(api.designs.moveToTrash, { id: design });
    expect(await found({ tag: "night" })).toEqual([]);
    expect(await found({ kind: "image" })).toEqual([]);
    await person.mutation(api.trash.restore, { id: design });
    expect(await found({ tag: "night" })).toEqual(["Autumn cover", "autumn leaves.png"]);
    await person.mutation(api.projects.moveToTrash, { id: project });
    expect(await found({ tag: "night" })).toEqual([]);
    expect(await found({ type: "image/svg+xml" })).toEqual([]);
    const bob = await signUp(backend, "bob");
    expect(names(await search(bob, { text: "", tag: "night" }))).toEqual([]);
  });

  it("finds rows of an earlier build after the upgrade", async () => {
    const { person, design } = await withItems("ada");
    const {
      _id: _,
      _creationTime: __,
      words: ___,
      ...row
    } = (await backend.inside.query(probe.row, { table: "designs", id: design })) ?? {};
    await backend.inside.mutation(probe.insert, { table: "designs", row });
    for (const { _id } of await backend.inside.query(probe.rows, { table: "upgrades" })) {
      await backend.inside.mutation(probe.remove, { table: "upgrades", id: String(_id) });
    }
    await backend.inside.mutation(internal.jobs.upgrade.run, {});
    await backend.settle();
    expect((await find(person, "cover")).designs).toHaveLength(2);
  });

  async function insertDesigns(person: Person, projectId: Id<"projects">, count: number) {
    const seed = await person.mutation(api.designs.create, { projectId, name: "Poster" });
    await person.mutation(api.tags.tagDesign, { id: seed, tag: "many" });
    const { _id: _, _creationTime: __, ...row } = (await backend.inside.query(probe.row, { table: "designs", id: seed })) ?? {};
    const [tagging] = await backend.inside.query(probe.rows, { table: "taggings", field: "thing", value: seed });
    const another = async () => {
      const thing = await backend.inside.mutation(probe.insert, { table: "designs", row });
      await backend.inside.mutation(probe.insert, { table: "taggings", row: { tagId: tagging?.["tagId"], kind: "design", thing } });
    };
    await Promise.all(Array.from({ length: count - 1 }, another));
  }
});

const NOTHING: Found = { projects: [], designs: [], images: [], more: [], next: null };
const names = ({ projects, designs, images }: Found) => [...projects, ...designs, ...images].map(({ name }) => name);

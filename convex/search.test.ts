import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api } from "./_generated/api";
import { FOUND_LIMIT, type Found } from "./search";

describe.each(backends)("search on $name", ({ start }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());

  const find = (person: Person, text: string) => person.query(api.search.find, { text });

  async function withThings(name: string) {
    const person = await signUp(backend, name);
    const project = await person.mutation(api.projects.create, { name: "Autumn catalogue" });
    const design = await person.mutation(api.designs.create, { projectId: project, name: "Autumn cover" });
    const { id: image } = await addImage(backend, person, design, "autumn leaves.png");
    return { person, project, design, image };
  }

  it("finds projects, designs and images by the words of their names, and says where they are", async () => {
    const { person, project, design, image } = await withThings("ada");
    await person.mutation(api.projects.create, { name: "Winter" });
    const found = await find(person, "autumn");
    expect(found).toMatchObject({
      projects: [{ _id: project, name: "Autumn catalogue", cover: [{ imageId: image }] }],
      designs: [{ _id: design, name: "Autumn cover", projectName: "Autumn catalogue", cover: [{ imageId: image }] }],
      images: [{ _id: image, designId: design, name: "autumn leaves.png", designName: "Autumn cover", projectName: "Autumn catalogue" }],
    });
    expect(JSON.stringify(found)).not.toMatch(/storage|ownerId/i);
  });

  it("finds by a word that is only begun, by any of several, in any case, and follows a change of name", async () => {
    const { person, design } = await withThings("ada");
    const told = async (text: string) => names(await find(person, text));
    expect(await told("aut")).toEqual(["Autumn catalogue", "Autumn cover", "autumn leaves.png"]);
    expect(await told("  COVER ")).toEqual(["Autumn cover"]);
    expect(await told("nothing catal")).toEqual(["Autumn catalogue"]);
    expect(await told("umn")).toEqual([]);
    await person.mutation(api.designs.rename, { id: design, name: "Ψυχή 夜" });
    expect(await told("cover")).toEqual([]);
    expect(await told("ψυχ")).toEqual(["Ψυχή 夜"]);
  });

  it("finds nothing by no word, and takes whatever is typed as text", async () => {
    const { person } = await withThings("ada");
    for (const text of ["", "  ", '"', "*", "()", "- :", "\u0000", "\uD800", "\u202e"]) {
      expect(await find(person, text), JSON.stringify(text)).toEqual({ projects: [], designs: [], images: [] });
    }
    for (const text of ['autumn" OR "x', "autumn*", "name:autumn", "autumn NEAR(", "autumn ".repeat(500), "autumn' --"]) {
      await expect(find(person, text), text).resolves.toHaveProperty("projects");
    }
  });

  it("shows nobody what is somebody else's", async () => {
    await withThings("ada");
    const bob = await signUp(backend, "bob");
    expect(names(await find(bob, "autumn"))).toEqual([]);
    await bob.mutation(api.projects.create, { name: "Autumn of bob" });
    expect(names(await find(bob, "autumn catalogue cover leaves"))).toEqual(["Autumn of bob"]);
  });

  it("trusts no row for what may be seen: the project alone says so", async () => {
    const { person: ada, design, image } = await withThings("ada");
    const eve = await signUp(backend, "eve");
    await backend.inside.mutation(probe.patch, { table: "designs", id: design, fields: { ownerId: eve.userId } });
    await backend.inside.mutation(probe.patch, { table: "designImages", id: image, fields: { ownerId: eve.userId } });
    expect(names(await find(eve, "autumn"))).toEqual([]);
    expect(names(await find(ada, "autumn"))).toEqual(["Autumn catalogue"]);
  });

  it("finds nothing that is removed, nor what is in it, from that moment on", async () => {
    const { person, project, design, image } = await withThings("ada");
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

  it("finds so many and no more, and looks past what is hidden", async () => {
    const { person, project } = await withThings("ada");
    const hidden = await person.mutation(api.projects.create, { name: "hidden" });
    for (let each = 0; each < FOUND_LIMIT + 5; each++) {
      await person.mutation(api.designs.create, { projectId: project, name: `Poster ${each}` });
      await person.mutation(api.designs.create, { projectId: hidden, name: `Poster ${each}` });
    }
    await backend.inside.mutation(probe.patch, { table: "projects", id: hidden, fields: { removedAt: Date.now() } });
    const { designs } = await find(person, "poster");
    expect(designs).toHaveLength(FOUND_LIMIT);
    expect(new Set(designs.map(({ projectName }) => projectName))).toEqual(new Set(["Autumn catalogue"]));
  });
});

const names = ({ projects, designs, images }: Found) => [...projects, ...designs, ...images].map(({ name }) => name);

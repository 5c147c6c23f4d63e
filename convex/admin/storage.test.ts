import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, signUp, startWithAdministrator } from "../../tests/convex/backends.ts";
import { addImage, addVersion } from "../../tests/convex/pictures.ts";
import { api } from "../_generated/api";

describe.each(backends)("storage of all accounts on $name", ({ start }) => {
  let backend: Backend;
  let admin: Person;
  beforeAll(async () => {
    ({ backend, admin } = await startWithAdministrator(start));
  });
  afterAll(() => backend.close());

  it("lists the largest accounts and projects first, without names of content", { tags: "@administration-storage" }, async () => {
    const people: Person[] = [];
    for (const images of [1, 3, 2]) {
      const person = await signUp(backend, `p${images}`);
      const projectId = await person.mutation(api.projects.create, { name: "Secret project" });
      const designId = await person.mutation(api.designs.create, { projectId, name: "Secret design" });
      for (let each = 0; each < images; each += 1) await addImage(backend, person, designId, `${person.userId} ${each}.png`);
      people.push(person);
    }
    await backend.settle();
    const [one, three, two] = people as [Person, Person, Person];
    const { page } = await admin.query(api.admin.storage.people, { paginationOpts: { cursor: null, numItems: 10 } });
    expect(page.map(({ person, images }) => [person.id, images]).slice(0, 3)).toEqual([
      [three.userId, 3],
      [two.userId, 2],
      [one.userId, 1],
    ]);
    expect(page[0]).toMatchObject({ projects: 1, designs: 1, quotaBytes: null, bytes: expect.any(Number) });
    const large = await one.mutation(api.projects.create, { name: "Secret project" });
    const largeDesign = await one.mutation(api.designs.create, { projectId: large, name: "Secret design" });
    const { id } = await addImage(backend, one, largeDesign, "x".repeat(300));
    await addVersion(backend, one, id, "x".repeat(300));
    const projects = await admin.query(api.admin.storage.projects, {});
    expect(projects.map(({ owner, images }) => [owner.id, images])).toEqual([
      [one.userId, 1],
      [three.userId, 3],
      [two.userId, 2],
      [one.userId, 1],
    ]);
    const sizes = projects.map(({ bytes }) => bytes);
    expect(sizes[0]).toBeGreaterThan(600);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(JSON.stringify([page, projects])).not.toContain("Secret");
  });
});

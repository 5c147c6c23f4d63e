import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, signUp, startWithAdministrator } from "../../tests/convex/backends.ts";
import { addImage } from "../../tests/convex/pictures.ts";
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
    const [one, three, two] = people.map(({ userId }) => userId);
    const { page } = await admin.query(api.admin.storage.people, { paginationOpts: { cursor: null, numItems: 10 } });
    expect(page.map(({ person, images }) => [person.id, images]).slice(0, 3)).toEqual([
      [three, 3],
      [two, 2],
      [one, 1],
    ]);
    expect(page[0]).toMatchObject({ projects: 1, designs: 1, quotaBytes: null, bytes: expect.any(Number) });
    const projects = await admin.query(api.admin.storage.projects, {});
    expect(projects.map(({ owner, images }) => [owner.id, images])).toEqual([
      [three, 3],
      [two, 2],
      [one, 1],
    ]);
    expect(JSON.stringify([page, projects])).not.toContain("Secret");
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Person, probe } from "../tests/convex/backends.ts";
import { addImage, addVersion } from "../tests/convex/pictures.ts";
import { addMember, copyImageRows, rowsOf, shareProject } from "../tests/convex/shared-project.ts";
import { api } from "./_generated/api";
import type { MemberRole } from "./model/rights";
import { SEEN_LIMIT } from "./search";

const paginationOpts = { cursor: null, numItems: 20 };

describe.each(backends)("search and history of shared projects on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  let eve: Person;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());

  const rows = (table: string, field: string, value: string) => rowsOf(backend, table, field, value);
  const add = (projectId: string, person: Person, role: MemberRole) => addMember(backend, projectId, person, role);
  const copyRows = (id: string, number: number, changes: object) => copyImageRows(backend, id, number, changes);
  const shared = async (role: MemberRole) => {
    const made = await shareProject(backend, role);
    ({ ada, eve } = made);
    return made;
  };
  const remove = (id: string) => backend.inside.mutation(probe.remove, { table: "projectMembers", id });

  it("finds items of a shared project when the search is limited to it", async () => {
    const { project, design, member } = await shared("viewer");
    await ada.mutation(api.tags.tagDesign, { id: design, tag: "poster" });
    const find = (filters: { text?: string; tag?: string }) => eve.query(api.search.find, { text: "", project, ...filters });
    expect((await find({ text: "cover" })).designs).toMatchObject([{ _id: design }]);
    expect((await find({ tag: "poster" })).designs).toMatchObject([{ _id: design }]);
    await remove(member);
    expect(await find({ text: "cover" })).toMatchObject({ designs: [], images: [] });
  });

  it("lists recent designs of shared projects in which the caller has the given right", async () => {
    const { design, ownDesign, member } = await shared("viewer");
    const recent = async (right?: "view" | "edit") =>
      (await eve.query(api.designs.getRecent, right ? { shared: right } : {})).map(({ _id }) => _id).toSorted();
    const both = [design, ownDesign].toSorted();
    expect([await recent(), await recent("view"), await recent("edit")]).toEqual([[ownDesign], both, [ownDesign]]);
    await backend.inside.mutation(probe.patch, { table: "projectMembers", id: member, fields: { role: "editor" } });
    expect(await recent("edit")).toEqual(both);
    await remove(member);
    expect(await recent("view")).toEqual([ownDesign]);
  });

  it("finds projects, designs and images that are shared, after own ones", { tags: "@finds-what-is-shared" }, async () => {
    const { project, design, image, ownDesign, member } = await shared("viewer");
    const secret = await ada.mutation(api.projects.create, { name: "Shared secret" });
    await ada.mutation(api.designs.create, { projectId: secret, name: "Cover of a secret" });
    await ada.mutation(api.tags.tagImage, { id: image, tag: "poster" });
    await eve.mutation(api.designs.rename, { id: ownDesign, name: "Cover of mine" });
    const find = (filters: object) => eve.query(api.search.find, { text: "", ...filters });
    expect((await find({ text: "shared" })).projects).toMatchObject([{ _id: project }]);
    expect((await find({ text: "cover" })).designs).toMatchObject([{ _id: ownDesign }, { _id: design, projectName: "Shared" }]);
    expect((await find({ text: "fig" })).images).toMatchObject([{ _id: image }]);
    expect((await find({ text: "covr" })).designs).toEqual([]);
    expect((await find({ text: "hared" })).projects).toMatchObject([{ _id: project }]);
    expect((await find({ tag: "poster" })).images).toMatchObject([{ _id: image }]);
    expect((await find({ kind: "design", text: "" })).designs.map(({ _id }) => _id)).toEqual([ownDesign, design]);
    expect((await find({ text: "cover", editable: true })).designs).toMatchObject([{ _id: ownDesign }]);
    await backend.inside.mutation(probe.patch, { table: "projectMembers", id: member, fields: { role: "editor" } });
    expect((await find({ text: "cover", editable: true })).designs).toMatchObject([{ _id: ownDesign }, { _id: design }]);
    expect(await eve.query(api.members.listEditable, {})).toMatchObject([{ _id: project, name: "Shared", owner: "ada" }]);
    await ada.mutation(api.designs.moveToTrash, { id: design });
    expect((await find({ text: "cover" })).designs).toMatchObject([{ _id: ownDesign }]);
    await ada.mutation(api.trash.restore, { id: design });
    await remove(member);
    expect((await find({ text: "cover" })).designs).toMatchObject([{ _id: ownDesign }]);
    expect((await find({ text: "shared" })).projects).toEqual([]);
    expect(await eve.query(api.members.listEditable, {})).toEqual([]);
  });

  it.each([{ text: "picture" }, { text: "" }])("pages through own and shared images of %o once", async (filters) => {
    const { image, ownDesign } = await shared("viewer");
    await ada.mutation(api.designImages.rename, { id: image, name: "picture" });
    const { id: mine } = await addImage(backend, eve, ownDesign, "picture");
    await copyRows(image, 70, {});
    await copyRows(mine, 60, {});
    const found: string[] = [];
    let after: string | undefined;
    for (let each = 0; each < 10; each++) {
      const { images, next } = await eve.query(api.search.find, { ...filters, kind: "image", ...(after && { after }) });
      found.push(...images.map(({ _id }) => _id));
      if (next === null) break;
      after = next;
    }
    const own = (await rows("designImages", "ownerId", eve.userId)).map(({ _id }) => String(_id));
    expect(found).toHaveLength(132);
    expect(new Set(found).size).toBe(132);
    expect(new Set(found.slice(0, 61))).toEqual(new Set(own));
  });

  it("pages through a shared project without revealing the owner's other rows", async () => {
    const { project, design, image } = await shared("viewer");
    const back = await ada.mutation(api.designs.create, { projectId: project, name: "Back cover" });
    const secret = await ada.mutation(api.projects.create, { name: "Secret" });
    const hidden = await ada.mutation(api.designs.create, { projectId: secret, name: "Hidden cover" });
    const { id: hiddenImage } = await addImage(backend, ada, hidden, "picture");
    await ada.mutation(api.designImages.rename, { id: image, name: "picture" });
    for (const id of [image, hiddenImage]) await ada.mutation(api.tags.tagImage, { id, tag: "poster" });
    await copyRows(image, 59, {});
    await copyRows(hiddenImage, 100, {});
    await copyRows(hiddenImage, SEEN_LIMIT, { name: "other", words: "other" });
    await copyRows(image, 60, { designId: back });
    for (const id of [design, back]) {
      const times = (await rows("designImages", "designId", id)).map((row) => Number(row["_creationTime"]));
      await backend.inside.mutation(probe.patch, { table: "designs", id, fields: { latestImageAt: Math.max(...times) } });
    }

    const hiddenTimes = (await rows("designImages", "designId", hidden)).map((row) => String(row["_creationTime"]));
    const pagesOf = async (filters: { text: string; tag?: string }) => {
      const found: string[] = [];
      const marks: string[] = [];
      let after: string | undefined;
      do {
        const page = await eve.query(api.search.find, { ...filters, project, kind: "image", ...(after !== undefined && { after }) });
        found.push(...page.images.map(({ _id }) => _id));
        after = page.next ?? undefined;
        if (after !== undefined) marks.push(after);
      } while (after !== undefined);
      return { found: new Set(found).size, total: found.length, marks };
    };
    for (const filters of [{ text: "" }, { text: "", tag: "poster" }, { text: "picture", tag: "poster" }]) {
      const { marks, ...counts } = await pagesOf(filters);
      expect([counts, marks.length], JSON.stringify(filters)).toEqual([{ found: 120, total: 120 }, 2]);
      expect(hiddenTimes.some((time) => marks.some((mark) => mark.includes(time)))).toBe(false);
    }
    expect((await pagesOf({ text: "picture" })).marks).toEqual(["50", "100"]);
    expect((await eve.query(api.search.find, { text: "", project, kind: "design" })).designs.map(({ _id }) => _id)).toEqual([back, design]);
    const { designs } = await eve.query(api.search.find, { text: "cover", project });
    expect(designs.map(({ _id }) => _id).toSorted()).toEqual([back, design].toSorted());
  });

  it("shows a viewer the history of visible items, without locations in the trash", async () => {
    const { project, design, image } = await shared("viewer");
    const places = async () => {
      const { page } = await eve.query(api.activities.list, { projectId: project, paginationOpts });
      return page.find(({ kind }) => kind === "uploaded")?.place;
    };
    expect(await places()).toEqual({ designId: design, imageId: image });
    await ada.mutation(api.designImages.moveToTrash, { id: image });
    expect(await places()).toEqual({ designId: design });
  });

  it("hides names of inaccessible projects and designs in the history", async () => {
    const { project, design, image } = await shared("viewer");
    const secret = await ada.mutation(api.projects.create, { name: "Secret" });
    const hidden = await ada.mutation(api.designs.create, { projectId: secret, name: "Hidden" });
    await addImage(backend, ada, design, "second");
    await ada.mutation(api.designImages.move, { ids: [image], designId: hidden });
    await ada.mutation(api.designs.move, { id: design, projectId: secret });
    const back = await ada.mutation(api.designs.create, { projectId: project, name: "Back" });
    await ada.mutation(api.designImages.move, { ids: [image], designId: back });
    const moves = async (person: Person) => {
      const { page } = await person.query(api.activities.list, { projectId: project, paginationOpts });
      return page.filter(({ kind }) => kind === "moved").map(({ thing, from, to }) => [thing.kind, from, to]);
    };
    expect(await moves(ada)).toEqual([
      ["image", undefined, "Back"],
      ["design", "Shared", "Secret"],
      ["image", "Cover", "Hidden"],
    ]);
    expect(await moves(eve)).toEqual([
      ["image", undefined, "Back"],
      ["design", "Shared", undefined],
      ["image", undefined, undefined],
    ]);
    await add(secret, eve, "viewer");
    expect(await moves(eve)).toEqual(await moves(ada));
    await ada.mutation(api.projects.moveToTrash, { id: secret });
    expect((await moves(eve)).flat()).not.toContain("Secret");
  });

  it("shows no email addresses in history and versions", async () => {
    const { project, image } = await shared("editor");
    for (const { userId } of [ada, eve]) {
      const [user] = await rows("users", "id", userId);
      await backend.inside.mutation(probe.patch, { table: "users", id: String(user?.["_id"]), fields: { name: "" } });
    }
    await addVersion(backend, eve, image, "second");
    const shown = async (person: Person) => {
      const { page } = await person.query(api.activities.list, { projectId: project, paginationOpts });
      const versions = await person.query(api.versions.getVersions, { imageId: image });
      return [page.map(({ actor }) => actor?.name), versions.map(({ author }) => author)];
    };
    const email = (person: Person) => `${person.userId}@example.com`;
    const actors = Array.from({ length: 4 }, () => "Unnamed user");
    expect(await shown(ada)).toEqual([actors, ["Unnamed user", email(ada)]]);
    expect(await shown(eve)).toEqual([actors, [email(eve), "Unnamed user"]]);
  });
});

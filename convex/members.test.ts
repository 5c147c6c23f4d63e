import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage, addVersion } from "../tests/convex/pictures.ts";
import { api, internal } from "./_generated/api";
import { PLANS } from "./model/plans";
import type { MemberRole } from "./model/rights";
import { SEEN_LIMIT } from "./search";

const paginationOpts = { cursor: null, numItems: 20 };
const NOT_FOUND = { code: "not_found" };

describe.each(backends)("members on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let ada: Person;
  let eve: Person;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());

  const rows = (table: string, field: string, value: string) => backend.inside.query(probe.rows, { table, field, value });
  const add = (projectId: string, { userId }: Person, role: MemberRole) =>
    backend.inside.mutation(probe.insert, { table: "projectMembers", row: { projectId, userId, role, addedAt: Date.now(), addedBy: "x" } });

  async function shared(role: MemberRole) {
    [ada, eve] = [await signUp(backend, "ada"), await signUp(backend, "eve")];
    const project = await ada.mutation(api.projects.create, { name: "Shared" });
    const design = await ada.mutation(api.designs.create, { projectId: project, name: "Cover" });
    const { id: image } = await addImage(backend, ada, design, "fig");
    const member = await add(project, eve, role);
    const own = await eve.mutation(api.projects.create, { name: "Eve's" });
    const ownDesign = await eve.mutation(api.designs.create, { projectId: own, name: "Eve's design" });
    await backend.settle();
    return { project, design, image, member, own, ownDesign };
  }

  const usageOf = async (person: Person) => {
    await backend.settle();
    return person.query(api.usage.getUsage, {});
  };
  const expectCounted = async () => {
    for (const person of [ada, eve]) {
      const usage = await usageOf(person);
      const [images, versions] = [
        await rows("designImages", "ownerId", person.userId),
        await rows("imageVersions", "ownerId", person.userId),
      ];
      const files = new Map([...images, ...versions].map(({ storageId, size }) => [storageId, Number(size)]));
      expect(usage.bytes).toBe([...files.values()].reduce((sum, size) => sum + size, 0));
    }
  };
  const remove = (id: string) => backend.inside.mutation(probe.remove, { table: "projectMembers", id });
  const imagesIn = (person: Person, designId: string) => person.query(api.designImages.getDesignImagesByDesignId, { designId });

  const copyRows = async (id: string, number: number, changes: object) => {
    const { _id, _creationTime, ...row } = (await rows("designImages", "_id", id))[0] ?? {};
    const mark = JSON.stringify(changes);
    const many = Array.from({ length: number }, (_, each) => ({ ...row, ...changes, uploadId: `${id} ${each} ${mark}` }));
    await backend.inside.mutation(probe.insertMany, { table: "designImages", rows: many });
  };

  it("lists shared projects apart from the caller's own", async () => {
    const { project, own, member } = await shared("viewer");
    await ada.mutation(api.projects.setFavourite, { id: project, favourite: true });
    const listed = async () => (await eve.query(api.members.listSharedProjects, { paginationOpts })).page;
    expect(await listed()).toMatchObject([{ _id: project, name: "Shared", role: "viewer", owner: { name: "ada" }, favourite: false }]);
    expect((await eve.query(api.projects.getProjects, {})).map(({ _id }) => _id)).toEqual([own]);
    expect((await ada.query(api.members.listSharedProjects, { paginationOpts })).page).toEqual([]);
    expect(await eve.query(api.projects.getProjectById, { id: project })).toMatchObject({ favourite: false });

    await ada.mutation(api.projects.moveToTrash, { id: project });
    expect(await listed()).toEqual([]);
    await ada.mutation(api.trash.restore, { id: project });
    expect(await listed()).toHaveLength(1);
    await remove(member);
    expect(await listed()).toEqual([]);
  });

  it("hides a project in the trash from members with all that it contains", async () => {
    const { project, design, image } = await shared("editor");
    await eve.mutation(api.designs.moveToTrash, { id: design });
    expect(await eve.query(api.trash.getTrashed, { id: image })).toMatchObject({ kind: "design", name: "Cover" });
    await ada.mutation(api.projects.moveToTrash, { id: project });
    for (const id of [project, design, image]) {
      expect(await refused(eve.query(api.trash.getTrashed, { id }))).toEqual(NOT_FOUND);
      expect(await refused(eve.mutation(api.trash.restore, { id, withPlace: true }))).toEqual(NOT_FOUND);
    }
  });

  it("lists the members to each other, with addresses for the owner only", async () => {
    const { project } = await shared("viewer");
    const list = (person: Person) => person.query(api.members.list, { projectId: project, paginationOpts });
    const email = `${eve.userId}@example.com`;
    expect((await list(ada)).page).toMatchObject([{ userId: eve.userId, name: "eve", email, role: "viewer", isMe: false }]);
    const [seen] = (await list(eve)).page;
    expect(seen).toMatchObject({ name: "eve", isMe: true });
    expect(seen).not.toHaveProperty("email");
    expect(await ada.query(api.members.getOwner, { projectId: project })).toEqual({ name: "ada", isMe: true, mayManage: true });
    expect(await eve.query(api.members.getOwner, { projectId: project })).toEqual({ name: "ada", isMe: false, mayManage: false });
  });

  it("changes roles, removes members and lets them leave", async () => {
    const { project, design } = await shared("viewer");
    const rename = (name: string) => eve.mutation(api.designs.rename, { id: design, name });
    const of = { projectId: project, userId: eve.userId };
    expect(await refused(rename("Back"))).toEqual(NOT_FOUND);
    await ada.mutation(api.members.setRole, { ...of, role: "editor" });
    await rename("Back");
    await ada.mutation(api.members.setRole, { ...of, role: "commenter" });
    expect(await refused(rename("Front"))).toEqual(NOT_FOUND);
    expect(await refused(ada.mutation(api.members.setRole, { ...of, userId: ada.userId, role: "viewer" }))).toEqual(NOT_FOUND);
    await ada.mutation(api.members.remove, of);
    expect(await refused(eve.query(api.designs.getDesignById, { id: design }))).toEqual(NOT_FOUND);
    expect(await refused(ada.mutation(api.members.remove, of))).toEqual(NOT_FOUND);

    await add(project, eve, "editor");
    await eve.mutation(api.members.leave, { projectId: project });
    expect(await refused(eve.mutation(api.members.leave, { projectId: project }))).toEqual(NOT_FOUND);
    expect(await refused(ada.mutation(api.members.leave, { projectId: project }))).toEqual(NOT_FOUND);
    expect((await ada.query(api.members.list, { projectId: project, paginationOpts })).page).toEqual([]);
  });

  it("counts an editor's uploads for the owner and records who added them", async () => {
    const { project, design } = await shared("editor");
    const before = await usageOf(ada);
    const { id } = await addImage(backend, eve, design, "eve's");
    const after = await usageOf(ada);
    expect([after.images - before.images, after.bytes > before.bytes]).toEqual([1, true]);
    expect(await usageOf(eve)).toMatchObject({ images: 0, bytes: 0 });
    const [latest] = (await ada.query(api.activities.list, { projectId: project, paginationOpts })).page;
    expect(latest).toMatchObject({ kind: "uploaded", actor: { name: "eve", isMe: false } });
    const facts = (await rows("designImages", "_id", id))[0];
    expect(facts).toMatchObject({ ownerId: ada.userId, authorId: eve.userId });
  });

  it("copies items of another owner into an own project, counting each file once", async () => {
    const { project, design, image, own, ownDesign } = await shared("viewer");
    await eve.mutation(api.many.copyImages, { ids: [image], designId: ownDesign });
    await eve.mutation(api.many.copyImages, { ids: [image], designId: ownDesign });
    await eve.mutation(api.many.copyDesigns, { ids: [design], projectId: own });
    const copy = await eve.mutation(api.projects.duplicate, { id: project });
    await backend.settle();
    expect(await eve.query(api.projects.getProjectById, { id: copy })).toMatchObject({ designCount: 1, imageCount: 1 });
    expect((await rows("projects", "_id", copy))[0]).toMatchObject({ ownerId: eve.userId });
    expect(await usageOf(eve)).toMatchObject({ projects: 2, designs: 3, images: 4 });
    await expectCounted();

    await ada.mutation(api.projects.moveToTrash, { id: project });
    await ada.mutation(api.trash.purge, { id: project });
    await expectCounted();
    expect(await usageOf(ada)).toMatchObject({ bytes: 0 });
    const [kept] = await imagesIn(eve, ownDesign);
    expect(await server.query(api.uploads.getFile, { sessionId: eve.sessionId, imageId: kept?._id ?? "" })).toMatchObject({ name: "fig" });

    await eve.mutation(api.projects.moveToTrash, { id: copy });
    await eve.mutation(api.projects.moveToTrash, { id: own });
    await eve.mutation(api.trash.empty, {});
    expect(await usageOf(eve)).toMatchObject({ bytes: 0 });
    await expectCounted();
  });

  it("subtracts a purged file once when another owner has a copy of it", async () => {
    const { design, image, ownDesign } = await shared("viewer");
    await addVersion(backend, ada, image, "fig again");
    await addImage(backend, ada, design, "other");
    await eve.mutation(api.many.copyImages, { ids: [image], designId: ownDesign });
    await ada.mutation(api.designImages.moveToTrash, { id: image });
    await ada.mutation(api.trash.purge, { id: image });
    await expectCounted();
  });

  it("moves items to another owner as a copy, and leaves the originals in the trash", async () => {
    const { project, design, image, own, ownDesign } = await shared("editor");
    await addImage(backend, ada, design, "second");
    await eve.mutation(api.designImages.move, { ids: [image], designId: ownDesign, step: "images" });
    expect((await imagesIn(eve, ownDesign)).map(({ name }) => name)).toEqual(["fig"]);
    expect((await imagesIn(ada, design)).map(({ name }) => name)).toEqual(["second"]);
    expect(await ada.query(api.trash.getTrashed, { id: image })).toMatchObject({ kind: "image" });
    await eve.mutation(api.undo.revert, { step: "images" });
    expect([(await imagesIn(eve, ownDesign)).length, (await imagesIn(ada, design)).length]).toEqual([0, 2]);

    await eve.mutation(api.designs.move, { id: design, projectId: own });
    await backend.settle();
    const moved = (await eve.query(api.designs.getDesignsByProjectId, { projectId: own })).find(({ name }) => name === "Cover");
    expect(moved).toMatchObject({ imageCount: 2 });
    expect(await ada.query(api.projects.getProjectById, { id: project })).toMatchObject({ designCount: 0 });
    expect(await ada.query(api.trash.getTrashed, { id: design })).toMatchObject({ kind: "design" });
    await expectCounted();
  });

  it("moves all images of a design when its owner empties the trash meanwhile", async () => {
    const { design, image, own } = await shared("editor");
    await copyRows(image, 449, {});
    await eve.mutation(api.designs.move, { id: design, projectId: own });
    await ada.mutation(api.trash.empty, {});
    await backend.settle();
    const moved = (await eve.query(api.designs.getDesignsByProjectId, { projectId: own })).find(({ name }) => name === "Cover");
    expect(moved).toMatchObject({ imageCount: 450 });
    await expectCounted();
  });

  it("undoes and redoes a move of designs to another owner", async () => {
    const { project, design, own } = await shared("editor");
    const counts = async () => {
      await backend.settle();
      const { designCount } = await ada.query(api.projects.getProjectById, { id: project });
      return [designCount, (await eve.query(api.designs.getDesignsByProjectId, { projectId: own })).length];
    };
    const revert = (step: string) => eve.mutation(api.undo.revert, { step });
    await eve.mutation(api.designs.move, { id: design, projectId: own, step: "one" });
    expect(await counts()).toEqual([0, 2]);
    await revert("one");
    expect(await counts()).toEqual([1, 1]);
    await revert("one");
    expect(await counts()).toEqual([0, 2]);
    await revert("one");

    const action = { type: "move" as const, to: own };
    await eve.mutation(api.bulk.start, { kind: "design", ids: [design], action, step: "many" });
    expect(await counts()).toEqual([0, 2]);
    await revert("many");
    expect(await counts()).toEqual([1, 1]);
    expect((await eve.query(api.bulk.getRecent, {}))[0]).toMatchObject({ total: 2, done: 2, failed: 0 });
    await revert("many");
    expect(await counts()).toEqual([0, 2]);
  });

  it("leaves the original of a move in its place when the copy is undone or incomplete", async () => {
    const { project, design, own } = await shared("editor");
    const trashed = await eve.mutation(api.designs.create, { projectId: own, name: "Undone" });
    await eve.mutation(api.designs.moveToTrash, { id: trashed });
    const full = await eve.mutation(api.designs.create, { projectId: own, name: "Without room" });
    const move = { from: design, cursor: null, userId: eve.userId, isMove: true as const };
    await backend.inside.mutation(internal.jobs.copies.design, { ...move, to: full, limits: { isLimited: false, quota: 1 } });
    expect(await imagesIn(eve, full)).toEqual([]);
    await backend.inside.mutation(internal.jobs.copies.design, { ...move, to: trashed });
    expect(await ada.query(api.projects.getProjectById, { id: project })).toMatchObject({ designCount: 1 });
  });

  it("keeps copies that run at the same time within quota and plan", async () => {
    const { project, design, own } = await shared("viewer");
    const second = await ada.mutation(api.designs.create, { projectId: project, name: "Back" });
    await addImage(backend, ada, second, "abc");
    const [quota = 0] = (await rows("designImages", "designId", design)).map(({ size }) => Number(size));
    const claims = { subject: eve.userId, audience: "atelier-user" as const, sessionId: eve.sessionId };
    const copyBoth = async (limited: Caller) => {
      const copies = [design, second].map((id) => limited.mutation(api.many.copyDesigns, { ids: [id], projectId: own }));
      await Promise.allSettled(copies);
      return usageOf(eve);
    };
    expect(await copyBoth(await backend.holder({ ...claims, quota }))).toMatchObject({ images: 1, bytes: quota });

    const [usage] = await rows("usage", "ownerId", eve.userId);
    const images = PLANS.free.limits.images - 1;
    await backend.inside.mutation(probe.patch, { table: "usage", id: String(usage?.["_id"]), fields: { images } });
    expect(await copyBoth(await backend.holder({ ...claims, limited: true }))).toMatchObject({ images: PLANS.free.limits.images });
  });

  it("tells an editor no numbers of the owner's storage", async () => {
    const { design } = await shared("editor");
    const room = { bytes: 1000, quota: 500 };
    const expecting = ({ sessionId }: Person) => refused(server.query(api.uploads.expectRoom, { sessionId, designId: design, ...room }));
    expect(await expecting(ada)).toMatchObject({ code: "limit", left: expect.any(Number) });
    const message = "The project's owner has too little storage left. Nothing was added.";
    expect(await expecting(eve)).toEqual({ code: "limit", message });
    const uploading = { sessionId: eve.sessionId, designId: design, ...room };
    expect(await refused(server.mutation(api.uploads.generateUploadUrl, uploading))).toEqual({ code: "limit", message });
  });

  it("restores an item only to a project of the same owner", async () => {
    const { design, own } = await shared("editor");
    await eve.mutation(api.designs.moveToTrash, { id: design });
    expect(await refused(eve.mutation(api.trash.restore, { id: design, into: own }))).toMatchObject({ code: "conflict" });
    expect(await eve.mutation(api.trash.restore, { id: design })).toMatchObject({ kind: "design", name: "Cover" });
  });

  it("refuses to undo after the access has ended or is lower", async () => {
    const { design, member } = await shared("editor");
    await eve.mutation(api.designs.rename, { id: design, name: "Back", step: "name" });
    await backend.inside.mutation(probe.patch, { table: "projectMembers", id: member, fields: { role: "viewer" } });
    expect(await refused(eve.mutation(api.undo.revert, { step: "name" }))).toEqual(NOT_FOUND);
    await remove(member);
    expect(await refused(eve.mutation(api.undo.revert, { step: "name" }))).toEqual(NOT_FOUND);
    expect(await ada.query(api.designs.getDesignById, { id: design })).toMatchObject({ name: "Back" });
  });

  it("applies a bulk action only where the member has its right", async () => {
    const { project, image, member } = await shared("viewer");
    const place = { kind: "project" as const, id: project };
    const bulk = { kind: "image" as const, ids: [], place };
    await eve.mutation(api.bulk.start, { ...bulk, action: { type: "trash" }, step: "as viewer" });
    await backend.settle();
    expect(await eve.query(api.bulk.getRecent, {})).toMatchObject([
      { done: 0, failures: [{ id: image, reason: "It may have been deleted." }] },
    ]);
    await backend.inside.mutation(probe.patch, { table: "projectMembers", id: member, fields: { role: "editor" } });
    await eve.mutation(api.bulk.start, { ...bulk, action: { type: "trash" }, step: "as editor" });
    await backend.settle();
    expect((await eve.query(api.bulk.getRecent, {}))[0]).toMatchObject({ done: 1, failed: 0 });
    await remove(member);
    expect(await refused(eve.mutation(api.bulk.start, { ...bulk, action: { type: "trash" }, step: "removed" }))).toEqual(NOT_FOUND);
  });

  it("finds items of a shared project when the search is limited to it", async () => {
    const { project, design, member } = await shared("viewer");
    await ada.mutation(api.tags.tagDesign, { id: design, tag: "poster" });
    const find = (filters: { text?: string; tag?: string }) => eve.query(api.search.find, { text: "", project, ...filters });
    expect((await find({ text: "cover" })).designs).toMatchObject([{ _id: design }]);
    expect((await find({ tag: "poster" })).designs).toMatchObject([{ _id: design }]);
    expect((await eve.query(api.search.find, { text: "cover" })).designs).toEqual([]);
    await remove(member);
    expect(await find({ text: "cover" })).toMatchObject({ designs: [], images: [] });
  });

  it("pages through a shared project without marks of the owner's other rows", async () => {
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

  it("stops a copy when the access ends before it is complete", async () => {
    const { design, image, own, member } = await shared("viewer");
    const to = await eve.mutation(api.designs.create, { projectId: own, name: "Copy" });
    await remove(member);
    const batch = { from: design, to, cursor: null };
    await backend.inside.mutation(internal.jobs.copies.design, { ...batch, userId: eve.userId });
    expect(await imagesIn(eve, to)).toEqual([]);
    await backend.inside.mutation(internal.jobs.copies.design, { ...batch, userId: ada.userId });
    expect(await imagesIn(eve, to)).toEqual([]);
    expect(await rows("designImages", "_id", image)).toHaveLength(1);
  });

  it("shows the history of visible items to a viewer without places of trashed ones", async () => {
    const { project, design, image } = await shared("viewer");
    const places = async () => {
      const { page } = await eve.query(api.activities.list, { projectId: project, paginationOpts });
      return page.find(({ kind }) => kind === "uploaded")?.place;
    };
    expect(await places()).toEqual({ designId: design, imageId: image });
    await ada.mutation(api.designImages.moveToTrash, { id: image });
    expect(await places()).toEqual({ designId: design });
  });

  it("shows no names of containers that the reader may not see in the history", async () => {
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

  it("shows nobody's address in history and versions", async () => {
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

  it("deletes memberships with the project and with the member's account", async () => {
    const { project } = await shared("viewer");
    const other = await ada.mutation(api.projects.create, { name: "Other" });
    await add(other, eve, "editor");
    await eve.mutation(api.designs.create, { projectId: other, name: "By eve" });
    await ada.mutation(api.projects.moveToTrash, { id: project });
    await ada.mutation(api.trash.purge, { id: project });
    await backend.settle();
    const memberships = async () => (await rows("projectMembers", "userId", eve.userId)).map(({ projectId }) => projectId);
    expect(await memberships()).toEqual([other]);

    const where = [{ field: "id", operator: "eq" as const, value: eve.userId, connector: "AND" as const, mode: "sensitive" as const }];
    await server.mutation(api.accounts.store.deleteMany, { model: "users", where });
    await backend.settle();
    expect(await memberships()).toEqual([]);
    expect(await ada.query(api.designs.getDesignsByProjectId, { projectId: other })).toMatchObject([{ name: "By eve" }]);
    const { page } = await ada.query(api.activities.list, { projectId: other, paginationOpts });
    expect(page.map(({ actor }) => actor?.name ?? null)).toContain(null);
  });

  it("ends a member's undo steps with the texts of purged items", async () => {
    const { project, design } = await shared("editor");
    await eve.mutation(api.designs.rename, { id: design, name: "Back", step: "name" });
    await ada.mutation(api.designs.moveToTrash, { id: design });
    await ada.mutation(api.trash.purge, { id: design });
    await backend.settle();
    expect(await rows("undoSteps", "userId", eve.userId)).toEqual([]);
    expect(await eve.query(api.projects.getProjectById, { id: project })).toMatchObject({ designCount: 0 });
  });

  it("needs the right to download for a file that is sent as it is", async () => {
    const { image, member } = await shared("viewer");
    const file = (original: boolean) => server.query(api.uploads.getFile, { sessionId: eve.sessionId, imageId: image, original });
    for (const original of [true, false]) expect(await file(original)).toMatchObject({ name: "fig" });
    await remove(member);
    for (const original of [true, false]) expect(await refused(file(original))).toEqual(NOT_FOUND);
  });

  it("refuses another owner's files beyond the quota in the caller's token", async () => {
    const { image, project, design, own, ownDesign } = await shared("viewer");
    const limited = await backend.holder({ subject: eve.userId, audience: "atelier-user", sessionId: eve.sessionId, quota: 1 });
    const copies: (() => Promise<unknown>)[] = [
      () => limited.mutation(api.many.copyImages, { ids: [image], designId: ownDesign }),
      () => limited.mutation(api.many.copyDesigns, { ids: [design], projectId: own }),
      () => limited.mutation(api.projects.duplicate, { id: project }),
    ];
    for (const copy of copies) expect(await refused(copy())).toMatchObject({ code: "limit", left: 1 });
    const step = "over the quota";
    await limited.mutation(api.bulk.start, { kind: "image", ids: [image], action: { type: "copy", to: ownDesign }, step });
    await backend.settle();
    expect(await eve.query(api.bulk.getRecent, {})).toMatchObject([{ done: 0, failed: 1 }]);
    expect(await usageOf(eve)).toMatchObject({ bytes: 0 });
  });
});

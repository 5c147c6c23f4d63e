import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage, addVersion } from "../tests/convex/pictures.ts";
import { copyImageRows, rowsOf, shareProject } from "../tests/convex/shared-project.ts";
import { api, internal } from "./_generated/api";
import { PLANS } from "./model/limits/plans";
import type { MemberRole } from "./model/rights";

const paginationOpts = { cursor: null, numItems: 20 };

describe.each(backends)("copies and storage between owners on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let ada: Person;
  let eve: Person;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());

  const rows = (table: string, field: string, value: string) => rowsOf(backend, table, field, value);
  const copyRows = (id: string, number: number, changes: object) => copyImageRows(backend, id, number, changes);
  const shared = async (role: MemberRole) => {
    const made = await shareProject(backend, role);
    ({ ada, eve } = made);
    return made;
  };
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
  const imagesIn = (person: Person, designId: string) => person.query(api.designImages.getDesignImagesByDesignId, { designId });
  const remove = (id: string) => backend.inside.mutation(probe.remove, { table: "projectMembers", id });

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

  it("reports a copy that stopped for lack of storage to the user who started it", { tags: "@tells-copy-stopped-for-room" }, async () => {
    const { project, design, own } = await shared("editor");
    await backend.inside.mutation(probe.patch, { table: "designs", id: design, fields: { imageCount: 3 } });
    const target = await eve.mutation(api.designs.create, { projectId: own, name: "Without room" });
    const job = { from: design, cursor: null, userId: eve.userId, limits: { isLimited: false, quota: 1 } };
    await backend.inside.mutation(internal.jobs.copies.design, { ...job, to: target, isMove: true });
    await backend.inside.mutation(internal.jobs.copies.design, { ...job, to: target, isMove: true });
    const reason = "You have reached the limit of the plan or storage. 0 of 3 images were copied. The original was not moved.";
    expect(await eve.query(api.bulk.getRecent, {})).toMatchObject([
      { step: "", action: "move", state: "done", total: 2, done: 0, failed: 2, failures: [{ name: "Cover", reason }, { reason }] },
    ]);
    const evesCopy = await eve.mutation(api.designs.create, { projectId: own, name: "Eve's" });
    await addImage(backend, eve, evesCopy, "of eve");
    const into = await ada.mutation(api.designs.create, { projectId: project, name: "Into" });
    await backend.inside.mutation(internal.jobs.copies.design, { ...job, from: evesCopy, to: into });
    const [latest] = await eve.query(api.bulk.getRecent, {});
    expect(latest).toMatchObject({
      action: "copy",
      failures: [{ reason: expect.stringMatching(/^The project's owner has reached the limit/) }],
    });
    expect(await ada.query(api.bulk.getRecent, {})).toEqual([]);
    await eve.mutation(api.bulk.dismiss, { id: latest?._id ?? "" });
    expect((await eve.query(api.bulk.getRecent, {})).map(({ action }) => action)).toEqual(["move"]);
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

  it("does not reveal the owner's usage to an editor", async () => {
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

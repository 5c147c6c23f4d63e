import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { PLANS } from "./model/limits/plans";
import { BULK_IDS_MAX } from "./model/rules";

describe.each(backends)("bulk jobs on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  let projectId: Id<"projects">;
  let front: Id<"designs">;
  let back: Id<"designs">;
  let steps = 0;
  beforeAll(async () => void (backend = await start()));
  afterAll(() => backend.close());
  beforeEach(async () => {
    ada = await signUp(backend, "ada");
    projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    front = await ada.mutation(api.designs.create, { projectId, name: "Front" });
    back = await ada.mutation(api.designs.create, { projectId, name: "Back" });
  });

  async function fill(designId: Id<"designs">, many: number): Promise<string[]> {
    const { id } = await addImage(backend, ada, designId, "0");
    await backend.settle();
    const { _id, _creationTime, orderKey: _key, ...row } = (await backend.inside.query(probe.row, { table: "designImages", id })) ?? {};
    const rows = Array.from({ length: many - 1 }, (_, each) => ({ ...row, name: String(each + 1), uploadId: `${id} ${each}` }));
    await backend.inside.mutation(probe.insertMany, { table: "designImages", rows });
    await backend.inside.mutation(probe.patch, { table: "designs", id: designId, fields: { imageCount: many } });
    const stored = await backend.inside.query(probe.rows, { table: "designImages", field: "designId", value: designId });
    return stored.map((each) => String(each["_id"]));
  }
  const countOf = async (id: Id<"designs">) => (await ada.query(api.designs.getDesignById, { id })).imageCount;
  const job = async () => (await ada.query(api.bulk.getRecent, {}))[0];
  const newStep = () => `step ${steps++}`;
  const all = (id: string) => ({ kind: "image" as const, place: { kind: "design" as const, id }, ids: [] as string[] });

  it("moves all images but the excluded ones in order, with undo and redo", async () => {
    const ids = await fill(front, 250);
    const [excluded = ""] = ids;
    const step = newStep();
    await ada.mutation(api.bulk.start, { ...all(front), ids: [excluded], action: { type: "move", to: back }, step });
    expect(await job()).toMatchObject({ total: 249, failed: 0 });
    await backend.settle();
    expect(await job()).toMatchObject({ state: "done", phase: "do", done: 249, failed: 0, failures: [] });
    expect([await countOf(front), await countOf(back)]).toEqual([1, 249]);
    const moved = await ada.query(api.designImages.getDesignImagesByDesignId, { designId: back });
    expect(moved.slice(0, 200).map(({ name }) => name)).toEqual(Array.from({ length: 200 }, (_, each) => String(each + 1)));

    await ada.mutation(api.undo.revert, { step });
    await backend.settle();
    expect(await job()).toMatchObject({ state: "done", phase: "undo", done: 249 });
    expect([await countOf(front), await countOf(back)]).toEqual([250, 0]);
    await ada.mutation(api.undo.revert, { step });
    await backend.settle();
    expect(await job()).toMatchObject({ state: "done", phase: "redo", done: 249 });
    expect([await countOf(front), await countOf(back)]).toEqual([1, 249]);
  });

  it("copies, tags and trashes all images of a project, without the copies it makes", async () => {
    await fill(front, 120);
    await fill(back, 30);
    const place = { kind: "project" as const, id: projectId };
    const start = async (action: Parameters<typeof ada.mutation<typeof api.bulk.start>>[1]["action"]) => {
      await ada.mutation(api.bulk.start, { kind: "image", place, ids: [], action, step: newStep() });
      await backend.settle();
      return job();
    };
    await backend.inside.mutation(probe.patch, { table: "projects", id: projectId, fields: { imageCount: 150 } });
    expect(await start({ type: "tag", tag: "poster, final" })).toMatchObject({ done: 150, failed: 0 });
    expect((await ada.query(api.search.find, { text: "", tag: "final", kind: "image" })).images).toHaveLength(50);
    expect(await start({ type: "copy", to: back })).toMatchObject({ done: 150, failed: 0 });
    expect([await countOf(front), await countOf(back)]).toEqual([120, 180]);
    expect(await start({ type: "untag", tag: "poster" })).toMatchObject({ done: 300 });
    expect(await ada.query(api.tags.getTags, {})).toEqual(["final"]);
    expect(await start({ type: "trash" })).toMatchObject({ done: 300 });
    expect([await countOf(front), await countOf(back)]).toEqual([0, 0]);
  });

  it("lists the items that could not be changed and changes the others", async () => {
    const ids = await fill(front, 12);
    const bob = await signUp(backend, "bob");
    const bobs = await bob.mutation(api.projects.create, { name: "his" });
    const his = await addImage(backend, bob, await bob.mutation(api.designs.create, { projectId: bobs, name: "his" }), "his.png");
    const twenty = Array.from({ length: 20 }, (_, each) => `t${each}`).join(",");
    await ada.mutation(api.tags.tagImage, { id: ids[5] ?? "", tag: twenty });
    const kind = "image";
    const step = newStep();
    await ada.mutation(api.bulk.start, { kind, ids: [...ids, his.id], action: { type: "tag", tag: "more" }, step });
    await backend.settle();
    const found = await job();
    expect(found).toMatchObject({ state: "done", total: 13, done: 11, failed: 2 });
    expect(found?.failures).toEqual([
      { id: ids[5], name: "5", reason: expect.stringContaining("at most 20 tags") },
      { id: his.id, name: null, reason: "It may have been deleted." },
    ]);
    expect((await ada.query(api.search.find, { text: "", tag: "more", kind: "image" })).images).toHaveLength(11);

    await ada.mutation(api.tags.tagImage, { id: ids[3] ?? "", tag: "since" });
    await ada.mutation(api.undo.revert, { step });
    await backend.settle();
    expect(await job()).toMatchObject({ phase: "undo", done: 10, failed: 1, failures: [{ id: ids[3], name: "3" }] });
  });

  it("undoes the items that can be reverted, then redoes only those", { tags: "@bulk-undo-per-item" }, async () => {
    const ids = [...(await fill(front, 3)), ...(await fill(back, 4))];
    const target = await ada.mutation(api.designs.create, { projectId, name: "Target" });
    const step = newStep();
    await ada.mutation(api.bulk.start, { kind: "image", ids, action: { type: "move", to: target }, step });
    await backend.settle();
    await ada.mutation(api.designs.moveToTrash, { id: front });
    const revert = async () => {
      await ada.mutation(api.undo.revert, { step });
      await backend.settle();
      return job();
    };
    expect(await revert()).toMatchObject({ state: "done", phase: "undo", total: 7, done: 4, failed: 3 });
    expect([await countOf(back), await countOf(target)]).toEqual([4, 3]);
    await ada.mutation(api.trash.restore, { id: front });
    expect(await revert()).toMatchObject({ state: "done", phase: "redo", total: 4, done: 4, failed: 0 });
    expect([await countOf(front), await countOf(back), await countOf(target)]).toEqual([0, 0, 7]);
    expect(await revert()).toMatchObject({ state: "done", phase: "undo", total: 7, done: 7, failed: 0 });
    expect([await countOf(front), await countOf(back), await countOf(target)]).toEqual([3, 4, 0]);
  });

  it("counts each image once when a project moves into its own design", { tags: "@bulk-move-within" }, async () => {
    await fill(front, 100);
    await fill(back, 3);
    await backend.inside.mutation(probe.patch, { table: "projects", id: projectId, fields: { imageCount: 103 } });
    const place = { kind: "project" as const, id: projectId };
    await ada.mutation(api.bulk.start, { kind: "image", place, ids: [], action: { type: "move", to: back }, step: newStep() });
    await backend.settle();
    expect(await job()).toMatchObject({ state: "done", total: 103, done: 103, failed: 0 });
    expect([await countOf(front), await countOf(back)]).toEqual([0, 103]);
  });

  it("copies each image once, in the order at its start, despite reordering", { tags: "@bulk-order" }, async () => {
    const ids = await fill(front, 250);
    const order = ids.slice(1).concat(ids.slice(0, 1));
    const pairs = [1, 2].map(() => ({ ownerId: ada.userId, key: "pair", label: "pair", uses: 0 }));
    await backend.inside.mutation(probe.insertMany, { table: "tags", rows: pairs });
    await backend.inside.mutation(probe.patch, { table: "designImages", id: order[120] ?? "", fields: { tags: ["pair"] } });
    const id = await ada.mutation(api.bulk.start, { ...all(front), action: { type: "copy", to: back }, step: newStep() });
    await backend.settle();
    expect(await job()).toMatchObject({ state: "cancelled", done: 100 });
    await ada.mutation(api.designImages.reorder, { id: order[140] ?? "", to: "first" });
    const [pair] = await backend.inside.query(probe.rows, { table: "tags", field: "key", value: "pair" });
    await backend.inside.mutation(probe.remove, { table: "tags", id: String(pair?.["_id"]) });
    await ada.mutation(api.bulk.resume, { id });
    await backend.settle();
    expect(await job()).toMatchObject({ state: "done", done: 250, failed: 0 });
    const copies = await backend.inside.query(probe.rows, { table: "designImages", field: "designId", value: back });
    const sorted = copies.toSorted((a, b) => (String(a["orderKey"]) < String(b["orderKey"]) ? -1 : 1));
    expect(sorted.map(({ name }) => name)).toEqual([...Array.from({ length: 249 }, (_, each) => String(each + 1)), "0"]);
  });

  describe("jobs of an earlier build", () => {
    const change = (id: string, fields: object) => backend.inside.mutation(probe.patch, { table: "bulkJobs", id, fields });

    it("do not list items again that are already listed", async () => {
      const ids = await fill(front, 6);
      const id = await ada.mutation(api.bulk.start, { ...all(front), action: { type: "copy", to: back }, step: newStep() });
      await backend.settle();
      await change(id, { state: "cancelled", cursor: null, waiting: [ids], isListed: false, done: 0 });
      await ada.mutation(api.bulk.resume, { id });
      await backend.settle();
      expect([await job(), await countOf(back)]).toMatchObject([{ state: "done", done: 6, total: 6 }, 12]);
    });

    it("redo only the parts that were undone", async () => {
      await fill(front, 250);
      const step = newStep();
      const id = await ada.mutation(api.bulk.start, { ...all(front), action: { type: "move", to: back }, step });
      await backend.settle();
      const rows = await backend.inside.query(probe.rows, { table: "undoSteps", field: "userId", value: ada.userId });
      for (const { _id, _creationTime, isUndone: _, ...row } of rows) {
        await backend.inside.mutation(probe.remove, { table: "undoSteps", id: String(_id) });
        await backend.inside.mutation(probe.insert, { table: "undoSteps", row });
      }
      await change(id, { phase: "undo", state: "cancelled", part: 2 });
      await ada.mutation(api.undo.revert, { step });
      await backend.settle();
      expect([await countOf(front), await countOf(back)]).toEqual([0, 250]);
    });
  });

  it("stops a job whose batch exceeds a transaction's limits, and resumes it", { tags: ["@bulk-limits", "slow"] }, async () => {
    const ids = await fill(front, 40);
    const caption = "x".repeat(450_000);
    for (const id of ids) await backend.inside.mutation(probe.patch, { table: "designImages", id, fields: { caption } });
    const start = { ...all(front), action: { type: "tag" as const, tag: "more" }, step: newStep() };
    const id = await ada.mutation(api.bulk.start, start);
    const states = [];
    do {
      await backend.settle();
      states.push((await job())?.state);
      await ada.mutation(api.bulk.resume, { id });
    } while (states.at(-1) === "cancelled" && states.length < 5);
    expect(states).toEqual(["cancelled", "cancelled", "done"]);
    expect(await job()).toMatchObject({ total: 40, done: 40, failed: 0 });
    await ada.mutation(api.bulk.dismiss, { id });
    expect(await job()).toBeUndefined();
    for (const each of ids) await backend.inside.mutation(probe.remove, { table: "designImages", id: each });
  });

  it("ends a job whose items are all refused", async () => {
    const ids = await fill(front, 100);
    const tags = Array.from({ length: 20 }, (_, each) => `t${each}`);
    const caption = "x".repeat(14_000);
    for (const id of ids) await backend.inside.mutation(probe.patch, { table: "designImages", id, fields: { tags, caption } });
    await ada.mutation(api.bulk.start, { ...all(front), action: { type: "tag", tag: "more" }, step: newStep() });
    await backend.settle();
    expect(await job()).toMatchObject({ state: "done", done: 0, failed: 100 });
  });

  it("copies as many images as the plan allows", async () => {
    await fill(front, 30);
    const [usage] = await backend.inside.query(probe.rows, { table: "usage", field: "ownerId", value: ada.userId });
    const fields = { images: PLANS.free.limits.images - 10 };
    await backend.inside.mutation(probe.patch, { table: "usage", id: String(usage?.["_id"]), fields });
    const { userId: subject, sessionId } = ada;
    const limited = await backend.holder({ subject, audience: "atelier-user", sessionId, limited: true });
    await limited.mutation(api.bulk.start, { ...all(front), action: { type: "copy", to: back }, step: newStep() });
    await backend.settle();
    expect(await job()).toMatchObject({ state: "done", done: 10, failed: 20 });
    expect(await countOf(back)).toBe(10);
  });

  it("stops at an unexpected error and can be resumed", async () => {
    await fill(front, 2);
    const twins = [1, 2].map(() => ({ ownerId: ada.userId, key: "twin", label: "twin", uses: 0 }));
    await backend.inside.mutation(probe.insertMany, { table: "tags", rows: twins });
    const id = await ada.mutation(api.bulk.start, { ...all(front), action: { type: "tag", tag: "twin" }, step: newStep() });
    await backend.settle();
    expect(await job()).toMatchObject({ state: "cancelled", done: 0, failed: 0, failures: [] });
    const [twin] = await backend.inside.query(probe.rows, { table: "tags", field: "key", value: "twin" });
    await backend.inside.mutation(probe.remove, { table: "tags", id: String(twin?.["_id"]) });
    await ada.mutation(api.bulk.resume, { id });
    await backend.settle();
    expect(await job()).toMatchObject({ state: "done", done: 2, failed: 0 });
  });

  it("can be cancelled and resumed, and ends when its project or design is deleted", async () => {
    await fill(front, 150);
    const id = await ada.mutation(api.bulk.start, { ...all(front), action: { type: "tag", tag: "kept" }, step: newStep() });
    await backend.settle();
    const [row] = await backend.inside.query(probe.rows, { table: "bulkJobs", field: "_id", value: id });
    await backend.inside.mutation(probe.patch, { table: "bulkJobs", id, fields: { state: "running", done: 0, cursor: null, parts: 0 } });
    await ada.mutation(api.bulk.cancel, { id });
    await backend.inside.mutation(internal.jobs.bulk.run, { id, run: Number(row?.["run"]) });
    await backend.settle();
    expect(await job()).toMatchObject({ state: "cancelled", done: 0 });
    await ada.mutation(api.bulk.resume, { id });
    await backend.settle();
    expect(await job()).toMatchObject({ state: "done", done: 150 });
    await ada.mutation(api.bulk.dismiss, { id });
    expect(await job()).toBeUndefined();

    await fill(back, 3);
    const other = await ada.mutation(api.bulk.start, { ...all(back), action: { type: "tag", tag: "late" }, step: newStep() });
    await backend.settle();
    await backend.inside.mutation(probe.patch, { table: "bulkJobs", id: other, fields: { state: "cancelled", done: 0, cursor: null } });
    await ada.mutation(api.designs.moveToTrash, { id: back });
    await ada.mutation(api.bulk.resume, { id: other });
    await backend.settle();
    expect(await job()).toMatchObject({
      state: "done",
      done: 0,
      failed: 3,
      failures: [{ name: null, reason: expect.stringContaining("The design") }],
    });
  });

  it("refuses foreign sources, targets and jobs, and too many ids", async () => {
    const bob = await signUp(backend, "bob");
    const ids = await fill(front, 2);
    const step = newStep();
    const action = { type: "trash" as const };
    expect(await refused(bob.mutation(api.bulk.start, { ...all(front), action, step }))).toEqual({ code: "not_found" });
    const theirs = await bob.mutation(api.projects.create, { name: "his" });
    const design = await bob.mutation(api.designs.create, { projectId: theirs, name: "his" });
    expect(await refused(ada.mutation(api.bulk.start, { ...all(front), action: { type: "move", to: design }, step }))).toEqual({
      code: "not_found",
    });
    const many = Array.from({ length: BULK_IDS_MAX + 1 }, (_, each) => String(each));
    expect(await refused(ada.mutation(api.bulk.start, { kind: "image", ids: many, action, step }))).toMatchObject({
      code: "invalid",
    });
    expect(await refused(ada.mutation(api.bulk.start, { ...all(front), ids, action, step }))).toMatchObject({ code: "invalid" });
    const id = await ada.mutation(api.bulk.start, { ...all(front), action, step });
    for (const call of [api.bulk.cancel, api.bulk.resume, api.bulk.dismiss])
      expect(await refused(bob.mutation(call, { id }))).toEqual({ code: "not_found" });
    await backend.settle();
  });

  it("refuses an eleventh running job of a person", { tags: "@bulk-running-limit" }, async () => {
    await fill(front, 2);
    const action = { type: "trash" as const };
    const selectionId = await backend.inside.mutation(probe.insert, {
      table: "bulkSelections",
      row: { userId: ada.userId, at: 0, kind: "image", ids: [], until: 0 },
    });
    const counts = { run: 0, parts: 0, part: 0, total: 1, done: 0, failed: 0 };
    const row = {
      userId: ada.userId,
      at: 0,
      selectionId,
      kind: "image",
      action,
      isLimited: false,
      state: "running",
      phase: "do",
      ...counts,
    };
    const rows = Array.from({ length: 10 }, (_, each) => ({
      ...row,
      step: `running ${each}`,
      cursor: null,
      failures: [],
      isDismissed: false,
    }));
    await backend.inside.mutation(probe.insertMany, { table: "bulkJobs", rows });
    const started = () => ada.mutation(api.bulk.start, { ...all(front), action, step: newStep() });
    expect(await refused(started())).toMatchObject({ code: "limit", message: expect.stringContaining("At most 10 bulk actions") });
    const cancelled = { ...row, step: "cancelled", state: "cancelled", cursor: null, failures: [], isDismissed: false };
    const id = await backend.inside.mutation(probe.insert, { table: "bulkJobs", row: cancelled });
    expect(await refused(ada.mutation(api.bulk.resume, { id }))).toMatchObject({ code: "limit" });
    const finished = { ...row, step: "finished", state: "done", parts: 1, done: 1, cursor: null, failures: [], isDismissed: false };
    await backend.inside.mutation(probe.insert, { table: "bulkJobs", row: finished });
    expect(await refused(ada.mutation(api.undo.revert, { step: "finished" }))).toMatchObject({ code: "limit" });
    const [first] = await backend.inside.query(probe.rows, { table: "bulkJobs", field: "userId", value: ada.userId });
    await backend.inside.mutation(probe.patch, { table: "bulkJobs", id: String(first?.["_id"]), fields: { state: "done" } });
    await started();
    await backend.settle();
  });

  it("reads a selection page by page for the archive", async () => {
    const ids = await fill(front, 120);
    const server = await appServer(backend);
    const { sessionId } = ada;
    const selection = { kind: "image" as const, place: { kind: "design" as const, id: front }, ids: ids.slice(0, 1), until: Date.now() };
    const first = await server.query(api.accounts.belongings.selected, { sessionId, ...selection, cursor: null });
    const second = await server.query(api.accounts.belongings.selected, { sessionId, ...selection, cursor: first.continueCursor });
    expect([first.page.length, first.isDone, second.page.length, second.isDone]).toEqual([100, false, 19, true]);
  });
});

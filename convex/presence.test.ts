import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage } from "../tests/convex/pictures.ts";
import { addMember, rowsOf, shareProject } from "../tests/convex/shared-project.ts";
import { equals } from "../tests/convex/equals.ts";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";
import { EXPIRES_MS } from "./model/presence/presence";

const { presence } = api;
const TABLES = ["presence", "presenceBeats", "presencePointers"];
const viewport = { x: 0, y: 0, width: 1, height: 0.5 };

describe.each(backends)("presence on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let ada: Person;
  let eve: Person;
  let project: Id<"projects">;
  let design: Id<"designs">;
  let image: Id<"designImages">;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    ({ ada, eve, project, design, image } = await shareProject(backend, "viewer"));
  });

  const state = { isAway: false, isWatching: false, isNew: false };
  const update = (person: Person, tab: string, itemId: string, more: Partial<typeof state> = {}) =>
    person.mutation(presence.update, { tab, itemId, ...state, ...more });
  async function join(person: Person, itemId: string = design): Promise<string> {
    const tab = randomUUID();
    expect(await update(person, tab, itemId, { isNew: true })).toBe(true);
    return tab;
  }
  const list = (person: Person, designId: string = design) => person.query(presence.list, { designId });
  const names = async (person: Person) => (await list(person))?.map(({ name }) => name);
  const setPointer = (person: Person, tab: string, more: object = {}) =>
    person.mutation(presence.setPointer, { tab, imageId: image, pointer: { x: 0.25, y: 0.5 }, viewport, ...more });
  const pointers = (person: Person) => person.query(presence.listPointers, { imageId: image });
  async function countRows(designId: string = design): Promise<number> {
    const present = await rowsOf(backend, "presence", "designId", designId);
    const rows = await Promise.all(present.map(({ _id }) => rowsOf(backend, "presencePointers", "presenceId", String(_id))));
    return present.length + rows.flat().length + (await rowsOf(backend, "presenceBeats", "designId", designId)).length;
  }
  async function age(tab: string, ms: number): Promise<void> {
    const [row] = await rowsOf(backend, "presence", "tab", tab);
    const [beat] = await rowsOf(backend, "presenceBeats", "presenceId", String(row?.["_id"]));
    const fields = { seenAt: Number(beat?.["seenAt"]) - ms };
    await backend.inside.mutation(probe.patch, { table: "presenceBeats", id: String(beat?.["_id"]), fields });
  }
  const sweep = () => backend.inside.mutation(internal.jobs.presence.sweep, { designId: design });

  it("shows who has a design open, which image, and who is away", async () => {
    const tab = await join(eve);
    expect(await list(ada)).toEqual([
      { _id: expect.any(String), userId: eve.userId, name: "eve", isAway: false, isWatching: false, isMe: false },
    ]);
    await update(eve, tab, image, { isWatching: true });
    expect(await list(ada)).toMatchObject([{ imageId: image, isWatching: true }]);
    await update(eve, tab, design, { isAway: true });
    const [away] = (await list(ada)) ?? [];
    expect(away).toMatchObject({ isAway: true, isWatching: false });
    expect(away).not.toHaveProperty("imageId");
    await join(ada);
    expect(await names(eve)).toEqual(["eve", "ada"]);
    expect(JSON.stringify(await list(ada))).not.toContain(tab);
  });

  it("returns null until the project has a member", async () => {
    const own = await ada.mutation(api.projects.create, { name: "Alone" });
    const designId = await ada.mutation(api.designs.create, { projectId: own, name: "Cover" });
    expect(await list(ada, designId)).toBeNull();
    await addMember(backend, own, eve, "viewer");
    expect(await list(ada, designId)).toEqual([]);
  });

  it("does not recreate the row for a late call of a closed tab", async () => {
    const tab = await join(eve);
    await eve.mutation(presence.leave, { tab });
    expect(await update(eve, tab, design, { isAway: true })).toBe(false);
    expect(await list(ada)).toEqual([]);
    const closed = await join(eve);
    await server.mutation(presence.end, { tab: closed });
    expect([await update(eve, closed, design), await countRows()]).toEqual([false, 0]);
  });

  it("refuses to change or remove the tab of another person", async () => {
    const tab = await join(eve);
    expect(await update(ada, tab, image, { isNew: true })).toBe(false);
    expect(await refused(ada.mutation(presence.leave, { tab }))).toEqual({ code: "not_found" });
    await setPointer(ada, tab);
    expect([await names(ada), await pointers(ada)]).toEqual([["eve"], []]);
    expect(await refused(update(eve, "short", design, { isNew: true }))).toMatchObject({ code: "invalid" });
  });

  it("shows the pointer and the viewport until the tab leaves the image", async () => {
    const tab = await join(eve, image);
    await setPointer(eve, tab);
    const [{ _id: presenceId } = { _id: "" }] = (await list(ada)) ?? [];
    expect(await pointers(ada)).toEqual([{ presenceId, pointer: { x: 0.25, y: 0.5 }, viewport }]);
    await setPointer(eve, tab, { pointer: undefined });
    expect(await pointers(ada)).toEqual([{ presenceId, viewport }]);
    expect(await refused(setPointer(eve, tab, { pointer: { x: 2, y: 0 } }))).toMatchObject({ code: "invalid" });
    await update(eve, tab, design);
    expect(await pointers(ada)).toEqual([]);
    await setPointer(eve, tab);
    expect(await pointers(ada)).toEqual([]);
  });

  it("shows at most 20 tabs of a person", async () => {
    const tabs = [];
    for (let each = 0; each < 20; each++) tabs.push(await join(eve));
    expect(await refused(update(eve, randomUUID(), design, { isNew: true }))).toMatchObject({ code: "limit" });
    await eve.mutation(presence.leave, { tab: tabs[0] ?? "" });
    await join(eve);
  });

  it("removes only the rows of the project that a member loses", async () => {
    const other = await ada.mutation(api.projects.create, { name: "Other" });
    await addMember(backend, other, eve, "viewer");
    const otherDesign = await ada.mutation(api.designs.create, { projectId: other, name: "Other" });
    const tab = await join(eve, image);
    await setPointer(eve, tab);
    await join(eve, otherDesign);
    await ada.mutation(api.members.remove, { projectId: project, userId: eve.userId });
    expect([await countRows(), await list(ada, otherDesign)]).toEqual([0, [expect.objectContaining({ name: "eve" })]]);
    expect(await refused(update(eve, tab, image))).toEqual({ code: "not_found" });
  });

  it("removes all rows with a design, and the pointers with an image", { tags: "@presence-of-purged-items" }, async () => {
    const { id } = await addImage(backend, ada, design, "other");
    const tab = await join(eve, id);
    await setPointer(eve, tab, { imageId: id });
    await ada.mutation(api.designImages.moveToTrash, { id });
    await ada.mutation(api.trash.purge, { id });
    const [row] = (await list(ada)) ?? [];
    expect([row?.imageId, await rowsOf(backend, "presencePointers", "imageId", id)]).toEqual([undefined, []]);
    await ada.mutation(api.designs.moveToTrash, { id: design });
    await ada.mutation(api.trash.purge, { id: design });
    await vi.waitFor(async () => expect(await countRows()).toBe(0));
  });

  it("removes the rows of a deleted account", async () => {
    const tab = await join(eve, image);
    await setPointer(eve, tab);
    const where = [equals("id", eve.userId)];
    await server.mutation(api.accounts.store.deleteMany, { model: "users", where });
    await vi.waitFor(async () => expect(await countRows()).toBe(0));
  });

  it("sweeps rows that were not renewed, and ends when none is left", async () => {
    const [crashed, open] = [await join(eve, image), await join(ada)];
    await setPointer(eve, crashed);
    await age(crashed, EXPIRES_MS);
    await sweep();
    expect(await names(ada)).toEqual(["ada"]);
    const sweeps = () => rowsOf(backend, "presenceSweeps", "designId", design);
    expect([await pointers(ada), (await sweeps()).length]).toEqual([[], 1]);
    await age(open, EXPIRES_MS);
    await sweep();
    expect([await countRows(), await sweeps()]).toEqual([0, []]);
    expect(await update(ada, open, design)).toBe(false);
  });

  it("sweeps the design that a tab moved to", async () => {
    const tab = await join(eve);
    const second = await ada.mutation(api.designs.create, { projectId: project, name: "Second" });
    await update(eve, tab, second);
    expect([await list(ada), (await list(ada, second))?.length]).toEqual([[], 1]);
    expect(await rowsOf(backend, "presenceSweeps", "designId", second)).toHaveLength(1);
    await sweep();
    expect([await rowsOf(backend, "presenceSweeps", "designId", design), await countRows(second)]).toEqual([[], 2]);
  });

  it("repeats a sweep that was lost", { tags: "@lost-sweep-of-presence" }, async () => {
    await age(await join(eve), 2 * 60 * 60 * 1000);
    await backend.inside.mutation(internal.jobs.presence.resume, {});
    await vi.waitFor(async () => expect(await countRows()).toBe(0));
  });

  it("keeps no row of presence when everyone has left", async () => {
    const tabs = [await join(eve, image), await join(ada, image)] as const;
    await setPointer(eve, tabs[0]);
    await setPointer(ada, tabs[1]);
    await eve.mutation(presence.leave, { tab: tabs[0] });
    await ada.mutation(presence.leave, { tab: tabs[1] });
    await sweep();
    expect([await countRows(), await rowsOf(backend, "presenceSweeps", "designId", design)]).toEqual([0, []]);
  });

  it("stores no names", async () => {
    const bea = await signUp(backend, "Beatrice");
    await addMember(backend, project, bea, "viewer");
    await setPointer(bea, await join(bea, image));
    const rows = await Promise.all(TABLES.map((table) => backend.inside.query(probe.rows, { table })));
    const texts = JSON.stringify(rows).replaceAll(bea.userId, "");
    expect(texts).not.toContain("Beatrice");
  });
});

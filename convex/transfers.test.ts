import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addImage, addVersion } from "../tests/convex/pictures.ts";
import { addMember, copyImageRows, rowsOf, shareProject } from "../tests/convex/shared-project.ts";
import { equals } from "../tests/convex/equals.ts";
import { api, internal } from "./_generated/api";
import type { Id } from "./_generated/dataModel";

const NOT_FOUND = { code: "not_found" };
const DAY = 24 * 60 * 60 * 1000;
const paginationOpts = { cursor: null, numItems: 50 };

describe.each(backends)("transfers of projects on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let ada: Person;
  let eve: Person;
  let project: Id<"projects">;
  let design: Id<"designs">;
  let image: Id<"designImages">;
  let own: Id<"projects">;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    ({ ada, eve, project, design, image, own } = await shareProject(backend, "viewer"));
  });

  const rows = (table: string, field: string, value: string) => rowsOf(backend, table, field, value);
  const patch = (table: string, id: string, fields: object) => backend.inside.mutation(probe.patch, { table, id, fields });
  const offer = (to = eve, { sessionId } = ada) =>
    server.mutation(api.transfers.offer, { sessionId, projectId: project, userId: to.userId });
  const offered = async (person = eve) =>
    (await person.query(api.transfers.listOffered, {})).filter(({ projectId }) => projectId === project);
  const accept = async (person = eve) => person.mutation(api.transfers.accept, { transferId: (await offered())[0]?._id ?? "" });
  const stateFor = async (person: Person) => (await person.query(api.transfers.get, { projectId: project })).transfer?.state ?? null;
  const give = async () => {
    await offer();
    await accept();
    await backend.settle();
  };
  const ownerOf = async (table: string, id: string) => (await rows(table, "_id", id))[0]?.["ownerId"];
  const holderWithQuota = (quota: number, { userId, sessionId } = eve) =>
    backend.holder({ subject: userId, audience: "atelier-user", sessionId, quota });

  async function expectCounted(...people: Person[]) {
    await backend.settle();
    for (const person of people) {
      const usage = await person.query(api.usage.getUsage, {});
      const ofPerson = (table: string) => rows(table, "ownerId", person.userId);
      const [images, versions, projects] = await Promise.all([ofPerson("designImages"), ofPerson("imageVersions"), ofPerson("projects")]);
      const files = new Map([...images, ...versions].map(({ storageId, size }) => [storageId, Number(size)]));
      const shown = projects.filter(({ removedAt }) => removedAt === undefined);
      const sum = (field: string) => shown.reduce((total, row) => total + Number(row[field]), 0);
      expect(usage).toEqual({
        projects: shown.length,
        designs: sum("designCount"),
        images: sum("imageCount"),
        bytes: [...files.values()].reduce((total, size) => total + size, 0),
      });
    }
  }

  it("give the project to a member at once, and make its former owner an editor", async () => {
    await offer();
    expect(await offered()).toMatchObject([{ project: "Shared", owner: "ada" }]);
    expect(await eve.query(api.notices.getUnreadCount, {})).toBe(1);
    await accept();
    const roleOf = async (person: Person) => (await person.query(api.projects.getProjectById, { id: project })).role ?? "owner";
    expect([await roleOf(ada), await roleOf(eve)]).toEqual(["editor", "owner"]);
    expect(await refused(ada.mutation(api.projects.moveToTrash, { id: project }))).toEqual(NOT_FOUND);
    expect(await eve.query(api.notices.getUnreadCount, {})).toBe(0);
    await backend.settle();
    for (const [table, id] of [
      ["projects", project],
      ["designs", design],
      ["designImages", image],
    ] as const)
      expect(await ownerOf(table, id), table).toBe(eve.userId);
    const history = await rows("activities", "projectId", project);
    expect(new Set(history.map(({ ownerId }) => ownerId))).toEqual(new Set([eve.userId]));
    expect((await ada.query(api.activities.list, { projectId: project, paginationOpts })).page[0]).toMatchObject({
      kind: "moved",
      actor: { name: "eve" },
      transfer: { from: "ada", to: "eve" },
    });
    expect(await stateFor(eve)).toBeNull();
    expect((await eve.query(api.members.list, { projectId: project, paginationOpts })).page).toMatchObject([
      { name: "ada", role: "editor" },
    ]);
  });

  it("move storage to the new owner once, with versions, copies and the trash", async () => {
    await addVersion(backend, ada, image, "second");
    await ada.mutation(api.designImages.duplicate, { id: image });
    const trashed = (await addImage(backend, ada, design, "trashed")).id;
    await ada.mutation(api.designImages.moveToTrash, { id: trashed });
    const trashedDesign = await ada.mutation(api.designs.create, { projectId: project, name: "Trashed" });
    await addImage(backend, ada, trashedDesign, "inside");
    await ada.mutation(api.designs.moveToTrash, { id: trashedDesign });
    const elsewhere = await ada.mutation(api.projects.create, { name: "Ada's" });
    const other = await ada.mutation(api.designs.create, { projectId: elsewhere, name: "Other" });
    await ada.mutation(api.many.copyImages, { ids: [image], designId: other });
    const evesDesign = await eve.mutation(api.designs.create, { projectId: own, name: "Copies" });
    await eve.mutation(api.many.copyImages, { ids: [image], designId: evesDesign });
    await expectCounted(ada, eve);
    await give();
    await expectCounted(ada, eve);
    expect(await ownerOf("designImages", trashed)).toBe(eve.userId);
    const { images, designs } = await eve.query(api.trash.getTrash, {});
    expect([images.map(({ name }) => name), designs.map(({ name }) => name)]).toEqual([["trashed"], ["Trashed"]]);
    expect((await ada.query(api.trash.getTrash, {})).images).toEqual([]);
    await eve.mutation(api.trash.empty, {});
    await expectCounted(ada, eve);
    const id = await backend.inside.mutation(probe.insert, {
      table: "transfers",
      row: { projectId: project, fromId: ada.userId, toId: eve.userId, state: "moving", run: 5, createdAt: 0, expiresAt: 0 },
    });
    await backend.inside.mutation(internal.jobs.transfers.move, { id: id as Id<"transfers">, run: 5 });
    await expectCounted(ada, eve);
  });

  it("keep favourites, authors, tags, links and invitations", async () => {
    await ada.mutation(api.projects.setFavourite, { id: project, favourite: true });
    await ada.mutation(api.tags.tagImage, { id: image, tag: "Poster" });
    await ada.mutation(api.tags.tagDesign, { id: design, tag: "Poster" });
    const tokenHash = `invitation ${project}`;
    const invitation = { email: "x@example.com", role: "viewer" as const, tokenHash, isMailed: false };
    await server.mutation(api.invitations.invite, { sessionId: ada.sessionId, projectId: project, ...invitation });
    const link = { name: "Link", downloads: false, expiresAt: null, passwordHash: null, sealedToken: "x", tokenHash: `link ${project}` };
    await server.mutation(api.links.create, { sessionId: ada.sessionId, itemId: project, ...link });
    await give();
    const favourite = async (person: Person) => (await person.query(api.projects.getProjectById, { id: project })).favourite;
    expect([await favourite(ada), await favourite(eve)]).toEqual([true, false]);
    expect((await rows("designImages", "_id", image))[0]).toMatchObject({ authorId: ada.userId });
    expect([await ada.query(api.tags.getTags, {}), await eve.query(api.tags.getTags, {})]).toMatchObject([[], ["Poster"]]);
    const { images } = await eve.query(api.search.find, { text: "", tag: "poster" });
    expect(images.map(({ _id }) => _id)).toEqual([image]);
    expect(await server.query(api.invitations.find, { tokenHash })).toMatchObject({ owner: "eve" });
    expect(await eve.query(api.links.list, { projectId: project, paginationOpts })).toMatchObject({ page: [{ name: "Link" }] });
    expect((await eve.query(api.projects.getProjects, { sort: "manual" })).map(({ name }) => name)).toEqual(["Eve's", "Shared"]);
    expect((await ada.query(api.members.listSharedProjects, { paginationOpts })).page).toMatchObject([{ name: "Shared", role: "editor" }]);
  });

  it("are offered by the owner to members only, one at a time", async () => {
    const bob = await signUp(backend, "bob");
    expect(await refused(offer(bob))).toMatchObject({ fieldErrors: { userId: [expect.any(String)] } });
    expect(await refused(offer(ada, eve))).toEqual(NOT_FOUND);
    await addMember(backend, project, bob, "editor");
    await offer();
    expect(await refused(offer(bob))).toMatchObject({ code: "conflict" });
    expect([await stateFor(ada), await stateFor(eve), await stateFor(bob)]).toEqual(["offered", "offered", null]);
    expect(await refused(accept(bob))).toEqual(NOT_FOUND);
    await ada.mutation(api.transfers.cancel, { projectId: project });
    expect(await offered()).toEqual([]);
    await offer(bob);
    expect(await offered(bob)).toHaveLength(1);
  });

  it("accept only one of two concurrent offers or answers", async () => {
    const bob = await signUp(backend, "bob");
    await addMember(backend, project, bob, "viewer");
    const won = async (calls: Promise<unknown>[]) =>
      (await Promise.allSettled(calls)).filter(({ status }) => status === "fulfilled").length;
    expect(await won([offer(eve), offer(bob)])).toBe(1);
    await ada.mutation(api.transfers.cancel, { projectId: project });
    await offer();
    const transferId = (await offered())[0]?._id ?? "";
    const answer = (mutation: typeof api.transfers.accept | typeof api.transfers.decline) => eve.mutation(mutation, { transferId });
    const cancel = ada.mutation(api.transfers.cancel, { projectId: project });
    expect(await won([answer(api.transfers.accept), answer(api.transfers.accept), cancel])).toBe(1);
    await expectCounted(ada, eve);
  });

  it("can be offered again after a refusal", async () => {
    await offer();
    const transferId = (await offered())[0]?._id ?? "";
    await eve.mutation(api.transfers.decline, { transferId });
    expect([await stateFor(ada), await stateFor(eve)]).toEqual(["declined", null]);
    expect(await refused(eve.mutation(api.transfers.accept, { transferId }))).toEqual(NOT_FOUND);
    await offer();
    await accept();
    expect(await refused(ada.mutation(api.transfers.cancel, { projectId: project }))).toEqual(NOT_FOUND);
    expect(await refused(eve.mutation(api.transfers.cancel, { projectId: project }))).toEqual(NOT_FOUND);
  });

  it("expire after seven days", async () => {
    await offer();
    const { _id: id = "", expiresAt = 0 } = (await offered())[0] ?? {};
    expect(expiresAt - Date.now()).toBeGreaterThan(6.9 * DAY);
    await backend.inside.mutation(internal.jobs.transfers.expire, { id: id as Id<"transfers"> });
    expect(await offered()).toHaveLength(1);
    await patch("transfers", id, { expiresAt: Date.now() - 1 });
    expect(await offered()).toEqual([]);
    expect(await refused(eve.mutation(api.transfers.accept, { transferId: id }))).toEqual(NOT_FOUND);
    await backend.inside.mutation(internal.jobs.transfers.expire, { id: id as Id<"transfers"> });
    expect(await rows("transfers", "_id", id)).toEqual([]);
  });

  it.each([
    ["is removed", () => ada.mutation(api.members.remove, { projectId: project, userId: eve.userId })],
    ["leaves", () => eve.mutation(api.members.leave, { projectId: project })],
  ])("end when the recipient %s", async (_, end) => {
    await offer();
    const transferId = (await offered())[0]?._id ?? "";
    await end();
    expect(await refused(eve.mutation(api.transfers.accept, { transferId }))).toEqual(NOT_FOUND);
    await addMember(backend, project, eve, "viewer");
    expect(await offered()).toEqual([]);
    await offer();
  });

  it("require free storage, also for a project that is counted in batches", { timeout: 60_000 }, async () => {
    const total = 400;
    await copyImageRows(backend, image, total, {});
    const { id: big } = await addImage(backend, ada, design, "big");
    const size =
      Number((await rows("designImages", "_id", image))[0]?.["size"]) + Number((await rows("designImages", "_id", big))[0]?.["size"]);
    const elsewhere = await ada.mutation(api.projects.create, { name: "Ada's" });
    const other = await ada.mutation(api.designs.create, { projectId: elsewhere, name: "Other" });
    await addImage(backend, ada, other, "a much longer name than that of the others");
    await backend.settle();
    await offer();
    const transferId = (await offered())[0]?._id ?? "";
    const acceptWith = async (quota: number) => {
      await (await holderWithQuota(quota)).mutation(api.transfers.accept, { transferId });
      await backend.settle();
    };
    await acceptWith(size - 1);
    expect([await stateFor(eve), await stateFor(ada)]).toEqual(["refused", "refused"]);
    expect(await ownerOf("projects", project)).toBe(ada.userId);
    await acceptWith(9 * size);
    expect(await ownerOf("projects", project)).toBe(eve.userId);
    expect(await ownerOf("designImages", big)).toBe(eve.userId);
  });

  it("reject a small project immediately if the new owner has no free storage", async () => {
    await offer();
    const transferId = (await offered())[0]?._id ?? "";
    const full = await holderWithQuota(1);
    expect(await refused(full.mutation(api.transfers.accept, { transferId }))).toMatchObject({ code: "limit" });
    expect(await stateFor(eve)).toBe("offered");
    await accept();
    await expectCounted(ada, eve);
  });

  it("count images that are added during the job for the new owner", async () => {
    await ada.mutation(api.tags.tagImage, { id: image, tag: "Poster" });
    const other = (await addImage(backend, ada, design, "other")).id;
    const { id } = await stopped();
    await addVersion(backend, ada, image, "second");
    await ada.mutation(api.designImages.duplicate, { id: other });
    await addImage(backend, ada, design, "new");
    await eve.mutation(api.tags.tagImage, { id: other, tag: "Later" });
    await continueJob(id);
    await expectCounted(ada, eve);
    expect((await rows("designImages", "ownerId", ada.userId)).filter(({ designId }) => designId === design)).toEqual([]);
    expect(await ada.query(api.tags.getTags, {})).toEqual([]);
    expect((await eve.query(api.tags.getTags, {})).toSorted()).toEqual(["Later", "Poster"]);
  });

  it("refuse moves, restorations and emptying the trash until the job has ended", async () => {
    const other = await eve.mutation(api.designs.create, { projectId: own, name: "Other" });
    const trashed = (await addImage(backend, ada, design, "trashed")).id;
    await ada.mutation(api.designImages.moveToTrash, { id: trashed });
    const { id } = await stopped();
    const refusals = await Promise.all(
      [
        eve.mutation(api.designs.move, { id: design, projectId: own }),
        eve.mutation(api.designImages.move, { ids: [image], designId: other }),
        eve.mutation(api.trash.restore, { id: trashed }),
        eve.mutation(api.many.restore, { ids: [trashed] }),
        ada.mutation(api.trash.empty, {}),
      ].map(refused),
    );
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: "conflict" });
    expect(await refused(offer(ada, eve))).toMatchObject({ code: "conflict" });
    await continueJob(id);
    await eve.mutation(api.trash.restore, { id: trashed });
    await eve.mutation(api.designs.move, { id: design, projectId: own });
    await ada.mutation(api.trash.empty, {});
    await expectCounted(ada, eve);
  });

  it("end with the project and cannot be answered while it is in the trash", async () => {
    await offer();
    const transferId = (await offered())[0]?._id ?? "";
    await ada.mutation(api.projects.moveToTrash, { id: project });
    expect(await offered()).toEqual([]);
    expect(await eve.query(api.notices.getUnreadCount, {})).toBe(0);
    expect(await refused(eve.mutation(api.transfers.accept, { transferId }))).toEqual(NOT_FOUND);
    await ada.mutation(api.trash.purge, { id: project });
    await backend.settle();
    expect(await rows("transfers", "_id", transferId)).toEqual([]);
  });

  it.each([
    ["former", () => ({ person: ada, other: eve, owners: [eve.userId] })],
    ["new", () => ({ person: eve, other: ada, owners: [] })],
  ] as const)("leave nothing when the %s owner deletes the account during the job", async (_, people) => {
    const { id } = await stopped();
    const { person, other, owners } = people();
    const where = [equals("id", person.userId)];
    await server.mutation(api.accounts.store.deleteMany, { model: "users", where });
    await continueJob(id);
    for (const table of ["projects", "designs", "designImages", "imageVersions", "tags", "activities", "usage"])
      expect(await rows(table, "ownerId", person.userId), table).toEqual([]);
    expect(await rows("transfers", "_id", id)).toEqual([]);
    expect((await rows("designImages", "_id", image)).map(({ ownerId }) => ownerId)).toEqual(owners);
    await expectCounted(other);
  });

  it("end when the account of either user is deleted", async () => {
    await offer();
    const transferId = (await offered())[0]?._id ?? "";
    const where = [equals("id", eve.userId)];
    await server.mutation(api.accounts.store.deleteMany, { model: "users", where });
    await backend.settle();
    expect(await rows("transfers", "_id", transferId)).toEqual([]);
  });

  it("resume a stopped job within hours and end its earlier chain of batches", async () => {
    const { id } = await stopped();
    await patch("transfers", id, { movedAt: Date.now() - 2 * 60 * 60 * 1000 });
    await backend.inside.mutation(internal.jobs.transfers.resume, {});
    await backend.inside.mutation(internal.jobs.transfers.move, { id, run: 90 });
    await backend.settle();
    expect(await ownerOf("designImages", image)).toBe(eve.userId);
    expect(await rows("transfers", "_id", id)).toEqual([]);
    await expectCounted(ada, eve);
  });

  it("list the projects with members that deleting the account would delete", async () => {
    await ada.mutation(api.projects.create, { name: "Alone" });
    const members = [{ name: "eve" }];
    expect(await ada.query(api.members.listOwnShared, {})).toEqual([{ projectId: project, project: "Shared", members }]);
    expect(await eve.query(api.members.listOwnShared, {})).toEqual([]);
  });

  it("finish after a crash of the deployment", { tags: "slow", timeout: 120_000 }, async ({ skip }) => {
    const crash = backend.crash ?? skip("nothing to kill");
    const total = 5000;
    for (let from = 0; from < total; from += 1000) await copyImageRows(backend, image, 1000, { name: `copy ${from}` });
    await backend.settle();
    await offer();
    await accept();
    const given = async () => (await rows("designImages", "ownerId", eve.userId)).length;
    await expect.poll(given, { interval: 5, timeout: 30_000 }).toBeGreaterThan(0);
    await crash();
    expect(await given(), "it was killed in the middle").toBeLessThan(total + 1);
    await crash();
    await backend.settle();
    expect(await given()).toBe(total + 1);
    const bytes = Number((await rows("designImages", "_id", image))[0]?.["size"]);
    expect((await eve.query(api.usage.getUsage, {})).bytes).toBe(bytes);
    expect((await ada.query(api.usage.getUsage, {})).bytes).toBe(0);
  });

  /** Accepts the offer and stops its job: the scheduled call's number is NaN, which equals no number. */
  async function stopped() {
    await offer();
    const id = (await offered())[0]?._id;
    if (id === undefined) throw new Error("No offer");
    await patch("transfers", id, { run: NaN });
    await eve.mutation(api.transfers.accept, { transferId: id });
    await backend.settle();
    await patch("transfers", id, { run: 50 });
    return { id };
  }

  async function continueJob(id: Id<"transfers">) {
    await backend.inside.mutation(internal.jobs.transfers.move, { id, run: 50 });
    await backend.settle();
  }
});

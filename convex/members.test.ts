import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addMember, rowsOf, shareProject } from "../tests/convex/shared-project.ts";
import { equals } from "../tests/convex/equals.ts";
import { api } from "./_generated/api";
import type { MemberRole } from "./model/rights";

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

  const rows = (table: string, field: string, value: string) => rowsOf(backend, table, field, value);
  const add = (projectId: string, person: Person, role: MemberRole) => addMember(backend, projectId, person, role);
  const shared = async (role: MemberRole) => {
    const made = await shareProject(backend, role);
    ({ ada, eve } = made);
    return made;
  };
  const remove = (id: string) => backend.inside.mutation(probe.remove, { table: "projectMembers", id });

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

  it("lists the owner and the first four members of a shared project for its card", async () => {
    const { project } = await shared("viewer");
    for (const name of ["fay", "gus", "hal", "ivy"]) await add(project, await signUp(backend, name), "editor");
    const [card] = (await eve.query(api.members.listSharedProjects, { paginationOpts })).page;
    expect(card).toMatchObject({ owner: { name: "ada" }, members: ["eve", "fay", "gus", "hal"].map((name) => ({ name })) });
    expect(await ada.query(api.members.listOwnShared, {})).toEqual([{ projectId: project, project: "Shared", members: card?.members }]);
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

    const where = [equals("id", eve.userId)];
    await server.mutation(api.accounts.store.deleteMany, { model: "users", where });
    await backend.settle();
    expect(await memberships()).toEqual([]);
    expect(await ada.query(api.designs.getDesignsByProjectId, { projectId: other })).toMatchObject([{ name: "By eve" }]);
    const { page } = await ada.query(api.activities.list, { projectId: other, paginationOpts });
    expect(page.map(({ actor }) => actor?.name ?? null)).toContain(null);
  });

  it("deletes a member's undo steps with texts of purged items", async () => {
    const { project, design } = await shared("editor");
    await eve.mutation(api.designs.rename, { id: design, name: "Back", step: "name" });
    await ada.mutation(api.designs.moveToTrash, { id: design });
    await ada.mutation(api.trash.purge, { id: design });
    await backend.settle();
    expect(await rows("undoSteps", "userId", eve.userId)).toEqual([]);
    expect(await eve.query(api.projects.getProjectById, { id: project })).toMatchObject({ designCount: 0 });
  });

  it.each(["trash", "purge", "removal"] as const)("refuses a member's upload that arrives after a %s, without its file", async (how) => {
    const { project, design, member } = await shared("editor");
    const { sessionId } = eve;
    await server.mutation(api.uploads.generateUploadUrl, { sessionId, designId: design, bytes: 3 });
    const storageId = await backend.store(new Uint8Array(3));
    if (how === "removal") await remove(member);
    else await ada.mutation(api.projects.moveToTrash, { id: project });
    if (how === "purge") await ada.mutation(api.trash.purge, { id: project });
    const size = { size: 3, width: 1, height: 1, checksum: "0".repeat(64), placeholder: null, animated: false };
    const file = { sessionId, designId: design, uploadId: how, storageId, name: "late.png", contentType: "image/png", ...size };
    expect(await refused(server.mutation(api.uploads.finalize, file))).toEqual(NOT_FOUND);
    await server.mutation(api.uploads.discard, { storageId });
    expect(await backend.inside.query(probe.filesAmong, { ids: [storageId] })).toEqual([]);
  });

  it("requires the right to download for an unchanged file", async () => {
    const { image, member } = await shared("viewer");
    const file = (original: boolean) => server.query(api.uploads.getFile, { sessionId: eve.sessionId, imageId: image, original });
    for (const original of [true, false]) expect(await file(original)).toMatchObject({ name: "fig" });
    await remove(member);
    for (const original of [true, false]) expect(await refused(file(original))).toEqual(NOT_FOUND);
    const together = { sessionId: eve.sessionId, images: [{ imageId: image }], original: true };
    expect(await server.query(api.uploads.getFiles, together)).toEqual([null]);
  });
});

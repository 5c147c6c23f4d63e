import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { equals } from "../tests/convex/equals.ts";
import { api } from "./_generated/api";
import type { Id } from "./_generated/dataModel";

const NOT_FOUND = { code: "not_found" };
const paginationOpts = { cursor: null, numItems: 20 };

describe.each(backends)("invitations to projects on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let ada: Person;
  let eve: Person;
  let project: Id<"projects">;
  let tokens = 0;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    [ada, eve] = [await signUp(backend, "ada"), await signUp(backend, "eve")];
    project = await ada.mutation(api.projects.create, { name: "Shared" });
  });

  const addressOf = ({ userId }: Person) => `${userId}@example.com`;
  async function invite(email: string, options: { isMailed?: boolean; role?: "editor" | "viewer" } = {}) {
    const tokenHash = `token ${tokens++}`;
    const { isMailed = true, role = "viewer" } = options;
    await server.mutation(api.invitations.invite, { sessionId: ada.sessionId, projectId: project, email, role, tokenHash, isMailed });
    return tokenHash;
  }
  const accept = ({ sessionId }: Person, tokenHash: string) => server.mutation(api.invitations.accept, { sessionId, tokenHash });
  const find = (tokenHash: string) => server.query(api.invitations.find, { tokenHash });
  const list = () => ada.query(api.invitations.list, { projectId: project });
  const members = async () => (await ada.query(api.members.list, { projectId: project, paginationOpts })).page;
  async function setUser({ userId }: Person, fields: object) {
    const [user] = await backend.inside.query(probe.rows, { table: "users", field: "id", value: userId });
    await backend.inside.mutation(probe.patch, { table: "users", id: String(user?.["_id"]), fields });
  }

  it("add the account with the verified address, once", async () => {
    await setUser(eve, { emailVerified: true });
    const token = await invite(addressOf(eve).toUpperCase(), { role: "editor" });
    const shown = { email: addressOf(eve), isForAddress: true, role: "editor", project: "Shared", owner: "ada" };
    expect(await find(token)).toEqual(shown);
    expect(await find(token)).toEqual(shown);
    expect(await list()).toMatchObject([{ email: addressOf(eve), role: "editor" }]);
    expect(await accept(eve, token)).toEqual({ projectId: project, project: "Shared" });
    expect(await members()).toMatchObject([{ userId: eve.userId, role: "editor" }]);
    expect([await find(token), await list()]).toEqual([null, []]);
    expect(await refused(accept(eve, token))).toEqual(NOT_FOUND);
    await ada.mutation(api.members.remove, { projectId: project, userId: eve.userId });
    expect(await refused(accept(eve, token))).toEqual(NOT_FOUND);
  });

  it("refuse other accounts and unverified addresses", async () => {
    const bob = await signUp(backend, "bob");
    await setUser(bob, { emailVerified: true });
    await setUser(eve, { emailVerified: false });
    const token = await invite(addressOf(eve));
    for (const person of [bob, eve, ada]) expect(await refused(accept(person, token))).toMatchObject({ code: "conflict" });
    expect(await members()).toEqual([]);
    expect(await find(token)).not.toBeNull();
  });

  it("add one account of any address by a copied link, and show the owner which", async () => {
    const bob = await signUp(backend, "bob");
    const token = await invite("someone@example.com", { isMailed: false });
    expect(await refused(accept(ada, token))).toMatchObject({ code: "conflict" });
    const answers = await Promise.allSettled([accept(eve, token), accept(bob, token)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const [member, ...others] = await members();
    expect(others).toEqual([]);
    expect(await list()).toMatchObject([{ email: "someone@example.com", acceptedBy: { name: member?.name, email: member?.email } }]);
    const second = await invite("someone@example.com", { isMailed: false });
    const joined = member?.userId === eve.userId ? eve : bob;
    expect(await refused(accept(joined, second))).toMatchObject({ code: "conflict" });
    expect(await find(second)).not.toBeNull();
  });

  it("end when revoked, replaced or expired, and with the project", async () => {
    const first = await invite(addressOf(eve), { isMailed: false });
    const second = await invite(addressOf(eve), { isMailed: false });
    expect([await find(first), (await list()).length]).toEqual([null, 1]);
    const [pending] = await list();
    const invitationId = pending?._id ?? "";
    await ada.mutation(api.projects.moveToTrash, { id: project });
    expect(await refused(accept(eve, second))).toEqual(NOT_FOUND);
    await ada.mutation(api.trash.restore, { id: project });
    await ada.mutation(api.invitations.revoke, { projectId: project, invitationId });
    expect(await refused(accept(eve, second))).toEqual(NOT_FOUND);
    expect(await refused(ada.mutation(api.invitations.revoke, { projectId: project, invitationId }))).toEqual(NOT_FOUND);
    const third = await invite(addressOf(eve), { isMailed: false });
    const [row] = await backend.inside.query(probe.rows, { table: "invitations", field: "tokenHash", value: third });
    await backend.inside.mutation(probe.patch, { table: "invitations", id: String(row?.["_id"]), fields: { expiresAt: Date.now() - 1 } });
    expect([await find(third), await list()]).toEqual([null, []]);
    expect(await refused(accept(eve, third))).toEqual(NOT_FOUND);
  });

  it("are refused for members, the inviter, invalid addresses and other projects", async () => {
    const token = await invite(addressOf(eve), { isMailed: false });
    await accept(eve, token);
    for (const email of [addressOf(eve), addressOf(ada), "nobody", ""])
      expect((await refused(invite(email))).fieldErrors).toHaveProperty("email");
    const other = await eve.mutation(api.projects.create, { name: "Eve's" });
    const pending = await invite("x@example.com");
    const [row] = await list();
    expect(await refused(eve.mutation(api.invitations.revoke, { projectId: other, invitationId: row?._id ?? "" }))).toEqual(NOT_FOUND);
    expect(await find(pending)).not.toBeNull();
  });

  it("are limited per address and per inviter", async () => {
    for (let sent = 0; sent < 5; sent++) await invite("often@example.com");
    expect(await refused(invite("often@example.com"))).toMatchObject({ code: "limit" });
    for (let sent = 5; sent < 30; sent++) await invite(`person${sent}@example.com`);
    expect(await refused(invite("last@example.com"))).toMatchObject({ code: "limit" });
  });

  it("are deleted with the inviter's account", async () => {
    const token = await invite("x@example.com");
    await server.mutation(api.accounts.store.deleteMany, {
      model: "users",
      where: [equals("id", ada.userId)],
    });
    await backend.settle();
    expect(await find(token)).toBeNull();
    expect(await backend.inside.query(probe.rows, { table: "invitations", field: "invitedBy", value: ada.userId })).toEqual([]);
  });

  it("are deleted with a purged project, also the accepted ones", { tags: "@deletes-invitations-with-project" }, async () => {
    await accept(eve, await invite(addressOf(eve)));
    await invite("someone@example.com");
    expect((await ada.query(api.accounts.mine.getMe, {})).hasMembers).toBe(true);
    expect((await eve.query(api.accounts.mine.getMe, {})).hasMembers).toBeUndefined();
    await ada.mutation(api.projects.moveToTrash, { id: project });
    await ada.mutation(api.trash.purge, { id: project });
    await backend.settle();
    expect(await backend.inside.query(probe.rows, { table: "invitations", field: "projectId", value: project })).toEqual([]);
  });
});

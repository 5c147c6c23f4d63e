import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, probe, signUp } from "../../tests/convex/backends.ts";
import { equals } from "../../tests/convex/equals.ts";
import { api, internal } from "../_generated/api";
import { INVITATION_LIFE_MS } from "../model/accounts/invitations";

const DAY = 24 * 60 * 60 * 1000;
const invitations = api.accounts.invitations;

describe.each(backends)("invitations on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let people = 0;
  let email: string;
  let tokenHash: string;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    email = `invitee${people++}@example.com`;
    tokenHash = `hash of ${email}`;
    await server.mutation(invitations.create, { email, tokenHash });
  });

  const find = (hash = tokenHash) => server.query(invitations.find, { tokenHash: hash });
  const rows = () => backend.inside.query(probe.rows, { table: "invitations", field: "email", value: email });
  async function change(fields: object) {
    const [row] = await rows();
    await backend.inside.mutation(probe.patch, { table: "invitations", id: String(row?.["_id"]), fields });
  }
  async function createUser(emailVerified: boolean) {
    const id = `user ${email}`;
    await server.mutation(api.accounts.store.create, {
      model: "users",
      data: { id, name: "Ada", email, emailVerified, createdAt: 1, updatedAt: 1 },
    });
    return id;
  }

  it("are found by their token for seven days", async () => {
    expect(await find()).toEqual({ email, provesAddress: true });
    expect(await server.query(invitations.isInvited, { email })).toBe(true);
    const [row] = await rows();
    expect(Number(row?.["expiresAt"]) - Number(row?.["createdAt"])).toBe(INVITATION_LIFE_MS);
    expect(INVITATION_LIFE_MS).toBe(7 * DAY);
    await change({ expiresAt: Date.now() - 1 });
    expect(await find()).toBeNull();
    expect(await server.query(invitations.isInvited, { email })).toBe(false);
    expect(await server.query(invitations.list, {})).not.toContainEqual(expect.objectContaining({ email }));
  });

  it("replace earlier ones of the same address", async () => {
    await server.mutation(invitations.create, { email, tokenHash: `second ${tokenHash}` });
    expect([await find(), await find(`second ${tokenHash}`)]).toEqual([null, { email, provesAddress: true }]);
    expect((await server.query(invitations.list, {})).filter((each) => each.email === email)).toHaveLength(1);
  });

  it("are revoked", async () => {
    expect(await server.mutation(invitations.revoke, { email })).toBe(1);
    expect(await find()).toBeNull();
    expect(await server.mutation(invitations.revoke, { email })).toBe(0);
  });

  it("are accepted by a new account with a verified address", async () => {
    const id = await createUser(true);
    expect(await find()).toBeNull();
    expect(await rows()).toMatchObject([{ acceptedBy: id, acceptedAt: expect.any(Number) }]);
  });

  it("are accepted once the address of a new account is verified", async () => {
    const id = await createUser(false);
    expect(await find()).not.toBeNull();
    const where = [equals("id", id)];
    await server.mutation(api.accounts.store.update, { model: "users", where, update: { emailVerified: true } });
    expect(await rows()).toMatchObject([{ acceptedBy: id }]);
  });

  it("are not accepted by signing up if they are to a project", async () => {
    const ada = await signUp(backend, "ada");
    const projectId = await ada.mutation(api.projects.create, { name: "Magazine" });
    await change({ projectId, provesAddress: false });
    await createUser(true);
    expect(await find()).toEqual({ email, provesAddress: false, projectId });
    expect(await server.mutation(invitations.revoke, { email })).toBe(0);
  });

  it("are accepted once a provider verifies the address", async () => {
    const userId = await createUser(false);
    await server.mutation(api.accounts.reclaim.verifyAddress, { userId, providerId: "google", removed: [] });
    expect(await rows()).toMatchObject([{ acceptedBy: userId }]);
  });

  it("stay after the deletion of an account that did not verify their address", async () => {
    const id = await createUser(false);
    const where = [equals("id", id)];
    await server.mutation(api.accounts.store.deleteMany, { model: "users", where });
    await backend.settle();
    expect(await find()).not.toBeNull();
  });

  it("are deleted with the account of their verified address, also when pending", async () => {
    const id = await createUser(true);
    await change({ acceptedAt: undefined, acceptedBy: undefined });
    const where = [equals("id", id)];
    await server.mutation(api.accounts.store.deleteMany, { model: "users", where });
    await backend.settle();
    expect(await rows()).toEqual([]);
  });

  it("are deleted 30 days after they expire", async () => {
    await change({ expiresAt: Date.now() - 29 * DAY });
    await backend.inside.mutation(internal.accounts.expiry.sweep, {});
    expect(await rows()).toHaveLength(1);
    await change({ expiresAt: Date.now() - 31 * DAY });
    await backend.inside.mutation(internal.accounts.expiry.sweep, {});
    expect(await rows()).toEqual([]);
  });
});

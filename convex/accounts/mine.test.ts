import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe, signUp } from "../../tests/convex/backends.ts";
import { refused } from "../../tests/convex/expect.ts";
import { api } from "../_generated/api";

describe.each(backends)("the caller's account on $name", ({ start }) => {
  let backend: Backend;
  let ada: Person;
  let server: Caller;
  beforeAll(async () => {
    backend = await start();
    ada = await signUp(backend, "ada");
    server = await appServer(backend);
  });
  afterAll(() => backend.close());

  const insert = (table: string, row: Record<string, unknown>) => backend.inside.mutation(probe.insert, { table, row });
  const session = (id: string, { createdAt, expiresAt }: { createdAt: number; expiresAt: number }) =>
    insert("sessions", {
      id,
      token: `token of ${id}`,
      userId: ada.userId,
      createdAt,
      updatedAt: createdAt,
      expiresAt,
      ipAddress: "192.0.2.1",
    });

  it("lists active sessions, the current one first, without tokens", async () => {
    const now = Date.now();
    await session("older", { createdAt: now - 5000, expiresAt: now + 1e6 });
    await session("newer", { createdAt: now - 3000, expiresAt: now + 1e6 });
    await session("over", { createdAt: now - 9000, expiresAt: now - 1000 });
    const ids = async () => (await ada.query(api.accounts.mine.getSessions, {})).map(({ id }) => id);
    expect(await ids()).toEqual([ada.sessionId, "newer", "older"]);
    await server.mutation(api.accounts.mine.noteActivity, { sessionId: "older" });
    await server.mutation(api.accounts.mine.noteActivity, { sessionId: "older" });
    expect(await ids()).toEqual([ada.sessionId, "older", "newer"]);
    const [own, older] = await ada.query(api.accounts.mine.getSessions, {});
    expect(own).toMatchObject({ current: true });
    expect(older).toMatchObject({ current: false, ipAddress: "192.0.2.1", userAgent: null });
    expect(JSON.stringify([own, older])).not.toContain("token");
  });

  it("returns the sign-in methods without their secrets", async () => {
    expect(await ada.query(api.accounts.mine.getSecurity, {})).toEqual({ hasPassword: false, twoFactor: false, passkeys: [] });
    const row = { userId: ada.userId, createdAt: 1, updatedAt: 1 };
    await insert("accounts", { id: "a2", providerId: "google", accountId: "123", accessToken: "secret", ...row, createdAt: 2 });
    await insert("accounts", { id: "a1", providerId: "credential", accountId: ada.userId, password: "secret", ...row });
    const key = { credentialID: "c", publicKey: "secret", counter: 0, deviceType: "singleDevice", backedUp: false };
    await insert("passkeys", { id: "p", userId: ada.userId, name: "Laptop", createdAt: 1, ...key });
    const security = await ada.query(api.accounts.mine.getSecurity, {});
    expect(security).toMatchObject({ hasPassword: true, passkeys: [{ id: "p", name: "Laptop", createdAt: 1, backedUp: false }] });
    const connections = await ada.query(api.accounts.mine.getConnections, {});
    expect(connections.map(({ providerId }) => providerId)).toEqual(["credential", "google"]);
    expect(JSON.stringify([security, connections])).not.toContain("secret");

    const exported = await server.query(api.accounts.belongings.account, { sessionId: ada.sessionId });
    expect(exported).toMatchObject({ user: { id: ada.userId }, accounts: [{ providerId: "credential" }, { providerId: "google" }] });
    expect(JSON.stringify(exported)).not.toMatch(/secret|token of/);
  });

  it("unlinks all accounts but the last, and none of others", async () => {
    const { sessionId } = ada;
    const bob = await signUp(backend, "bob without any");
    const unlink = (id: string, lastToo = false) => server.mutation(api.accounts.linked.unlink, { sessionId, id, lastToo });
    const foreign = server.mutation(api.accounts.linked.unlink, { sessionId: bob.sessionId, id: "a1", lastToo: true });
    expect(await foreign).toBe("missing");
    expect(await unlink("none")).toBe("missing");
    expect((await Promise.all([unlink("a1"), unlink("a2")])).toSorted()).toEqual(["last", "unlinked"]);
    const [left] = await ada.query(api.accounts.mine.getConnections, {});
    expect(await unlink(left?.id ?? "")).toBe("last");
    expect(await unlink(left?.id ?? "", true)).toBe("unlinked");
    expect(await ada.query(api.accounts.mine.getConnections, {})).toEqual([]);
  });

  it("stores one picture per user, visible only to them", async () => {
    const { sessionId, userId } = ada;
    const picture = (checksum: string) => ({
      sessionId,
      contentType: "image/webp",
      checksum,
      bytes: new TextEncoder().encode(checksum).buffer,
    });
    await server.mutation(api.accounts.pictures.put, picture("first"));
    await server.mutation(api.accounts.pictures.put, picture("second"));
    expect(await server.query(api.accounts.pictures.get, { sessionId, userId })).toMatchObject({ checksum: "second" });
    expect(await backend.inside.query(probe.rows, { table: "userPictures" })).toHaveLength(1);
    const bob = await signUp(backend, "bob");
    expect(await refused(server.query(api.accounts.pictures.get, { sessionId: bob.sessionId, userId }))).toEqual({ code: "not_found" });
    const tooLarge = { ...picture("x"), bytes: new ArrayBuffer(300_000) };
    expect(await refused(server.mutation(api.accounts.pictures.put, tooLarge))).toMatchObject({ code: "invalid" });
    await server.mutation(api.accounts.pictures.remove, { sessionId });
    await server.mutation(api.accounts.pictures.remove, { sessionId });
    expect(await refused(server.query(api.accounts.pictures.get, { sessionId, userId }))).toEqual({ code: "not_found" });
  });
});

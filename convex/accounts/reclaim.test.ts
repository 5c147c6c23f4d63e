import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, probe, signUp } from "../../tests/convex/backends.ts";
import { equals } from "../../tests/convex/equals.ts";
import { api } from "../_generated/api";

const { removeCredentials, verifyAddress } = api.accounts.reclaim;

describe.each(backends)("accounts/reclaim on $name (specification 5)", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());

  const rows = async (table: string, userId: string) =>
    (await backend.inside.query(probe.rows, { table })).filter((row) => row["userId"] === userId || row["id"] === userId);
  const setVerified = (userId: string, emailVerified: boolean) =>
    server.mutation(api.accounts.store.update, {
      model: "users",
      where: [equals("id", userId)],
      update: { emailVerified },
    });

  it("removes an unverified account's sessions and links, and notifies its user once", async () => {
    const { userId } = await signUp(backend, "ada");
    await setVerified(userId, false);
    const now = Date.now();
    await server.mutation(api.accounts.store.create, {
      model: "accounts",
      data: { id: `${userId}-figma`, userId, providerId: "figma", accountId: `${userId}-figma`, createdAt: now, updatedAt: now },
    });
    await backend.settle();
    const before = (await rows("notices", userId)).length;
    const removed = await server.mutation(removeCredentials, { userId });
    expect(removed).toEqual(expect.arrayContaining(["figma", "sessions"]));
    expect(await server.mutation(removeCredentials, { userId })).toEqual([]);
    expect(await rows("sessions", userId)).toEqual([]);
    expect(await rows("accounts", userId)).toEqual([]);

    await server.mutation(verifyAddress, { userId, providerId: "google", removed });
    await server.mutation(verifyAddress, { userId, providerId: "google", removed });
    expect(await rows("users", userId)).toMatchObject([{ emailVerified: true, twoFactorEnabled: false }]);
    const notices = (await rows("notices", userId)).slice(before);
    expect(notices).toMatchObject([{ notice: { kind: "providerLinked", providerId: "google", removed } }]);
  });

  it("removes nothing of a verified account", async () => {
    const { userId } = await signUp(backend, "bob");
    await setVerified(userId, true);
    const before = await rows("sessions", userId);
    expect(before.length).toBeGreaterThan(0);
    expect(await server.mutation(removeCredentials, { userId })).toEqual([]);
    expect(await rows("sessions", userId)).toEqual(before);
  });
});

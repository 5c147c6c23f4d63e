import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Person, probe, signUp } from "../../tests/convex/backends.ts";
import { allDataOf, ownedTables } from "../../tests/convex/everything.ts";
import { refused } from "../../tests/convex/expect.ts";
import { equals } from "../../tests/convex/equals.ts";
import { api, internal } from "../_generated/api";

describe.each(backends)("deleting an account on $name", ({ start }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());

  const insert = (table: string, row: Record<string, unknown>) => backend.inside.mutation(probe.insert, { table, row });
  const counts = async () =>
    Object.fromEntries(
      await Promise.all(ownedTables.map(async (table) => [table, (await backend.inside.query(probe.rows, { table })).length] as const)),
    );

  const withoutEvents = (rows: Record<string, number>) => ({ ...rows, auditEvents: 0 });

  async function removeAccount({ userId }: Person) {
    const where = [equals("id", userId)];
    await (await appServer(backend)).mutation(api.accounts.store.deleteMany, { model: "users", where });
    await backend.settle();
  }

  it("deletes the user's rows and files and nothing of others", async () => {
    const ada = await signUp(backend, "ada");
    const { files: adas } = await allDataOf(backend, ada);
    const before = await counts();
    const bob = await signUp(backend, "bob");
    const { files: bobs } = await allDataOf(backend, bob, "b");
    const both = await counts();
    for (const table of ownedTables) expect(both[table], `a row of ${table} to be removed`).toBeGreaterThan(before[table] ?? 0);

    await (await appServer(backend)).mutation(api.accounts.store.deleteUser, { userId: bob.userId });
    expect(await refused(bob.query(api.accounts.mine.getMe, {}))).toMatchObject({ code: "unauthenticated" });
    await backend.settle();
    const after = await counts();
    expect(withoutEvents(after)).toEqual(withoutEvents(before));
    expect(after["auditEvents"], "its anonymous events remain").toBeGreaterThan(before["auditEvents"] ?? 0);
    expect(JSON.stringify(await backend.inside.query(probe.rows, { table: "auditEvents" }))).not.toMatch(
      new RegExp(`${bob.userId}|b network`),
    );
    expect(await backend.inside.query(probe.filesAmong, { ids: [...adas, ...bobs] })).toEqual(adas);
  });

  it("continues until everything is deleted", async () => {
    const before = await counts();
    const carol = await signUp(backend, "carol");
    for (let each = 0; each < 230; each++) await insert("sessionActivity", { sessionId: `${each}`, userId: carol.userId, at: 0 });
    await removeAccount(carol);
    expect(withoutEvents(await counts())).toEqual(withoutEvents(before));
  });

  it("revokes tokens issued before a change and keeps later ones", async () => {
    const { userId } = await signUp(backend, "dave");
    const given = () => backend.inside.query(probe.rows, { table: "verifications", field: "value", value: userId });
    const give = (token: string) =>
      insert("verifications", {
        id: token,
        identifier: `delete-account-${token}`,
        value: userId,
        expiresAt: 9e12,
        createdAt: 1,
        updatedAt: 1,
      });
    await give("before");
    const at = Number((await given())[0]?.["_creationTime"]);
    await expect.poll(() => Date.now()).toBeGreaterThan(at + 1);
    await give("since");
    await backend.inside.mutation(internal.accounts.removal.outdate, { userId, prefix: "delete-account-", at });
    expect((await given()).map(({ id }) => id)).toEqual(["since"]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Person, probe, signUp } from "../../tests/convex/backends.ts";
import { addImage, addVersion } from "../../tests/convex/pictures.ts";
import { api } from "../_generated/api";
import schema from "../schema";

/** Tables of which a row may stay when somebody goes: they say nothing about anybody. */
const NOBODYS = ["rateLimits", "sweeps", "upgrades"];

describe.each(backends)("deleting an account on $name", ({ start }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());

  const insert = (table: string, row: Record<string, unknown>) => backend.inside.mutation(probe.insert, { table, row });
  const names = Object.keys(schema.tables).filter((name) => !NOBODYS.includes(name));
  const counts = async () =>
    Object.fromEntries(
      await Promise.all(names.map(async (table) => [table, (await backend.inside.query(probe.rows, { table })).length] as const)),
    );

  /** One row at least in every table, and the stored files of an image that has two versions. */
  async function everythingOf(person: Person) {
    const { userId, sessionId } = person;
    const projectId = await person.mutation(api.projects.create, { name: "a project" });
    const designId = await person.mutation(api.designs.create, { projectId, name: "a design" });
    const image = await addImage(backend, person, designId, `${userId}.png`);
    const version = await addVersion(backend, person, image.id, `${userId} again.png`);
    const at = Date.now();
    const dates = { createdAt: at, updatedAt: at };
    await insert("accounts", { id: `${userId} account`, userId, providerId: "credential", accountId: userId, ...dates });
    await insert("twoFactors", { id: `${userId} factor`, userId, secret: "x", backupCodes: "x" });
    const key = { credentialID: userId, publicKey: "x", counter: 0, deviceType: "multiDevice", backedUp: true };
    await insert("passkeys", { id: `${userId} key`, userId, ...key });
    const device = `trust-device-${userId}`;
    await insert("verifications", { id: device, identifier: device, value: userId, expiresAt: at + 1e9, ...dates });
    await insert("subscriptions", { id: `${userId} subscription`, plan: "pro", referenceId: userId, status: "active" });
    await insert("userPictures", { userId, contentType: "image/webp", checksum: "x", bytes: new ArrayBuffer(3) });
    await insert("sessionActivity", { sessionId, userId, at });
    const notice = await insert("notices", { userId, notice: { kind: "passwordChanged" }, at, read: false });
    await insert("devices", { userId, mark: "x", seenAt: at });
    await insert("mails", { userId, content: { notice, to: "x" }, attempts: 0, dueAt: at, expiresAt: at + 1e9 });
    await backend.settle();
    return [image.storageId, version.storageId];
  }

  async function removeAccount({ userId }: Person) {
    const where = [{ field: "id", operator: "eq" as const, value: userId, connector: "AND" as const, mode: "sensitive" as const }];
    await (await appServer(backend)).mutation(api.accounts.store.deleteMany, { model: "users", where });
    await backend.settle();
  }

  it("leaves nothing of it in any table, nor in the files, and everything of others", async () => {
    const ada = await signUp(backend, "ada");
    const adas = await everythingOf(ada);
    const before = await counts();
    const bob = await signUp(backend, "bob");
    const bobs = await everythingOf(bob);
    const both = await counts();
    for (const table of names) expect(both[table], `a row of ${table} to be removed`).toBeGreaterThan(before[table] ?? 0);

    await removeAccount(bob);
    expect(await counts()).toEqual(before);
    expect(await backend.inside.query(probe.filesAmong, { ids: [...adas, ...bobs] })).toEqual(adas);
  });

  it("goes on until nothing is left, however much there was", async () => {
    const before = await counts();
    const carol = await signUp(backend, "carol");
    for (let each = 0; each < 230; each++) await insert("sessionActivity", { sessionId: `${each}`, userId: carol.userId, at: 0 });
    await removeAccount(carol);
    expect(await counts()).toEqual(before);
  });
});

import { randomUUID } from "node:crypto";
import { convexTest } from "convex-test";
import { makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe, signUp } from "../../tests/convex/backends.ts";
import { modules } from "../../tests/convex/convex-test.ts";
import { refused } from "../../tests/convex/expect.ts";
import { api } from "../_generated/api";
import schema from "../schema";

const { people } = api.admin;
const paginationOpts = { cursor: null, numItems: 50 };
const NOT_FOUND = { code: "not_found" };
const UNAUTHENTICATED = { code: "unauthenticated" };

describe.each(backends)("the administration of people on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let admin: Person;
  let bob: Person;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    for (const id of await server.query(api.accounts.administrators.list, {})) await setRole(id, false);
    admin = await signUp(backend, "admin");
    bob = await signUp(backend, "bob");
    await setRole(admin.userId, true);
  });

  const setRole = (userId: string, isAdministrator: boolean) =>
    server.mutation(api.accounts.administrators.set, { userId, isAdministrator });
  const rowOf = async (table: string, field: string, value: string) => (await backend.inside.query(probe.rows, { table, field, value }))[0];
  const patchRow = async (table: string, field: string, value: string, fields: object) =>
    backend.inside.mutation(probe.patch, { table, id: String((await rowOf(table, field, value))?.["_id"]), fields });
  const newSession = ({ userId }: Person) => {
    const row = { id: randomUUID(), token: randomUUID(), userId, expiresAt: Date.now() + 60_000, createdAt: Date.now(), updatedAt: 1 };
    return server.mutation(api.accounts.store.create, { model: "sessions", data: row });
  };
  const find = async (text: string, only?: "administrators" | "disabled") => {
    const { page } = await admin.query(people.list, { text, ...(only && { only }), paginationOpts });
    return page.map(({ id }) => id);
  };
  const by = (person: Person, userId = bob.userId) => ({ sessionId: person.sessionId, userId });

  it("finds people by the beginning of the address and by words of the name", async () => {
    const grace = await signUp(backend, "grace");
    await patchRow("users", "id", grace.userId, { name: "Grace Hopper" });
    expect(await find(`${grace.userId}@`)).toEqual([grace.userId]);
    expect(await find(grace.userId.toUpperCase())).toContain(grace.userId);
    expect(await find("hopper")).toEqual([grace.userId]);
    expect(await find("nobody at all")).toEqual([]);
    expect(await find("", "administrators")).toEqual([admin.userId]);
    await server.mutation(people.disable, by(admin, grace.userId));
    expect(await find("", "disabled")).toEqual([grace.userId]);
    await server.mutation(people.remove, by(admin, grace.userId));
  });

  it("shows counts of what a person stores, and no content", async () => {
    await bob.mutation(api.projects.create, { name: "Bob's secret project" });
    await backend.settle();
    const shown = await admin.query(people.get, { userId: bob.userId });
    expect(shown).toMatchObject({ usage: { projects: 1 }, sessions: 1, isAdministrator: false, isSelf: false });
    expect(JSON.stringify(shown)).not.toContain("secret");
    const [project] = await bob.query(api.projects.getProjects, {});
    expect(await refused(admin.query(api.projects.getProjectById, { id: project?._id ?? "" }))).toEqual(NOT_FOUND);
  });

  it("disables an account at once: sessions, tokens and new sign-ins", { tags: "@disables-account" }, async () => {
    await bob.mutation(api.projects.create, { name: "kept" });
    const tokenHash = randomUUID();
    const token = { userId: bob.userId, name: "program", tokenHash, scopes: ["read"], createdAt: 0 };
    await backend.inside.mutation(probe.insert, { table: "accessTokens", row: token });
    await server.mutation(people.disable, by(admin));
    await server.mutation(people.disable, by(admin));
    expect(await refused(bob.query(api.accounts.mine.getMe, {}))).toEqual(UNAUTHENTICATED);
    expect(await refused(server.query(api.httpApi.listProjects, { tokenHash, paginationOpts }))).toEqual(UNAUTHENTICATED);
    expect(await refused(newSession(bob))).toEqual({ code: "disabled" });
    const writes = [{ kind: "insert" as const, model: "sessions", data: { id: "x", token: "x", userId: bob.userId } }];
    expect(await refused(server.mutation(api.accounts.store.commit, { writes }))).toEqual({ code: "disabled" });
    expect(await rowOf("sessions", "userId", bob.userId)).toBeUndefined();

    await server.mutation(people.enable, by(admin));
    await newSession(bob);
    const session = await rowOf("sessions", "userId", bob.userId);
    const again = await backend.holder({ subject: bob.userId, audience: "atelier-user", sessionId: String(session?.["id"]) });
    expect((await again.query(api.projects.getProjects, {})).map(({ name }) => name)).toEqual(["kept"]);
  });

  it("leaves no session when a sign-in runs at the same time as the disabling", async () => {
    await Promise.allSettled([newSession(bob), server.mutation(people.disable, by(admin)), newSession(bob)]);
    expect(await rowOf("sessions", "userId", bob.userId)).toBeUndefined();
  });

  it("refuses to disable or delete the administrator's own account", async () => {
    expect(await refused(server.mutation(people.disable, by(admin, admin.userId)))).toMatchObject({ code: "conflict" });
    expect(await refused(server.mutation(people.remove, by(admin, admin.userId)))).toMatchObject({ code: "conflict" });
    expect(await refused(server.mutation(people.expectRemovable, by(admin, admin.userId)))).toMatchObject({ code: "conflict" });
    expect(await admin.query(people.get, { userId: admin.userId })).toMatchObject({ disabledAt: null, isSelf: true });
  });

  it("keeps the last administrator, also when two remove each other at once", { tags: "@keeps-last-administrator" }, async () => {
    expect(await refused(server.mutation(people.removeRole, by(admin, admin.userId)))).toMatchObject({ code: "conflict" });
    const other = await signUp(backend, "other");
    await setRole(other.userId, true);
    await server.mutation(people.disable, by(admin, other.userId));
    expect(await refused(server.mutation(people.removeRole, by(admin, admin.userId)))).toMatchObject({ code: "conflict" });
    await server.mutation(people.enable, by(admin, other.userId));
    await newSession(other);
    const session = await rowOf("sessions", "userId", other.userId);
    const second = { ...other, sessionId: String(session?.["id"]) };
    await Promise.allSettled([
      server.mutation(people.removeRole, by(admin, other.userId)),
      server.mutation(people.removeRole, by(second, admin.userId)),
    ]);
    expect(await server.query(api.accounts.administrators.list, {})).toHaveLength(1);
  });

  it("lists the enabled administrators with a verified address as recipients", { tags: "@backup-warning-recipients" }, async () => {
    const recipients = () => server.query(api.accounts.administrators.listRecipients, {});
    const setVerified = (person: Person, emailVerified: boolean) => patchRow("users", "id", person.userId, { emailVerified });
    await setVerified(admin, true);
    await setVerified(bob, true);
    const { id, name, email } = (await rowOf("users", "id", admin.userId)) ?? {};
    expect(await recipients()).toEqual([{ id, name, email }]);
    await setRole(bob.userId, true);
    expect(await recipients()).toHaveLength(2);
    await server.mutation(people.disable, by(admin));
    expect(await recipients()).toHaveLength(1);
    await setVerified(admin, false);
    expect(await recipients()).toEqual([]);
  });

  it("ends administration at once when the operator removes the role", async () => {
    expect(await admin.query(api.accounts.mine.getMe, {})).toMatchObject({ isAdministrator: true });
    expect(await setRole(admin.userId, false)).toEqual({ isChanged: true, isLast: true });
    expect(await setRole(admin.userId, false)).toEqual({ isChanged: false, isLast: false });
    expect(await setRole("nobody", true)).toBeNull();
    expect(await admin.query(api.accounts.mine.getMe, {})).not.toHaveProperty("isAdministrator");
    expect(await refused(admin.query(people.list, { text: "", paginationOpts }))).toEqual(NOT_FOUND);
    expect(await refused(server.mutation(people.disable, by(admin)))).toEqual(NOT_FOUND);
  });

  it("ends roles of sessions by the issuer's group, by the settings and by time", { tags: "@ends-group-roles" }, async () => {
    const asMember = (issuerSubject: string) =>
      patchRow("sessions", "id", bob.sessionId, { issuer: "oidc-acme", issuerSubject, adminGroup: "admins" });
    const isAllowed = () => server.query(api.accounts.administrators.isAllowed, { sessionId: bob.sessionId });
    const groups = (adminGroup: string) => ({ groups: [{ issuer: "oidc-acme", adminGroup }] });
    expect(await isAllowed()).toBe(false);
    await asMember("bob");
    expect(await isAllowed()).toBe(true);
    await server.mutation(api.accounts.administrators.endGroup, { issuer: "oidc-acme", issuerSubject: "other" });
    await server.mutation(api.accounts.administrators.keepGroups, groups("admins"));
    expect(await isAllowed()).toBe(true);
    await server.mutation(api.accounts.administrators.endGroup, { issuer: "oidc-acme", issuerSubject: "bob" });
    expect(await isAllowed()).toBe(false);
    await asMember("bob");
    await server.mutation(api.accounts.administrators.keepGroups, groups("others"));
    expect(await isAllowed()).toBe(false);
    await asMember("bob");
    await backend.inside.mutation(makeFunctionReference<"mutation", { sessionId: string }>("accounts/administrators:endGroupRole"), {
      sessionId: bob.sessionId,
    });
    expect(await isAllowed()).toBe(false);
  });

  it("refuses destructive actions of a sign-in that is older than a quarter of an hour", async () => {
    await patchRow("sessions", "id", admin.sessionId, { createdAt: Date.now() - 15 * 60_000 });
    for (const mutation of [people.disable, people.remove, people.signOutEverywhere, people.resetSecondFactor, people.removeRole])
      expect(await refused(server.mutation(mutation, by(admin)))).toEqual(UNAUTHENTICATED);
    expect(await refused(server.mutation(people.setQuota, { ...by(admin), bytes: 1 }))).toEqual(UNAUTHENTICATED);
    await server.mutation(people.enable, by(admin));
    expect(await bob.query(api.accounts.mine.getMe, {})).toMatchObject({ id: bob.userId });
  });

  it("applies a person's own quota to uploads, also by others", async () => {
    const quota = 100;
    const room = (bytes: number) =>
      server.mutation(api.uploads.generateUploadUrl, { sessionId: bob.sessionId, designId, bytes, quota }).then(
        () => "ok",
        () => "full",
      );
    const projectId = await bob.mutation(api.projects.create, { name: "p" });
    const designId = await bob.mutation(api.designs.create, { projectId, name: "d" });
    expect([await room(100), await room(101)]).toEqual(["ok", "full"]);
    await server.mutation(people.setQuota, { ...by(admin), bytes: 200 });
    expect([await room(200), await room(201)]).toEqual(["ok", "full"]);
    await server.mutation(people.setQuota, { ...by(admin), bytes: 10 });
    expect([await room(10), await room(11)]).toEqual(["ok", "full"]);
    const upload = { sessionId: bob.sessionId, designId, bytes: 11, quota };
    expect(await refused(server.mutation(api.uploads.generateUploadUrl, upload)), "names the person's own quota").toEqual({
      code: "limit",
      left: 10,
      quota: 10,
    });
    await server.mutation(people.setQuota, { ...by(admin), bytes: null });
    expect([await room(100), await room(101)]).toEqual(["ok", "full"]);
    for (const bytes of [-1, 0.5, Number.NaN])
      expect(await refused(server.mutation(people.setQuota, { ...by(admin), bytes }))).toMatchObject({ code: "invalid" });
  });

  it("resets the second factor with its trusted devices, and notifies the person", async () => {
    await patchRow("users", "id", bob.userId, { twoFactorEnabled: true });
    const factor = { id: randomUUID(), userId: bob.userId, secret: "s", backupCodes: "b" };
    await backend.inside.mutation(probe.insert, { table: "twoFactors", row: factor });
    const trusted = { id: randomUUID(), identifier: "trust-device-x", value: bob.userId, expiresAt: 9e15, createdAt: 1, updatedAt: 1 };
    await backend.inside.mutation(probe.insert, { table: "verifications", row: trusted });
    expect(await server.mutation(people.resetSecondFactor, by(admin))).toBe(true);
    expect(await server.mutation(people.resetSecondFactor, by(admin))).toBe(false);
    await backend.settle();
    expect(await rowOf("twoFactors", "userId", bob.userId)).toBeUndefined();
    expect(await rowOf("verifications", "id", trusted.id)).toBeUndefined();
    expect(await rowOf("users", "id", bob.userId)).toMatchObject({ twoFactorEnabled: false });
    expect(await rowOf("notices", "userId", bob.userId)).toMatchObject({ notice: { kind: "twoFactorDisabled" } });
  });

  it("deletes an account with its projects, once", async () => {
    await bob.mutation(api.projects.create, { name: "gone" });
    await server.mutation(people.remove, by(admin));
    expect(await refused(server.mutation(people.remove, by(admin)))).toEqual(NOT_FOUND);
    await backend.settle();
    expect(await rowOf("users", "id", bob.userId)).toBeUndefined();
    expect(await rowOf("projects", "ownerId", bob.userId)).toBeUndefined();
  });

  it("invites an address without an account, and revokes it", async () => {
    const email = `${randomUUID()}@example.com`;
    const { sessionId } = admin;
    const listed = async () => (await admin.query(api.admin.invitations.list, {})).map((each) => each.email);
    await server.mutation(api.admin.invitations.create, { sessionId, email, tokenHash: randomUUID() });
    expect(await listed()).toContain(email);
    expect(await server.mutation(api.admin.invitations.revoke, { sessionId, email })).toBe(1);
    expect(await server.mutation(api.admin.invitations.revoke, { sessionId, email })).toBe(0);
    expect(await listed()).not.toContain(email);
    const taken = { sessionId, email: `${bob.userId}@example.com`, tokenHash: randomUUID() };
    expect(await refused(server.mutation(api.admin.invitations.create, taken))).toMatchObject({ code: "conflict" });
  });
});

describe("with 10,000 accounts", () => {
  const test = convexTest({ schema, modules });
  const holder = test.withIdentity({ issuer: "https://atelier.invalid", subject: "admin", sessionId: "session" });
  const times = { createdAt: 1, updatedAt: 1 };
  beforeAll(async () => {
    await test.run(async ({ db }) => {
      for (let each = 0; each < 10_000; each++) {
        const id = `user${each}`;
        const name = each === 5000 ? "Grace Hopper" : "Somebody Else";
        await db.insert("users", { id, name, email: `${id}@example.com`, emailVerified: true, ...times });
      }
      await db.insert("users", { id: "admin", name: "A", email: "a@x.example", emailVerified: true, isAdministrator: true, ...times });
      await db.insert("sessions", { id: "session", token: "t", userId: "admin", expiresAt: Date.now() + 1e9, ...times });
    });
  });

  const costOf = (name: string, args: object) =>
    holder.mutation(async (ctx) => {
      await ctx.runQuery(makeFunctionReference<"query">(name), args);
      return (await ctx.meta.getTransactionMetrics()).documentsRead.used;
    });

  it.each([
    ["the newest", "admin/people:list", { text: "", paginationOpts }, 53],
    ["administrators", "admin/people:list", { text: "", only: "administrators", paginationOpts }, 3],
    ["one address", "admin/people:list", { text: "user777@example.com", paginationOpts }, 28],
    ["one name", "admin/people:list", { text: "hopper", paginationOpts }, 3],
    ["a common name", "admin/people:list", { text: "somebody", paginationOpts }, 27],
    ["one person", "admin/people:get", { userId: "user9" }, 3],
    ["invitations", "admin/invitations:list", {}, 2],
  ])("reads few rows for %s", async (_, name, args, most) => {
    expect(await costOf(name, args)).toBeLessThanOrEqual(most);
  });
});

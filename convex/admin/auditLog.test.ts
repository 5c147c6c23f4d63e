import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, type Person, probe, signUp } from "../../tests/convex/backends.ts";
import { api } from "../_generated/api";
import { READ_AT_ONCE } from "../model/audit/allEvents";

const { list, exported } = api.admin.auditLog;
const paginationOpts = { cursor: null, numItems: 50 };

describe.each(backends)("the audit log of all accounts on $name", ({ start, scansAllRows }) => {
  let backend: Backend;
  let server: Caller;
  let admin: Person;
  let bob: Person;
  let at = Date.now() + 1e9;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    admin = await signUp(backend, "admin");
    bob = await signUp(backend, "bob");
    await server.mutation(api.accounts.administrators.set, { userId: admin.userId, isAdministrator: true });
    at += 1e6;
  });

  const insertEvents = (rows: object[]) =>
    backend.inside.mutation(probe.insertMany, {
      table: "auditEvents",
      rows: rows.map((row, index) => ({ result: "success", actor: "user", at: at + index, ...row })),
    });
  const signedIn = { action: "signIn.succeeded", category: "signIn" };
  const failed = { action: "signIn.failed", category: "signIn", result: "failure", actor: "visitor" };
  const removed = { action: "member.removed", category: "sharing" };
  const backup = { action: "backup.failed", category: "operation", result: "failure", actor: "system" };
  const ofAll = () => [
    { ...signedIn, userId: bob.userId },
    { ...failed, userId: bob.userId },
    { ...removed, userId: admin.userId, otherUserId: bob.userId },
    backup,
    { action: "data.exported", category: "data", userId: "deleted-1" },
  ];

  it("filters by person, category, result and time, also together", { tags: "@filters-audit-log" }, async () => {
    await insertEvents(ofAll());
    const listed = async (filter: object) => {
      const { page } = await admin.query(list, { paginationOpts, since: at, ...filter });
      return page.map(({ action }) => action);
    };
    expect(await listed({})).toEqual(["data.exported", "backup.failed", "member.removed", "signIn.failed", "signIn.succeeded"]);
    expect(await listed({ category: "signIn" })).toEqual(["signIn.failed", "signIn.succeeded"]);
    expect(await listed({ result: "failure" })).toEqual(["backup.failed", "signIn.failed"]);
    expect(await listed({ result: "failure", category: "operation" })).toEqual(["backup.failed"]);
    expect(await listed({ until: at + 1 })).toEqual(["signIn.succeeded"]);
    const person = bob.userId;
    expect(await listed({ person })).toEqual(["member.removed", "signIn.failed", "signIn.succeeded"]);
    expect(await listed({ person: ` ${bob.userId.toUpperCase()}@example.com` })).toHaveLength(3);
    expect(await listed({ person, category: "sharing" })).toEqual(["member.removed"]);
    expect(await listed({ person, result: "failure" })).toEqual(["signIn.failed"]);
    expect(await listed({ person, category: "signIn", result: "success" })).toEqual(["signIn.succeeded"]);
    expect(await listed({ person: "deleted-1" })).toEqual(["data.exported"]);
    expect(await listed({ person: "nobody@example.com" })).toEqual([]);
  });

  it("names the accounts of an event, and no account for deleted ones", async () => {
    await insertEvents(ofAll());
    const { page } = await admin.query(list, { paginationOpts, since: at });
    const shown = page.map(({ person, other }) => [person && [person.id, person.email], other?.email]);
    expect(shown.slice(0, 4)).toEqual([
      [["deleted-1", null], undefined],
      [null, undefined],
      [[admin.userId, `${admin.userId}@example.com`], `${bob.userId}@example.com`],
      [[bob.userId, `${bob.userId}@example.com`], undefined],
    ]);
    const answer = await server.query(exported, { sessionId: admin.sessionId, paginationOpts, since: at, person: bob.userId });
    expect(answer.page[0]).toMatchObject({ userId: admin.userId, otherUserId: bob.userId, otherEmail: `${bob.userId}@example.com` });
  });

  it.each(["all", "one person"])("continues pages of %s without gaps and repetitions", async (whose) => {
    await insertEvents(
      Array.from({ length: 7 }, (_, index) => (index % 2 ? { ...signedIn, userId: bob.userId } : { ...removed, otherUserId: bob.userId })),
    );
    const filter = whose === "all" ? { since: at } : { since: at, person: bob.userId };
    const times = [];
    let cursor: string | null = null;
    for (let isDone = false; !isDone;) {
      const answer: typeof list._returnType = await admin.query(list, { ...filter, paginationOpts: { cursor, numItems: 3 } });
      times.push(...answer.page.map((entry) => entry.at - at));
      ({ isDone, continueCursor: cursor } = answer);
    }
    expect(times).toEqual([6, 5, 4, 3, 2, 1, 0]);
  });

  it.skipIf(scansAllRows)("limits how many events of other people a page reads", async () => {
    const others = Array.from({ length: READ_AT_ONCE + 10 }, () => ({ ...removed, userId: admin.userId, otherUserId: bob.userId }));
    await insertEvents([{ ...signedIn, userId: bob.userId }, ...others]);
    const first = await admin.query(list, { paginationOpts, since: at, person: bob.userId, category: "signIn" });
    expect(first).toMatchObject({ page: [], isDone: false });
    const next = await admin.query(list, {
      paginationOpts: { cursor: first.continueCursor, numItems: 50 },
      since: at,
      person: bob.userId,
      category: "signIn",
    });
    expect(next).toMatchObject({ page: [{ action: "signIn.succeeded" }], isDone: true });
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  ADDRESS,
  DAY,
  type Fixtures,
  insert,
  PREPARATION_EVENTS,
  scenarios,
  session,
  store,
  verification,
} from "../tests/convex/audit-scenarios.ts";
import { appServer, type Backend, newBackends, type Caller, type Person, probe } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { shareProject } from "../tests/convex/shared-project.ts";
import { equals } from "../tests/convex/equals.ts";
import { api, internal } from "./_generated/api";
import { AUDIT_BATCH } from "./jobs/auditLog";
import { AUDIT_ACTION_NAMES } from "./model/audit/auditActions";

const paginationOpts = { cursor: null, numItems: 100 };

describe.each(newBackends)("audit log on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());

  let before = new Set<unknown>();
  const events = () => backend.inside.query(probe.rows, { table: "auditEvents" });
  const newEvents = async () => (await events()).filter(({ _id }) => !before.has(_id));
  const mark = async () => void (before = new Set((await events()).map(({ _id }) => _id)));
  const fixtures = async (): Promise<Fixtures> => ({ ...(await shareProject(backend, "editor")), backend, server });
  beforeEach(mark);

  it.each(AUDIT_ACTION_NAMES)("records %s once, with its fields", { tags: "@records-each-audited-action-once" }, async (action) => {
    const f = await fixtures();
    await mark();
    const began = Date.now();
    const expected = await scenarios[action](f);
    const written = (await newEvents()).filter(({ action: each }) => each !== PREPARATION_EVENTS[action]);
    expect(written.map(({ action: each }) => each)).toEqual([action]);
    const { _id, _creationTime, at, category: _, ...rest } = written[0] ?? {};
    expect(rest).toEqual({ action, result: expect.any(String), ...expected });
    expect(Number(at)).toBeGreaterThanOrEqual(began);
    expect(JSON.stringify(rest)).not.toMatch(/@example\.com|hash|sealed|token of|client/);
  });

  it("records a sign-in with a trusted device, and no sign-in for a replaced session", async () => {
    const f = await fixtures();
    await mark();
    const { userId } = f.ada;
    const request = { path: "/sign-in/email", address: ADDRESS };
    await server.mutation(store.create, { model: "verifications", data: verification("trust-device-", userId), request });
    const replaced = { path: "/two-factor/verify-totp", replacesSession: true };
    await server.mutation(store.create, { model: "sessions", data: session(userId), request: replaced });
    await server.mutation(store.deleteMany, { model: "sessions", where: [equals("userId", userId)], request: replaced });
    expect((await newEvents()).map(({ action, details }) => [action, details])).toEqual([
      ["signIn.succeeded", { method: "trustedDevice" }],
    ]);
  });

  it("records the sessions that one transaction ends as one event", async () => {
    const f = await fixtures();
    const { userId } = f.ada;
    const ids = ["a", "b"].map((each) => `${each} ${userId}`);
    for (const id of ids) await insert(f, "sessions", session(userId, id));
    await mark();
    const writes = ids.map((id) => ({ kind: "delete" as const, model: "sessions", id }));
    await server.mutation(store.commit, { writes, request: { path: "/reset-password" } });
    expect((await newEvents()).map(({ action, details }) => [action, details])).toEqual([["session.revoked", { count: 2 }]]);
  });

  it("records nothing when the change fails", async () => {
    const f = await fixtures();
    await mark();
    const data = session(f.ada.userId, f.ada.sessionId);
    await refused(server.mutation(store.create, { model: "sessions", data, request: { path: "/sign-in/email" } }));
    await refused(f.eve.mutation(api.members.remove, { projectId: f.project, userId: f.ada.userId }));
    expect(await newEvents()).toEqual([]);
  });

  it("shows each person their own events only, filtered and in pages", { tags: "@account-activity-is-own" }, async () => {
    const { ada, eve, project } = await fixtures();
    await ada.mutation(api.members.setRole, { projectId: project, userId: eve.userId, role: "viewer" });
    await server.mutation(api.auditLog.recordExport, { sessionId: ada.sessionId, of: "data" });
    const listed = async (person: Person, filter = {}) => (await person.query(api.auditLog.listAll, { paginationOpts, ...filter })).page;
    const all = await listed(ada);
    expect(all.map(({ action }) => action)).toEqual(["data.exported", "member.roleChanged"]);
    expect(JSON.stringify(all)).not.toContain(eve.userId);
    expect(await listed(eve)).toEqual([]);
    expect((await listed(ada, { category: "sharing" })).map(({ action }) => action)).toEqual(["member.roleChanged"]);
    const [newest] = all;
    expect(await listed(ada, { since: Number(newest?.at) + 1 })).toEqual([]);
    expect(await listed(ada, { category: "data", until: Number(newest?.at) })).toEqual([]);

    const first = await ada.query(api.auditLog.listAll, { paginationOpts: { cursor: null, numItems: 1 } });
    const next = await ada.query(api.auditLog.listAll, { paginationOpts: { cursor: first.continueCursor, numItems: 1 } });
    expect([...first.page, ...next.page]).toEqual(all);
    const exported = await server.query(api.accounts.archive.auditEvents, { sessionId: ada.sessionId, category: "data", paginationOpts });
    expect(exported.page).toMatchObject([{ id: newest?._id, action: "data.exported" }]);
  });

  it("lists only actions that pages of an earlier build can show", async () => {
    const { ada } = await fixtures();
    for (const of of ["archive", "data"] as const) await server.mutation(api.auditLog.recordExport, { sessionId: ada.sessionId, of });
    const actions = async (query: typeof api.auditLog.list | typeof api.auditLog.listAll) =>
      (await ada.query<typeof api.auditLog.listAll>(query, { paginationOpts })).page.map(({ action }) => action);
    expect(await actions(api.auditLog.listAll)).toEqual(["data.exported", "archive.downloaded"]);
    expect(await actions(api.auditLog.list)).toEqual(["data.exported"]);
  });

  it("deletes events after the retention time, in batches", async () => {
    const rows = (count: number, at: number) => Array.from({ length: count }, () => ({ ...row, at }));
    const row = { action: "data.exported", category: "data", result: "success", actor: "user", userId: `retained${Date.now()}` };
    const [settings] = await backend.inside.query(probe.rows, { table: "auditSettings" });
    const retentionDays = Number(settings?.["retentionDays"] ?? 365);
    await backend.inside.mutation(probe.insertMany, {
      table: "auditEvents",
      rows: [...rows(AUDIT_BATCH + 5, Date.now() - (retentionDays + 1) * DAY), ...rows(2, Date.now() - (retentionDays - 1) * DAY)],
    });
    const calls = () => backend.inside.query(probe.scheduledCalls, { name: "jobs/auditLog:sweep" });
    const earlier = await calls();
    await backend.inside.mutation(internal.jobs.auditLog.sweep, {});
    const of = () => backend.inside.query(probe.rows, { table: "auditEvents", field: "userId", value: row.userId });
    await backend.settle();
    expect(await of()).toHaveLength(2);
    expect((await calls()) - earlier, "the first batch was deleted by the call above").toBe(1);
  });

  it(
    "keeps the events of a deleted account without its id, address and details",
    { tags: "@anonymises-events-of-deleted-accounts" },
    async () => {
      const { ada, eve, project } = await fixtures();
      await ada.mutation(api.members.setRole, { projectId: project, userId: eve.userId, role: "viewer" });
      const row = {
        action: "data.exported",
        category: "data",
        result: "success",
        actor: "user",
        userId: ada.userId,
        at: 1,
        address: ADDRESS,
      };
      await backend.inside.mutation(probe.insertMany, { table: "auditEvents", rows: Array.from({ length: AUDIT_BATCH }, () => row) });
      await mark();
      before = new Set([...before].filter(() => false));
      await server.mutation(store.deleteUser, { userId: eve.userId, request: { address: ADDRESS } });
      await server.mutation(store.deleteUser, { userId: ada.userId, request: { address: ADDRESS } });
      await backend.settle();
      const all = await events();
      expect(JSON.stringify(all)).not.toContain(ada.userId);
      expect(JSON.stringify(all)).not.toContain(eve.userId);
      const [deletion] = all
        .filter(({ action, at, address }) => action === "account.deleted" && address === undefined && Number(at) > 1)
        .slice(-1);
      const ofAda = all.filter(({ userId }) => userId === deletion?.["userId"]);
      expect(ofAda).toHaveLength(AUDIT_BATCH + 2);
      for (const each of ofAda)
        expect(Object.keys(each).toSorted()).toEqual(["_creationTime", "_id", "action", "actor", "at", "category", "result", "userId"]);
    },
  );

  it("reports only the secret when the hashes of the settings have another key", async () => {
    const startWith = (fingerprints: Record<string, string>) =>
      server.mutation(api.auditLog.recordStart, { retentionDays: 30, fingerprints });
    await startWith({ PORT: "a", BETTER_AUTH_SECRET: "x" });
    await mark();
    await startWith({ PORT: "b", BETTER_AUTH_SECRET: "y" });
    expect((await newEvents()).map(({ details }) => details)).toEqual([{ settings: ["BETTER_AUTH_SECRET"] }]);
  });
});

/** Public mutations by module. A test fails for a new mutation until it is listed here or in `NOT_AUDITED`. */
const AUDITED: Record<string, string> = {
  links: "create change revoke revokeAny",
  members: "setRole remove leave",
  invitations: "invite revoke accept",
  transfers: "offer cancel accept decline",
  webhooks: "create remove",
  trash: "purge empty",
  auditLog: "recordFailure recordExport recordBackup recordCommand recordStart",
  "accounts/accessTokens": "create revoke",
  "accounts/linked": "unlink",
  "accounts/administrators": "set",
  "admin/people": "disable enable remove signOutEverywhere resetSecondFactor setQuota removeRole",
  "admin/invitations": "create revoke",
  "admin/auditLog": "recordExport",
  "admin/links": "revoke",
  "admin/jobs": "repeat",
  "admin/mail": "queueTest",
  "accounts/reclaim": "removeCredentials verifyAddress",
  "accounts/invitations": "create revoke",
  "accounts/store": "create update updateMany deleteMany deleteUser consumeOne incrementOne commit",
};

/** Mutations that change content (recorded in the activity of its project), the caller's own view, or the state of a worker. */
const NOT_AUDITED: Record<string, string> = {
  projects: "create createWithDesign rename remove moveToTrash duplicate reorder setCover setFavourite setDescription",
  designs: "create rename remove moveToTrash duplicate reorder setCover setFavourite setDescription move",
  designImages: "rename remove moveToTrash duplicate reorder rotate setCaption move",
  many: "trashImages trashDesigns moveDesigns copyImages copyDesigns favouriteDesigns tagImages untagImages tagDesigns untagDesigns restore reviewImages reviewDesigns",
  bulk: "start cancel resume dismiss",
  tags: "tagDesign untagDesign tagImage untagImage",
  versions: "makeCurrent finalize",
  reviews: "setStatus request cancelRequest",
  comments: "startThread reply edit remove removeOfLink setResolved react markRead",
  commentImages: "generateUploadUrl finalize remove",
  linkComments: "startThread reply edit remove",
  httpApi: "startThread reply",
  trash: "restore",
  undo: "revert",
  uploads: "admit generateUploadUrl generateUploadUrls finalize finalizeMany noteDetails discard",
  links: "save forget noteVisits countAttempt",
  webhooks: "sendTest claim claimDue finish postpone",
  presence: "update setPointer leave end",
  notices: "markRead markAllRead",
  notificationSettings: "set setMuted end",
  "accounts/administrators": "endGroup keepGroups",
  "admin/people": "expectRemovable",
  "accounts/mail": "queue claimAll claim done postpone pace",
  "accounts/rateLimits": "consume",
  "accounts/pictures": "put remove",
  "accounts/mine": "noteActivity",
  "accounts/accessTokens": "noteUse",
};

const namesIn = (modules: Record<string, string>) =>
  Object.entries(modules).flatMap(([module, names]) => names.split(" ").map((name) => `${module}:${name}`));

it("classifies every public mutation as audited or not", { tags: "@classifies-every-mutation-for-audit-log" }, async () => {
  const modules = import.meta.glob<Record<string, unknown>>(["./**/*.ts", "!./**/*.test.ts", "!./_generated/**", "!./auth.config.ts"]);
  const mutations: string[] = [];
  for (const [path, load] of Object.entries(modules))
    for (const [name, value] of Object.entries(await load()))
      if (typeof value === "function" && "isPublic" in value && "isMutation" in value) mutations.push(`${path.slice(2, -3)}:${name}`);
  expect(mutations.toSorted()).toEqual([...namesIn(AUDITED), ...namesIn(NOT_AUDITED)].toSorted());
});

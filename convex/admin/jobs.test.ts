import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, newBackends, type Caller, type Person, probe, startWithAdministrator } from "../../tests/convex/backends.ts";
import { refused } from "../../tests/convex/expect.ts";
import { api } from "../_generated/api";

describe.each(newBackends)("the scheduled work on $name", ({ start, scansAllRows }) => {
  let backend: Backend;
  let server: Caller;
  let admin: Person;
  beforeAll(async () => {
    ({ backend, server, admin } = await startWithAdministrator(start));
  });
  afterAll(() => backend.close());

  const state = () => server.query(api.admin.jobs.get, { sessionId: admin.sessionId });
  const repeat = (id: string) => server.mutation(api.admin.jobs.repeat, { sessionId: admin.sessionId, id });
  async function fail(text: string) {
    const id = await backend.inside.mutation(probe.scheduleFailure, { text });
    await backend.settle();
    return id;
  }

  it("lists failed jobs with the reason, without arguments", { tags: "@administration-lists-failed-jobs" }, async () => {
    const began = Date.now();
    const id = await fail("a secret name");
    const { failed } = await state();
    expect(failed).toMatchObject([{ id, name: "probe:fail" }]);
    // convex-test stores no error.
    expect(failed[0]?.reason).toContain(scansAllRows ? "" : "The job failed.");
    expect(failed[0]?.at).toBeGreaterThanOrEqual(began);
    expect(JSON.stringify(failed)).not.toContain("secret");
  });

  it("repeats a failed job, and only a failed one", { tags: "@administration-repeats-jobs" }, async () => {
    const id = await fail("again");
    const before = (await state()).failed.length;
    await repeat(id);
    await backend.settle();
    expect((await state()).failed).toHaveLength(before + 1);
    for (const other of ["nothing", admin.userId]) expect(await refused(repeat(other))).toMatchObject({ code: "conflict" });
    const events = await backend.inside.query(probe.rows, { table: "auditEvents", field: "action", value: "job.repeated" });
    expect(events).toMatchObject([{ actor: "administrator", userId: admin.userId, details: { job: "probe:fail" } }]);
  });

  it("lists pending jobs and running bulk actions", async () => {
    const itemId = await admin.mutation(api.projects.create, { name: "Secret project" });
    const link = { itemId, tokenHash: "h", sealedToken: "s", passwordHash: null, name: "l", downloads: false, comments: false };
    const expiresAt = Date.now() + 24 * 60 * 60 * 1000;
    await server.mutation(api.links.create, { sessionId: admin.sessionId, ...link, expiresAt });
    const selection = await backend.inside.mutation(probe.insert, {
      table: "bulkSelections",
      row: { userId: admin.userId, at: 1, kind: "image", ids: [], until: 1 },
    });
    const counts = { isLimited: false, run: 0, cursor: null, parts: 0, part: 0, total: 9, done: 3, failed: 1, failures: [] };
    const job = { userId: admin.userId, step: "s", at: 1, selectionId: selection, kind: "image", action: { type: "trash" } };
    await backend.inside.mutation(probe.insert, {
      table: "bulkJobs",
      row: { ...job, ...counts, state: "running", phase: "do", isDismissed: false },
    });
    const shown = await state();
    expect(shown.pending).toContainEqual({ id: expect.any(String), name: "jobs/links:expire", at: expiresAt });
    expect(shown.pendingCount).toBeGreaterThan(0);
    expect(shown.bulkActions).toMatchObject([{ person: { id: admin.userId }, type: "trash", done: 3, failed: 1, total: 9 }]);
    expect(JSON.stringify(shown)).not.toContain("Secret");
  });
});

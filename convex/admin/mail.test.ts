import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Caller, type Person, probe, startWithAdministrator } from "../../tests/convex/backends.ts";
import { api, internal } from "../_generated/api";

const HOUR = 60 * 60 * 1000;

describe.each(backends)("email of all accounts on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let admin: Person;
  beforeAll(async () => {
    ({ backend, server, admin } = await startWithAdministrator(start));
  });
  afterAll(() => backend.close());

  const state = () => admin.query(api.admin.mail.get, {});
  const claim = async () => {
    const [mail] = await server.mutation(api.accounts.mail.claimAll, { lease: "a", leaseMs: HOUR, limit: 1 });
    if (!mail) throw new Error("No mail is due.");
    return mail.id;
  };

  it("lists each attempt with its result, for seven days", { tags: "@administration-lists-deliveries" }, async () => {
    await server.mutation(api.admin.mail.queueTest, { sessionId: admin.sessionId, sealed: "sealed", expiresAt: Date.now() + HOUR });
    expect(await state()).toMatchObject({ waiting: 1, retried: 0, attempts: [] });
    const attempt = { kind: "test", reason: "ECONNREFUSED" };
    await server.mutation(api.accounts.mail.postpone, { id: await claim(), lease: "a", dueAt: Date.now() - 1, attempt });
    expect(await state()).toMatchObject({ waiting: 1, retried: 1 });
    await server.mutation(api.accounts.mail.done, { id: await claim(), lease: "a", attempt: { kind: "test" } });
    const { waiting, attempts } = await state();
    expect(waiting).toBe(0);
    expect(attempts.map(({ kind, result, attempt: number, reason }) => [kind, result, number, reason])).toEqual([
      ["test", "sent", 2, undefined],
      ["test", "postponed", 1, "ECONNREFUSED"],
    ]);

    await server.mutation(api.accounts.mail.queue, { sealed: "sealed", expiresAt: Date.now() + HOUR });
    await server.mutation(api.accounts.mail.done, { id: await claim(), lease: "a", attempt: { kind: "code", reason: "EENVELOPE 550" } });
    expect((await state()).attempts[0]).toMatchObject({ kind: "code", result: "failed", reason: "EENVELOPE 550" });

    const [old] = await backend.inside.query(probe.rows, { table: "mailAttempts" });
    await backend.inside.mutation(probe.patch, {
      table: "mailAttempts",
      id: String(old?.["_id"]),
      fields: { at: Date.now() - 8 * 24 * HOUR },
    });
    await backend.inside.mutation(internal.accounts.notices.sweep, {});
    expect((await state()).attempts).toHaveLength(2);
  });
});

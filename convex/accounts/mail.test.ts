import { makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, probe, signUp } from "../../tests/convex/backends.ts";
import { api } from "../_generated/api";

const mail = api.accounts.mail;
const sweep = makeFunctionReference<"mutation", Record<string, never>, null>("accounts/notices:sweep");

describe.each(backends)("the mail queue on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  beforeAll(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterAll(() => backend.close());
  beforeEach(async () => {
    for (const { _id } of await rows()) await backend.inside.mutation(probe.remove, { table: "mails", id: String(_id) });
  });

  const rows = () => backend.inside.query(probe.rows, { table: "mails" });
  const queue = (sealed: string, expiresAt = Date.now() + 60_000) => server.mutation(mail.queue, { sealed, expiresAt });
  const claim = (lease: string, leaseMs = 60_000, limit = 10) => server.mutation(mail.claim, { lease, leaseMs, limit });

  it("returns the next due time and leases each message to one worker", async () => {
    expect(await server.query(mail.due, {})).toBeNull();
    await queue("one");
    await queue("two");
    expect(await server.query(mail.due, {})).toBeLessThanOrEqual(Date.now());
    const [first, second] = await Promise.all([claim("a", 60_000, 1), claim("b", 60_000, 10)]);
    expect(
      [...first, ...second].map(({ content }) => content).toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    ).toEqual([{ sealed: "one" }, { sealed: "two" }]);
    expect(await claim("c")).toEqual([]);
    expect(await server.query(mail.due, {})).toBeGreaterThan(Date.now() + 50_000);
  });

  it("leases urgent messages before notifications that are due earlier", { tags: "@urgent-mails-first" }, async () => {
    for (let each = 0; each < 5; each++) await queue(`invitation ${each}`);
    await server.mutation(mail.queue, { sealed: "code", expiresAt: Date.now() + 60_000, isUrgent: true });
    const first = await server.mutation(mail.claimAll, { lease: "a", leaseMs: 60_000, limit: 3 });
    expect(first.map(({ content }) => content)).toEqual(["code", "invitation 0", "invitation 1"].map((sealed) => ({ sealed })));
    expect(await claim("b")).toHaveLength(3);
  });

  it("leases a message again after the lease expired; ignores its former holder", async () => {
    await queue("one");
    const [lost] = await claim("dead", -1);
    const [again] = await claim("alive");
    expect(again).toMatchObject({ id: lost?.id, attempts: 2 });
    if (!lost) throw new Error("nothing was claimed");
    await server.mutation(mail.done, { id: lost.id, lease: "dead" });
    await server.mutation(mail.postpone, { id: lost.id, lease: "dead", dueAt: 0 });
    expect(await rows()).toMatchObject([{ lease: "alive" }]);
    await server.mutation(mail.done, { id: lost.id, lease: "alive" });
    expect(await rows()).toEqual([]);
  });

  it("reschedules a message that could not be sent", async () => {
    await queue("one");
    const [{ id } = { id: null }] = await claim("a");
    if (!id) throw new Error("nothing was claimed");
    await server.mutation(mail.postpone, { id, lease: "a", dueAt: Date.now() + 10_000 });
    expect(await claim("b")).toEqual([]);
    await server.mutation(mail.postpone, { id, lease: "a", dueAt: 0 });
    expect(await server.query(mail.due, {})).toBeGreaterThan(Date.now());
  });

  it("deletes expired messages on claim and on sweep", async () => {
    await queue("late", Date.now() - 1);
    expect(await claim("a")).toEqual([]);
    expect(await rows()).toEqual([]);
    await queue("late", Date.now() - 1);
    await queue("fresh");
    await backend.inside.mutation(sweep, {});
    expect(await rows()).toMatchObject([{ content: { sealed: "fresh" } }]);
  });

  it("returns a notice with its user's name and drops a deleted one", async () => {
    const ada = await signUp(backend, "ada");
    const row = { userId: ada.userId, notice: { kind: "passwordChanged" }, at: 7, read: false };
    const notice = await backend.inside.mutation(probe.insert, { table: "notices", row });
    const content = { notice, to: "old@example.com" };
    await backend.inside.mutation(probe.insert, {
      table: "mails",
      row: { userId: ada.userId, content, attempts: 0, dueAt: 0, expiresAt: Date.now() + 9000 },
    });
    expect(await server.query(mail.outbox, {})).toMatchObject([
      { content: { notice: { kind: "passwordChanged" }, at: 7, to: "old@example.com", name: "ada" } },
    ]);
    expect(await claim("a", -1)).toHaveLength(1);
    await backend.inside.mutation(probe.remove, { table: "notices", id: notice });
    expect(await claim("b")).toEqual([]);
    expect(await rows()).toEqual([]);
  });

  it("allows an action once per interval", async () => {
    const key = `k${Date.now()}`;
    expect(await server.mutation(mail.pace, { key, seconds: 60 })).toBe(0);
    expect(await server.mutation(mail.pace, { key, seconds: 60 })).toBeGreaterThan(55);
    expect(await server.mutation(mail.pace, { key: `${key}2`, seconds: 60 })).toBe(0);
    expect(await server.mutation(mail.pace, { key, seconds: 0 })).toBe(0);
  });
});

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Caller, type Person, probe, signUp, startWithAdministrator } from "../../tests/convex/backends.ts";
import { refused } from "../../tests/convex/expect.ts";
import { api } from "../_generated/api";
import type { Id } from "../_generated/dataModel";

const paginationOpts = { cursor: null, numItems: 50 };

describe.each(backends)("the public links of all accounts on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  let admin: Person;
  let bob: Person;
  let linkId: Id<"links">;
  beforeAll(async () => {
    ({ backend, server, admin } = await startWithAdministrator(start));
    bob = await signUp(backend, "bob");
    const itemId = await bob.mutation(api.projects.create, { name: "Secret project" });
    const settings = { name: "Secret client", downloads: true, comments: true, expiresAt: null };
    const token = { tokenHash: randomUUID(), sealedToken: "Secret token", passwordHash: "Secret hash" };
    linkId = await server.mutation(api.links.create, { sessionId: bob.sessionId, itemId, ...token, ...settings });
    await server.mutation(api.links.noteVisits, { linkId, visits: 3 });
  });
  afterAll(() => backend.close());

  const list = async (person?: string) =>
    (await admin.query(api.admin.links.list, { paginationOpts, ...(person !== undefined && { person }) })).page;

  it("are listed with their creator and use, without content", { tags: "@administration-lists-links" }, async () => {
    const [link, ...others] = await list(`${bob.userId}@example.com`);
    expect(others).toEqual([]);
    expect(link).toMatchObject({
      _id: linkId,
      kind: "project",
      creator: { id: bob.userId },
      hasPassword: true,
      downloads: true,
      visits: 3,
    });
    expect(JSON.stringify(link)).not.toContain("Secret");
    expect(await list()).toContainEqual(link);
    expect(await list("nobody@example.com")).toEqual([]);
  });

  it("are revoked once, after a recent sign-in, with an event", { tags: "@administration-revokes-links" }, async () => {
    const call = { sessionId: admin.sessionId, linkId };
    const sessions = await backend.inside.query(probe.rows, { table: "sessions", field: "id", value: admin.sessionId });
    const signedInAt = (createdAt: number) =>
      backend.inside.mutation(probe.patch, { table: "sessions", id: String(sessions[0]?.["_id"]), fields: { createdAt } });
    await signedInAt(Date.now() - 15 * 60_000);
    expect(await refused(server.mutation(api.admin.links.revoke, call))).toEqual({ code: "unauthenticated" });
    await signedInAt(Date.now());
    expect(await server.mutation(api.admin.links.revoke, call)).toBe(true);
    expect(await server.mutation(api.admin.links.revoke, call)).toBe(false);
    expect(await list(bob.userId)).toEqual([]);
    const events = await backend.inside.query(probe.rows, { table: "auditEvents", field: "action", value: "link.revoked" });
    expect(events).toMatchObject([
      { actor: "administrator", userId: bob.userId, otherUserId: admin.userId, target: { kind: "link", id: linkId } },
    ]);
  });
});

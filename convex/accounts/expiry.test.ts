import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, probe, signUp } from "../../tests/convex/backends.ts";
import { api, internal } from "../_generated/api";

describe.each(backends)("expiry on $name", ({ start }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());

  it("removes all expired rows and no others", async () => {
    const ada = await signUp(backend, "ada");
    const over = { userId: ada.userId, createdAt: 1, updatedAt: 1, expiresAt: Date.now() - 1 };
    for (let n = 0; n < 201; n++)
      await backend.inside.mutation(probe.insert, { table: "sessions", row: { ...over, id: `s${n}`, token: `t${n}` } });
    const value = { value: "v", createdAt: 1, updatedAt: 1 };
    await backend.inside.mutation(probe.insert, { table: "verifications", row: { ...value, id: "old", identifier: "a", expiresAt: 1 } });
    await backend.inside.mutation(probe.insert, {
      table: "verifications",
      row: { ...value, id: "new", identifier: "b", expiresAt: Date.now() + 60_000 },
    });

    for (const [key, lastRequest] of [
      ["old", 1],
      ["new", Date.now()],
    ])
      await backend.inside.mutation(probe.insert, { table: "rateLimits", row: { id: key, key, count: 1, lastRequest } });

    await backend.inside.mutation(internal.accounts.expiry.sweep, {});
    await backend.settle();

    const sessions = await backend.inside.query(probe.rows, { table: "sessions", field: "userId", value: ada.userId });
    expect(sessions.map(({ id }) => id)).toEqual([ada.sessionId]);
    expect((await backend.inside.query(probe.rows, { table: "verifications" })).map(({ id }) => id)).toEqual(["new"]);
    expect((await backend.inside.query(probe.rows, { table: "rateLimits" })).map(({ id }) => id)).toEqual(["new"]);
    expect(await ada.query(api.projects.getProjects, {})).toEqual([]);
  });
});

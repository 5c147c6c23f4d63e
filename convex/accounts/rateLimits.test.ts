import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appServer, type Backend, backends, type Caller, probe } from "../../tests/convex/backends.ts";
import { api } from "../_generated/api";

describe.each(backends)("rate limits on $name", ({ start }) => {
  let backend: Backend;
  let server: Caller;
  beforeEach(async () => {
    backend = await start();
    server = await appServer(backend);
  });
  afterEach(() => backend.close());
  const consume = (max = 2) => server.mutation(api.accounts.rateLimits.consume, { key: "203.0.113.1|/sign-in", window: 10, max });

  it("rejects requests beyond the limit until the window has passed", async () => {
    const answers = [await consume(), await consume(), await consume()];
    expect(answers.map(({ allowed }) => allowed)).toEqual([true, true, false]);
    expect(answers[2]?.retryAfter).toBeGreaterThan(8);
    const [row] = await backend.inside.query(probe.rows, { table: "rateLimits" });
    expect(row).toMatchObject({ count: 2 });
    const earlier = { table: "rateLimits", id: String(row?._id), fields: { lastRequest: Date.now() - 10_001 } };
    await backend.inside.mutation(probe.patch, earlier);
    expect(await consume()).toEqual({ allowed: true, retryAfter: null });
  });

  it("allows no more simultaneous requests than the limit", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => consume(3)));
    expect(answers.filter(({ allowed }) => allowed)).toHaveLength(3);
  });
});

import { describe, expect, it } from "vitest";
import type { Call, FunctionRunner, QueryOutcome } from "../functions/types.ts";
import type { Json } from "../values/types.ts";
import { createQueryCache, type Bounds } from "./query-cache.ts";

type AskedQuery = Call & { token?: string };

function createCache(bounds?: Bounds) {
  const requested: AskedQuery[] = [];
  const dropped: string[] = [];
  let listener: Parameters<FunctionRunner["onCommit"]>[0] = () => undefined;
  let ts = 10n;
  let value: Json = "old";
  let answer: Partial<QueryOutcome> = {};
  const gate: { wait: Promise<void> } = { wait: Promise.resolve() };
  const cache = createQueryCache(
    {
      latest: () => ts,
      onCommit: (listen) => {
        listener = listen;
        return () => undefined;
      },
      unsubscribe: (tokens) => void dropped.push(...tokens),
      queries: async (calls, at) => {
        requested.push(...calls);
        const outcomes = calls.map(
          (): QueryOutcome =>
            ({
              ok: true,
              value,
              valueText: JSON.stringify(value),
              logLines: [],
              ts: at ?? ts,
              readIdentity: false,
              ...answer,
            }) as QueryOutcome,
        );
        await gate.wait;
        return outcomes;
      },
    },
    bounds,
  );
  const sendRequest = async (args: Json = {}, subject: string | null = null, at?: bigint) => {
    const user = { subject: subject ?? "", issuer: "i", tokenIdentifier: `i|${subject}` };
    const identity: Call["identity"] = subject === null ? { kind: "none" } : { kind: "user", user, expiresAt: Infinity };
    const outcome = await cache.query({ path: "a:q", args, identity, visibility: "public" }, at);
    return outcome.ok ? outcome.value : outcome.message;
  };
  return {
    cache,
    sendRequest,
    queries: requested,
    dropped,
    gate,
    answerWith: (partial: Partial<QueryOutcome>) => (answer = partial),
    commit: (newValue: Json, affected = requested.flatMap(({ token }) => token ?? [])) => {
      ts += 1n;
      value = newValue;
      listener({ ts, affected });
    },
  };
}

describe("an answer", () => {
  it("is cached from the second call on until a commit affects it", async () => {
    const { sendRequest, queries, cache, commit } = createCache();
    for (let i = 0; i < 5; i += 1) expect(await sendRequest()).toBe("old");
    expect([queries.length, cache.hits]).toEqual([2, 3]);
    commit("elsewhere", []);
    expect(await sendRequest()).toBe("old");
    commit("new");
    expect(await sendRequest()).toBe("new");
    expect(queries.length).toBe(3);
  });

  it("is shared unless the query reads the caller, and then cached per caller", async () => {
    const { sendRequest, queries, answerWith } = createCache();
    for (const user of ["ada", "ben", null, "ada"]) await sendRequest({}, user);
    expect(queries.length).toBe(2);
    answerWith({ readIdentity: true });
    for (let round = 0; round < 4; round += 1) for (const user of ["ada", "ben"]) await sendRequest({ own: true }, user);
    expect(queries.length).toBeLessThanOrEqual(2 + 5);
    const before = queries.length;
    await sendRequest({ own: true }, "cy");
    expect(queries.length).toBe(before + 1);
  });

  it.each<[string, Partial<QueryOutcome>]>([
    ["failed", { ok: false, message: "no" }],
    ["asked for the time", { volatile: true }],
    ["logged", { logLines: ["[LOG] 'x'"] }],
  ])("of a query that %s is neither cached nor waited for", async (_what, partial) => {
    const { sendRequest, queries, dropped, answerWith } = createCache();
    answerWith(partial);
    for (let i = 0; i < 4; i += 1) await sendRequest();
    expect(queries.length).toBe(4);
    expect(dropped).toEqual(queries.flatMap(({ token }) => token ?? []));
  });

  it("is not cached when a commit affects it while it runs", async () => {
    const { sendRequest, queries, gate, commit } = createCache();
    await sendRequest();
    const way = Promise.withResolvers<void>();
    gate.wait = way.promise;
    const late = sendRequest();
    commit("new");
    way.resolve();
    expect(await late).toBe("old");
    expect(await sendRequest()).toBe("new");
    expect(queries.length).toBe(3);
  });

  it("is valid from its own snapshot to the newest", async () => {
    const { sendRequest, queries, commit } = createCache();
    commit("first", []);
    for (let i = 0; i < 2; i += 1) await sendRequest();
    commit("elsewhere", []);
    await sendRequest({}, null, 11n);
    await sendRequest({}, null, 12n);
    expect(queries.length).toBe(2);
    await sendRequest({}, null, 10n);
    await sendRequest({}, null, 13n);
    expect(queries.length).toBe(4);
  });
});

it("stays within its limits and evicts the least recently used answer", async () => {
  const { sendRequest, queries, dropped, answerWith } = createCache({ entries: 3, bytes: 1_000 });
  const twice = async (n: number) => {
    await sendRequest({ n });
    await sendRequest({ n });
  };
  for (let n = 0; n < 3; n += 1) await twice(n);
  await sendRequest({ n: 0 });
  await twice(3);
  expect(dropped).toEqual(["cache 2"]);
  const before = queries.length;
  await sendRequest({ n: 0 });
  expect(queries.length).toBe(before);
  answerWith({ ok: true, valueText: "x".repeat(2_000) });
  await twice(4);
  expect(dropped.at(-1)).toBe(queries.at(-1)?.token);
});

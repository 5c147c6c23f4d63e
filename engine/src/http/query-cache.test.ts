import { describe, expect, it } from "vitest";
import type { Call, FunctionRunner, QueryOutcome } from "../functions/types.ts";
import type { Json } from "../values/types.ts";
import { createQueryCache, type Bounds } from "./query-cache.ts";

type Asked = Call & { token?: string };

/** A runner whose answers are told by the test, and which counts what it was asked. */
function stand(bounds?: Bounds) {
  const asked: Asked[] = [];
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
        asked.push(...calls);
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
  const ask = async (args: Json = {}, subject: string | null = null, at?: bigint) => {
    const user = { subject: subject ?? "", issuer: "i", tokenIdentifier: `i|${subject}` };
    const identity: Call["identity"] = subject === null ? { kind: "none" } : { kind: "user", user, expiresAt: Infinity };
    const outcome = await cache.query({ path: "a:q", args, identity, visibility: "public" }, at);
    return outcome.ok ? outcome.value : outcome.message;
  };
  return {
    cache,
    ask,
    asked,
    dropped,
    gate,
    answerWith: (partial: Partial<QueryOutcome>) => (answer = partial),
    commit: (newValue: Json, affected = asked.flatMap(({ token }) => token ?? [])) => {
      ts += 1n;
      value = newValue;
      listener({ ts, affected });
    },
  };
}

describe("an answer", () => {
  it("is kept from the second time on, until a commit meets it", async () => {
    const { ask, asked, cache, commit } = stand();
    for (let i = 0; i < 5; i += 1) expect(await ask()).toBe("old");
    expect([asked.length, cache.hits]).toEqual([2, 3]);
    commit("elsewhere", []);
    expect(await ask()).toBe("old");
    commit("new");
    expect(await ask()).toBe("new");
    expect(asked.length).toBe(3);
  });

  it("is one for all who may not tell, and each one's own where the caller was read", async () => {
    const { ask, asked, answerWith } = stand();
    for (const who of ["ada", "ben", null, "ada"]) await ask({}, who);
    expect(asked.length).toBe(2);
    answerWith({ readIdentity: true });
    for (let round = 0; round < 4; round += 1) for (const who of ["ada", "ben"]) await ask({ own: true }, who);
    // Found out at the second; then twice for each, and from there on never.
    expect(asked.length).toBeLessThanOrEqual(2 + 5);
    const before = asked.length;
    await ask({ own: true }, "cy");
    expect(asked.length).toBe(before + 1);
  });

  it.each<[string, Partial<QueryOutcome>]>([
    ["failed", { ok: false, message: "no" }],
    ["asked for the time", { volatile: true }],
    ["logged", { logLines: ["[LOG] 'x'"] }],
  ])("of a query that %s is not kept, nor waited on", async (_what, partial) => {
    const { ask, asked, dropped, answerWith } = stand();
    answerWith(partial);
    for (let i = 0; i < 4; i += 1) await ask();
    expect(asked.length).toBe(4);
    expect(dropped).toEqual(asked.flatMap(({ token }) => token ?? []));
  });

  it("that a commit has met while it was on its way is not kept", async () => {
    const { ask, asked, gate, commit } = stand();
    await ask();
    const way = Promise.withResolvers<void>();
    gate.wait = way.promise;
    const late = ask();
    commit("new");
    way.resolve();
    expect(await late).toBe("old");
    expect(await ask()).toBe("new");
    expect(asked.length).toBe(3);
  });

  it("stands for every snapshot from its own to the newest, and for no other", async () => {
    const { ask, asked, commit } = stand();
    commit("first", []);
    for (let i = 0; i < 2; i += 1) await ask();
    commit("elsewhere", []);
    await ask({}, null, 11n);
    await ask({}, null, 12n);
    expect(asked.length).toBe(2);
    await ask({}, null, 10n);
    await ask({}, null, 13n);
    expect(asked.length).toBe(4);
  });
});

it("keeps no more than it may, and lets the longest unused go", async () => {
  const { ask, asked, dropped } = stand({ entries: 3, bytes: 1_000 });
  const twice = async (n: number) => {
    await ask({ n });
    await ask({ n });
  };
  for (let n = 0; n < 3; n += 1) await twice(n);
  await ask({ n: 0 });
  await twice(3);
  expect(dropped).toEqual(["cache 2"]);
  const before = asked.length;
  await ask({ n: 0 });
  expect(asked.length).toBe(before);
  const large = "x".repeat(2_000);
  await ask({ large });
  await ask({ large });
  expect(dropped.at(-1)).toBe(asked.at(-1)?.token);
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../values/types.ts";
import { call, Fixture, anonymous, user } from "./testing.ts";

const SCHEMA = `
  import { defineSchema, defineTable } from "convex/server";
  import { v } from "convex/values";
  export default defineSchema({
    messages: defineTable({ body: v.string(), author: v.optional(v.string()) }).index("by_author", ["author"]),
    others: defineTable({ n: v.number() }),
  });
`;

const MESSAGES = `
  import { queryGeneric as query, mutationGeneric as mutation, internalMutationGeneric as internalMutation, anyApi } from "convex/server";
  import { ConvexError, v } from "convex/values";
  export const list = query({ args: {}, handler: async (ctx) => (await ctx.db.query("messages").collect()).map((m) => m.body) });
  export const byAuthor = query({ args: { author: v.string() }, handler: async (ctx, { author }) =>
    (await ctx.db.query("messages").withIndex("by_author", (q) => q.eq("author", author)).collect()).length });
  export const page = query({ args: { paginationOpts: v.any() }, handler: (ctx, { paginationOpts }) => ctx.db.query("messages").paginate(paginationOpts) });
  export const twoPages = query({ args: {}, handler: async (ctx) => {
    await ctx.db.query("messages").paginate({ numItems: 1, cursor: null });
    return await ctx.db.query("messages").paginate({ numItems: 1, cursor: null });
  } });
  export const send = mutation({ args: { body: v.string(), author: v.optional(v.string()) }, returns: v.id("messages"),
    handler: async (ctx, args) => await ctx.db.insert("messages", args) });
  export const remove = mutation({ args: { id: v.id("messages") }, handler: async (ctx, { id }) => { await ctx.db.delete(id); } });
  export const other = mutation({ args: {}, handler: async (ctx) => await ctx.db.insert("others", { n: 1 }) });
  export const clear = mutation({ args: {}, handler: async (ctx) => { for (const m of await ctx.db.query("messages").collect()) await ctx.db.delete(m._id); } });
  export const wrongResult = query({ args: {}, returns: v.string(), handler: async () => 1 as never });
  export const hidden = internalMutation({ args: {}, handler: async () => "seen" });
  export const boom = mutation({ args: {}, handler: async (ctx) => {
    await ctx.db.insert("messages", { body: "lost" });
    throw new TypeError("boom");
  } });
  export const refuse = mutation({ args: {}, handler: async () => { throw new ConvexError({ code: "limit", n: 3n }); } });
  export const throwText = query({ args: {}, handler: async () => { throw "plain"; } });
  export const whoAmI = query({ args: {}, handler: async (ctx) => (await ctx.auth.getUserIdentity())?.subject ?? null });
  export const nothing = query({ args: {}, handler: async () => {} });
  export const invalid = mutation({ args: {}, handler: async (ctx) => { await ctx.db.insert("messages", { body: 3 } as never); } });
  export const noIndex = query({ args: {}, handler: async (ctx) => await ctx.db.query("messages").withIndex("by_none").collect() });
  export const nested = mutation({ args: { fail: v.boolean() }, handler: async (ctx, { fail }) => {
    await ctx.db.insert("messages", { body: "outer" });
    try {
      await ctx.runMutation(anyApi.messages.inner, { fail });
    } catch (error) {
      await ctx.db.insert("messages", { body: "caught " + (error as Error).message.split("\\n")[0] + " " + JSON.stringify((error as ConvexError<never>).data) });
    }
    return await ctx.runQuery(anyApi.messages.list, {});
  } });
  export const inner = internalMutation({ args: { fail: v.boolean() }, handler: async (ctx, { fail }) => {
    await ctx.db.insert("messages", { body: "inner" });
    if (fail) throw new ConvexError({ code: "inner" });
  } });
  export const outerLogs = query({ args: {}, handler: async (ctx) => {
    console.log("outer"); const now = Date.now();
    const inner = await ctx.runQuery(anyApi.messages.innerLogs, {});
    console.log("outer again");
    return inner === now && now === Date.now();
  } });
  export const innerLogs = query({ args: {}, handler: () => { console.log("inner"); return Date.now(); } });
  export const outerLoops = query({ args: {}, handler: async (ctx) => await ctx.runQuery(anyApi.messages.innerLoops, {}) });
  export const innerLoops = query({ args: {}, handler: () => { for (;;); } });
  export const bytes = query({ args: { n: v.int64(), b: v.bytes() }, handler: async (ctx, { n }) => n });
  export const atOnce = mutation({ args: {}, handler: async (ctx) => {
    const results = await Promise.allSettled([
      ctx.runMutation(anyApi.messages.inner, { fail: true }), ctx.db.insert("messages", { body: "beside" }), ctx.runMutation(anyApi.messages.inner, { fail: false }),
    ]);
    return results.map((result) => result.status);
  } });
  export default query({ args: {}, handler: async () => "by default" });
`;

const WORLD = `
  import { queryGeneric as query, mutationGeneric as mutation } from "convex/server";
  import { v } from "convex/values";
  export const time = query({ args: {}, handler: async () => {
    const before = [Date.now(), new Date().getTime(), performance.now()];
    let sum = 0; for (let i = 0; i < 3e6; i++) sum += i;
    return { same: JSON.stringify(before) === JSON.stringify([Date.now(), new Date().getTime(), performance.now()]), now: before[0], isDate: new Date() instanceof Date, text: typeof Date(), year: new Date(0).getUTCFullYear(), sum };
  } });
  export const patch = mutation({ args: {}, handler: async () => {
    const before = [atob("aGk="), typeof globalThis.left, typeof Headers];
    Object.assign(globalThis, { atob: () => "patched", left: 1 });
    delete globalThis.btoa;
    return [before, atob("aGk="), typeof btoa];
  } });
  export const chance = query({ args: {}, handler: async () => [Math.random(), Math.random()] });
  export const reach = query({ args: { what: v.string() }, handler: async (ctx, { what }) => {
    switch (what) {
      case "fetch": return await fetch("http://127.0.0.1");
      case "setTimeout": return setTimeout(() => {}, 1);
      case "setInterval": return setInterval(() => {}, 1);
      case "subtle": return await crypto.subtle.generateKey("Ed25519", true, ["sign"]);
    }
  } });
  export const webAssembly = query({ args: {}, handler: async () => {
    const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 42, 11]);
    const { instance } = await WebAssembly.instantiate(bytes);
    const again = await WebAssembly.instantiate(await WebAssembly.compile(bytes));
    return [instance, again].map(({ exports }) => (exports.f as () => number)());
  } });
  export const digest = query({ args: {}, handler: async () => new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc")))[0] });
  export const random = query({ args: {}, handler: async () =>
    [crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(16))].join(), crypto.getRandomValues(new Uint32Array(2)).length] });
  export const patchedRandom = query({ args: {}, handler: async () => {
    const { random } = Math;
    Math.random = () => 0;
    try { return [crypto.randomUUID(), crypto.randomUUID()]; } finally { Math.random = random; }
  } });
  export const refusedRandom = query({ args: {}, handler: async () => {
    const failures = [];
    for (const array of [new Float64Array(1), new Uint8Array(65537)]) try { crypto.getRandomValues(array as never); } catch (error) { failures.push((error as Error).name); }
    return failures;
  } });
  export const signatures = mutation({ args: { keys: v.any() }, handler: async (ctx, { keys }) => {
    const data = new TextEncoder().encode("signed");
    const results = [];
    for (const { algorithm, privateKey, publicKey } of keys) {
      const signing = await crypto.subtle.importKey("jwk", privateKey, algorithm, false, ["sign"]);
      const verifying = await crypto.subtle.importKey("jwk", publicKey, algorithm, false, ["verify"]);
      const signature = await crypto.subtle.sign(algorithm, signing, data);
      results.push([await crypto.subtle.verify(algorithm, verifying, signature, data), await crypto.subtle.verify(algorithm, verifying, signature, new Uint8Array(1))].join());
      const unusable = await crypto.subtle.sign(algorithm, verifying, data).catch((error) => (error as Error).name);
      results.push(String(unusable));
    }
    return results;
  } });
  export const hmac = query({ args: {}, handler: async () => {
    const key = await crypto.subtle.importKey("raw", new TextEncoder().encode("key"), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode("The quick brown fox jumps over the lazy dog")))[0];
  } });
  export const globals = query({ args: {}, handler: async () =>
    ["Buffer", "require", "global", "setImmediate", "MessageChannel", "WebSocket", "AsyncLocalStorage", "structuredClone", "URL"].filter((name) => (globalThis as never)[name] !== undefined) });
  export const env = query({ args: {}, handler: async () => ({ ...process.env }) });
  let calls = 0;
  export const countsCalls = query({ args: {}, handler: async () => ++calls });
  const shared = new Headers({ "X-Is": "there" });
  export const web = query({ args: {}, handler: async () => {
    const response = new Response("body", { status: 201, headers: shared });
    const form = new FormData();
    form.set("a", "b");
    const request = new Request("http://app.test/path", { method: "POST", body: JSON.stringify({ n: 1 }) });
    return [response.status, response.headers.get("x-is"), form.get("a"), request.method, typeof Buffer, typeof setImmediate];
  } });
  export const logsErrors = query({ args: {}, handler: async () => {
    console.error(new Error("bad"));
    console.log({ nested: new Error("inner") });
    console.trace("here", 1);
  } });
  export const logs = query({ args: {}, handler: async () => {
    console.log("text", 1, { a: [1, "two"] }); console.warn(undefined); console.error(new Error("bad").message); console.info(null); console.debug(3n);
  } });
  export const manyLogs = query({ args: {}, handler: async () => { for (let i = 0; i < 300; i++) console.log(i); } });
  export const never = query({ args: {}, handler: async () => { await new Promise(() => {}); } });
  export const leavesWork = mutation({ args: {}, handler: async (ctx) => {
    void (async () => { for (let i = 0; i < 50; i++) await ctx.db.insert("messages", { body: "left " + i }); })();
    await ctx.db.insert("messages", { body: "mine" });
  } });
  export const rejects = query({ args: {}, handler: async () => { void Promise.reject(new Error("unheard")); return 1; } });
  export const loops = query({ args: {}, handler: async () => { for (;;); } });
  export const devours = query({ args: {}, handler: async () => { const all: string[][] = []; for (;;) all.push(new Array(1e5).fill("x" + all.length)); } });
  export const loopsLater = mutation({ args: {}, handler: async (ctx) => { await ctx.db.insert("messages", { body: "never" }); void (async () => { for (;;) await null; })(); } });
`;

let fixture: Fixture;

beforeAll(async () => {
  fixture = await Fixture.start();
  await fixture.push({ "schema.ts": SCHEMA, "messages.ts": MESSAGES, "world.ts": WORLD });
});
afterAll(() => fixture.remove());

const value = (...args: Parameters<Fixture["value"]>): Promise<Json> => fixture.value(...args);
const failure = (...args: Parameters<Fixture["failure"]>): ReturnType<Fixture["failure"]> => fixture.failure(...args);
const bodies = async (): Promise<Json> => value("messages:list");
const clear = (): Promise<Json> => value("messages:clear");

describe("queries and mutations", () => {
  test("a query reads earlier writes, whichever way its path is spelled", async () => {
    await clear();
    const id = await value("messages:send", { body: "hello" });
    expect(id).toMatch(/^[0-9a-z]{31,37}$/);
    expect(await value("messages.js:list")).toEqual(["hello"]);
    expect(await value("messages")).toBe("by default");
    expect(await value("messages:nothing")).toBeNull();
  });

  test("a mutation that throws writes nothing and reports its source position", async () => {
    await clear();
    const { message, data } = await failure("messages:boom");
    expect(message).toMatch(/^Uncaught TypeError: boom\n/);
    expect(message).toMatch(/\n {4}at .*handler \(.*convex\/messages\.ts:\d+:\d+\)/);
    expect(message).not.toContain("engine/src");
    expect(data).toBeUndefined();
    expect(await bodies()).toEqual([]);
  });

  test("returns the data of a ConvexError in Convex's encoding", async () => {
    const { message, data } = await failure("messages:refuse");
    expect(data).toEqual({ code: "limit", n: { $integer: "AwAAAAAAAAA=" } });
    expect(message).toMatch(/^Uncaught ConvexError: /);
  });

  test("reports thrown values that are not errors", async () => {
    expect((await failure("messages:throwText")).message).toBe("Uncaught plain");
  });

  test("reports missing and internal functions with the same error", async () => {
    const text = (name: string): string =>
      `Could not find public function for '${name}'. Did you forget to run \`npx convex dev\` or \`npx convex deploy\`?`;
    expect((await failure("messages:hidden")).message).toBe(text("messages:hidden"));
    expect((await failure("messages:absent")).message).toBe(text("messages:absent"));
    expect((await fixture.runner.mutation(call(":x"))).ok).toBe(false);
    expect((await failure(":x")).message).toContain("Could not find public function");
    expect(await value("messages:hidden", {}, { visibility: "any" })).toBe("seen");
  });

  test("a function of another type is refused", async () => {
    const { runner } = fixture;
    const outcome = await runner.mutation(call("messages:list"));
    expect(outcome).toMatchObject({ ok: false, message: "Trying to execute messages.js:list as Mutation, but it is defined as Query." });
  });

  test("arguments and results are checked against the validators", async () => {
    expect((await failure("messages:send", { body: 1 })).message).toMatch(
      /^ArgumentValidationError: Value does not match validator\.\nPath: \.body\nValue: 1\.0\nValidator: v\.string\(\)/,
    );
    expect((await failure("messages:send", { body: "x", more: 1 })).message).toMatch(
      /^ArgumentValidationError: Object contains extra field `more`/,
    );
    expect((await failure("messages:send", {})).message).toMatch(/^ArgumentValidationError: Object is missing the required field `body`/);
    expect((await failure("messages:wrongResult")).message).toMatch(/^ReturnsValidationError: /);
    const id = await value("messages:send", { body: "for its id" });
    await value("messages:remove", { id });
    const integer = { $integer: "AwAAAAAAAAA=" };
    expect(await value("messages:bytes", { n: integer, b: { $bytes: "AAEC" } })).toEqual(integer);
    expect((await failure("messages:bytes", { n: { $bytes: "AAEC" }, b: integer })).message).toMatch(/Value: b"000102"/);
    const other = await value("messages:other");
    expect((await failure("messages:remove", { id: other })).message).toMatch(
      /^ArgumentValidationError: Found ID ".*" from table `others`/,
    );
  });

  test("rejects a document that violates the schema with the source position", async () => {
    const { message } = await failure("messages:invalid");
    expect(message).toMatch(/^Uncaught Error: Failed to insert or update a document in table "messages"/);
    expect(message).toMatch(/convex\/messages\.ts/);
  });

  test("reports an unknown index with the source position", async () => {
    expect((await failure("messages:noIndex")).message).toMatch(
      /^Uncaught Error: Index messages\.by_none not found\.?\n[^]*convex\/messages\.ts/,
    );
  });

  test("arguments over 16 MiB are refused", async () => {
    const { message } = await failure("messages:send", { body: "x".repeat(17 * 1024 * 1024) });
    expect(message).toMatch(/^Arguments for messages\.js:send are too large/);
  });

  test("passes the caller's identity and reports whether a query read it", async () => {
    const { runner } = fixture;
    const [anna] = await runner.queries([call("messages:whoAmI", {}, { identity: user("anna") })]);
    expect(anna).toMatchObject({ value: "anna", readIdentity: true });
    const [nobodys] = await runner.queries([call("messages:whoAmI", {}, { identity: anonymous })]);
    expect(nobodys).toMatchObject({ value: null, readIdentity: true });
    const acting = user("ben");
    const [admin] = await runner.queries([
      call("messages:whoAmI", {}, { identity: { kind: "admin", ...(acting.kind === "user" ? { actingAs: acting.user } : {}) } }),
    ]);
    expect(admin).toMatchObject({ value: "ben" });
    const [list] = await runner.queries([call("messages:list")]);
    expect(list?.readIdentity).toBe(false);
  });
});

describe("nested functions", () => {
  test("share the transaction; a failed one undoes only its own writes", async () => {
    await clear();
    expect(await value("messages:nested", { fail: false })).toEqual(["outer", "inner"]);
    await clear();
    const [outer, caught, ...rest] = (await value("messages:nested", { fail: true })) as string[];
    expect([outer, rest]).toEqual(["outer", []]);
    expect(caught).toMatch(/^caught Uncaught ConvexError: .* \{"code":"inner"\}$/);
  });

  test("share the frozen time and the log", async () => {
    const [outcome] = await fixture.runner.queries([call("messages:outerLogs")]);
    expect(outcome).toMatchObject({ value: true, logLines: ["[LOG] 'outer'", "[LOG] 'inner'", "[LOG] 'outer again'"] });
  });

  test("are stopped at the time limit like others", async () => {
    expect((await failure("messages:outerLoops")).message).toBe("Function execution timed out (maximum duration: 1s)");
  });

  test("run one after the other and undo only their own writes", async () => {
    await clear();
    expect(await value("messages:atOnce")).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(new Set((await bodies()) as string[])).toEqual(new Set(["beside", "inner"]));
  });
});

describe("the environment of queries and mutations", () => {
  test("time does not advance while it runs", async () => {
    const before = Date.now();
    const time = (await value("world:time")) as { same: boolean; now: number };
    expect(time).toMatchObject({ same: true, isDate: true, text: "string", year: 1970 });
    expect(time.now).toBeGreaterThanOrEqual(before - 1);
    expect(time.now).toBeLessThanOrEqual(Date.now());
  });

  test("removes changes of globals before the next function @global-changes", async () => {
    const seen = [["hi", "undefined", "function"], "patched", "undefined"];
    expect(await value("world:patch")).toEqual(seen);
    expect(await value("world:patch")).toEqual(seen);
  });

  test("keeps variables of modules for later calls, unlike Convex @module-variables", async () => {
    const first = Number(await value("world:countsCalls"));
    expect(await value("world:countsCalls")).toBe(first + 1);
  });

  test("Math.random differs in every run", async () => {
    const [first, second] = [await value("world:chance"), await value("world:chance")] as number[][];
    expect(new Set([...(first ?? []), ...(second ?? [])]).size).toBe(4);
    for (const number of first ?? []) expect(number >= 0 && number < 1).toBe(true);
  });

  test.each([
    ["fetch", "fetch()"],
    ["setTimeout", "setTimeout"],
    ["setInterval", "setInterval"],
    ["subtle", "crypto.subtle.generateKey()"],
  ])("rejects %s", async (what, name) => {
    const { message } = await failure("world:reach", { what });
    expect(message.split("\n")[0]).toBe(
      `Uncaught Error: Can't use ${name} in queries and mutations. Please consider using an action. See https://docs.convex.dev/functions/actions for more details.`,
    );
  });

  test("random values of crypto do not depend on Math.random", async () => {
    const [first, second] = (await value("world:patchedRandom")) as [string, string];
    expect(first).not.toBe(second);
  });

  test("random values are available, and mark a result as random", async () => {
    const [first, second] = [await value("world:random"), await value("world:random")] as [string, string, number][];
    expect(first?.[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(first?.[1].split(",")).toHaveLength(16);
    expect(first?.slice(0, 2)).not.toEqual(second?.slice(0, 2));
    expect((await fixture.runner.queries([call("world:random")]))[0]).toMatchObject({ volatile: true });
    expect(await value("world:refusedRandom")).toEqual(["TypeError", "QuotaExceededError"]);
  });

  test("crypto.subtle imports keys, signs and verifies", async () => {
    expect(await value("world:hmac")).toBe(0xf7);
    const keys: Json[] = [];
    for (const algorithm of [
      { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
      { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
      { name: "RSA-PSS", hash: "SHA-256", saltLength: 32, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
      { name: "Ed25519" },
    ]) {
      const pair = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
      if (!("privateKey" in pair)) throw new Error("It is no pair.");
      const { modulusLength: _modulus, publicExponent: _exponent, ...named } = { modulusLength: 0, publicExponent: null, ...algorithm };
      const exported = async (key: CryptoKey) => {
        const { key_ops: _operations, ext: _ext, ...jwk } = await crypto.subtle.exportKey("jwk", key);
        return jwk as Json;
      };
      keys.push({
        algorithm: JSON.parse(JSON.stringify(named)),
        privateKey: await exported(pair.privateKey),
        publicKey: await exported(pair.publicKey),
      });
    }
    const expected = keys.flatMap(() => ["true,false", "InvalidAccessError"]);
    expect(await value("world:signatures", { keys })).toEqual(expected);
  });

  test("WebAssembly is compiled at once", async () => {
    expect(await value("world:webAssembly")).toEqual([42, 42]);
  });

  test("crypto.subtle computes digests", async () => {
    expect(await value("world:digest")).toBe(0xba);
  });

  test("hides globals that only Node has", async () => {
    expect(await value("world:globals")).toEqual(["AsyncLocalStorage", "structuredClone", "URL"]);
  });

  test("provides the Fetch classes without exposing Node's globals", async () => {
    expect(await value("world:web")).toEqual([201, "there", "b", "POST", "undefined", "undefined"]);
  });

  test("process.env contains only the deployment's variables", async () => {
    expect(await value("world:env")).toEqual({ CONVEX_CLOUD_URL: "http://127.0.0.1:3210", CONVEX_SITE_URL: "http://127.0.0.1:3211" });
  });

  test("formats console lines as clients expect", async () => {
    const [outcome] = await fixture.runner.queries([call("world:logs")]);
    expect(outcome?.logLines).toEqual([
      "[LOG] 'text' 1 { a: [ 1, 'two' ] }",
      "[WARN] undefined",
      "[ERROR] 'bad'",
      "[INFO] null",
      "[DEBUG] 3n",
    ]);
    const [many] = await fixture.runner.queries([call("world:manyLogs")]);
    expect(many?.logLines).toHaveLength(257);
    expect(many?.logLines.at(-1)).toBe("[ERROR] Log overflow (maximum 256). Remaining log lines omitted.");
  });

  test("logs errors with source positions and without local paths", async () => {
    const [outcome] = await fixture.runner.queries([call("world:logsErrors")]);
    const [error = "", nested = "", trace = ""] = outcome?.logLines ?? [];
    expect(error).toMatch(/^\[ERROR\] Error: bad\n {4}at .*\(\S*world\S*:\d+:\d+\)/);
    expect(nested).toMatch(/nested: Error: inner\n/);
    expect(trace).toMatch(/^\[LOG\] Trace: 'here' 1\n {4}at /);
    expect(outcome?.logLines.join("\n")).not.toMatch(/file:|node:|\/modules\//);
  });

  test("reports a promise that cannot settle before the time limit", async () => {
    expect((await failure("world:never")).message).toMatch(/promise was never resolved/);
  });

  test("unfinished work ends with its function and cannot affect the next call", async () => {
    await clear();
    const [, after] = await Promise.all([
      fixture.runner.mutation(call("world:leavesWork")),
      fixture.runner.mutation(call("messages:send", { body: "next" })),
    ]);
    expect(after.ok).toBe(true);
    const found = (await bodies()) as string[];
    expect(found).toContain("mine");
    expect(found.filter((body) => body.startsWith("left")).length).toBeLessThan(50);
    expect(found.at(-1)).toBe("next");
  });

  test("survives an unhandled rejection", async () => {
    expect(await value("world:rejects")).toBe(1);
    expect(await value("world:rejects")).toBe(1);
  });
});

describe("a function over the time limit", () => {
  test("gets Convex's error, while waiting calls are answered once", async () => {
    await clear();
    const { runner } = fixture;
    const messages: string[] = [];
    await runner.queries([{ ...call("messages:list"), token: "kept" }]);
    const stop = runner.onCommit(({ affected }) => messages.push(...affected));
    const before = Array.from({ length: 5 }, (_, i) => runner.mutation(call("messages:send", { body: `before ${i}` })));
    const loop = runner.queries([call("messages:nothing"), call("world:loops"), call("messages:nothing")]);
    const after = Array.from({ length: 5 }, (_, i) => runner.mutation(call("messages:send", { body: `after ${i}` })));
    const outcomes = await loop;
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(outcomes[1]).toMatchObject({ message: "Function execution timed out (maximum duration: 1s)" });
    for (const outcome of await Promise.all([...before, ...after])) expect(outcome.ok).toBe(true);
    const found = (await bodies()) as string[];
    expect(found).toHaveLength(10);
    expect(new Set(found).size).toBe(10);
    expect(messages).toContain("kept");
    stop();
  });

  test("is stopped in unfinished work, too, and writes nothing", async () => {
    await clear();
    expect(await fixture.runner.mutation(call("world:loopsLater"))).toMatchObject({
      ok: false,
      message: "Function execution timed out (maximum duration: 1s)",
    });
    expect(await bodies()).toEqual([]);
  });

  test("does not prevent closing", async () => {
    const loop = fixture.runner.queries([call("world:loops")]).catch(String);
    const sent = fixture.runner.mutation(call("messages:send", { body: "sent before" }));
    await fixture.runner.close();
    expect(await loop).toContain("shutting down");
    await sent.catch(() => undefined);
    await fixture.open();
  });
});

test("reports an out-of-memory function and answers waiting calls", async () => {
  const [devoured, fine] = await Promise.all([
    fixture.runner.queries([call("world:devours")]),
    fixture.runner.queries([call("messages:nothing")]),
  ]);
  expect(devoured[0]).toMatchObject({ ok: false, message: expect.stringMatching(/ran out of memory|timed out/) });
  expect(fine[0]).toMatchObject({ ok: true });
});

describe("subscriptions and snapshots", () => {
  test("affects a token only when a commit meets its query's reads", async () => {
    await clear();
    const { runner } = fixture;
    const commits: { ts: bigint; affected: string[] }[] = [];
    const stop = runner.onCommit((commit) => commits.push(commit));
    const [anna, ben] = await runner.queries([
      { ...call("messages:byAuthor", { author: "anna" }), token: "anna" },
      { ...call("messages:byAuthor", { author: "ben" }), token: "ben" },
    ]);
    expect([anna, ben]).toMatchObject([{ value: 0 }, { value: 0 }]);
    const sent = await runner.mutation(call("messages:send", { body: "x", author: "anna" }));
    expect(commits.flatMap(({ affected }) => affected)).toEqual(["anna"]);
    expect(commits.at(-1)?.ts).toBe(sent.ts);
    expect(runner.latest()).toBe(sent.ts);
    runner.unsubscribe(["ben"]);
    await runner.mutation(call("messages:send", { body: "y", author: "ben" }));
    expect(commits.flatMap(({ affected }) => affected)).toEqual(["anna"]);
    stop();
  });

  test("reports each commit of a batch at its own timestamp", async () => {
    await clear();
    const { runner } = fixture;
    const byAuthor = (author: string) => ({ ...call("messages:byAuthor", { author }), token: author });
    await runner.queries([byAuthor("anna"), byAuthor("ben")]);
    const commits: { ts: bigint; affected: string[] }[] = [];
    const stop = runner.onCommit((commit) => commits.push(commit));
    const [anna, [between], ben] = await Promise.all([
      runner.mutation(call("messages:send", { body: "x", author: "anna" })),
      runner.queries([byAuthor("cleo")]),
      runner.mutation(call("messages:send", { body: "y", author: "ben" })),
    ]);
    expect(commits).toEqual([
      { ts: anna.ts, affected: ["anna"] },
      { ts: ben.ts, affected: ["ben"] },
    ]);
    expect(between?.ts).toBe(anna.ts);
    stop();
  });

  test("queries read the requested snapshot", async () => {
    await clear();
    const { runner } = fixture;
    const { ts } = await runner.mutation(call("messages:send", { body: "early" }));
    await runner.mutation(call("messages:send", { body: "late" }));
    const [then] = await runner.queries([call("messages:list")], ts);
    expect(then).toMatchObject({ value: ["early"], ts });
    const [now] = await runner.queries([call("messages:list")]);
    expect(now).toMatchObject({ value: ["early", "late"] });
    const messages: string[] = [];
    const stop = runner.onCommit(({ affected }) => messages.push(...affected));
    await runner.queries([{ ...call("messages:list"), token: "behind" }], ts);
    expect(messages).toEqual(["behind"]);
    stop();
  });

  test("a repeated mutation returns the stored answer without running again", async () => {
    await clear();
    const { runner } = fixture;
    const once = { sessionId: "3b241101-e2bb-4255-8caf-4136c566a962", requestId: 7 };
    const first = await runner.mutation(call("messages:send", { body: "once" }), once);
    const again = await runner.mutation(call("messages:send", { body: "once" }), once);
    expect(again).toMatchObject({ ok: true, ts: first.ts, value: first.ok && first.value });
    expect(await bodies()).toEqual(["once"]);
  });

  test("a page reruns within the bounds of its first run", async () => {
    await clear();
    const { runner } = fixture;
    for (const body of ["a", "b", "c"]) await value("messages:send", { body });
    const args = { paginationOpts: { numItems: 2, cursor: null } };
    const page = async (journal: string | null): Promise<{ bodies: string[]; journal: string | null }> => {
      const [outcome] = await runner.queries([call("messages:page", args, { journal })]);
      if (!outcome?.ok) throw new Error(outcome?.message);
      const { page } = outcome.value as { page: { body: string }[] };
      return { bodies: page.map(({ body }) => body), journal: outcome.journal ?? null };
    };
    const first = await page(null);
    expect(first.bodies).toEqual(["a", "b"]);
    const [{ _id }] = ((await value("messages:page", args)) as { page: { _id: string }[] }).page as [{ _id: string }];
    await value("messages:remove", { id: _id });
    expect((await page(first.journal)).bodies).toEqual(["b"]);
    expect((await page(null)).bodies).toEqual(["b", "c"]);
    expect((await failure("messages:twoPages")).message).toMatch(/only supports a single paginated query/);
  });

  test("answers many concurrent calls", async () => {
    await clear();
    const { runner } = fixture;
    const outcomes = await Promise.all(Array.from({ length: 500 }, (_, i) => runner.mutation(call("messages:send", { body: String(i) }))));
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    expect(new Set(outcomes.map(({ ts }) => ts)).size).toBe(500);
    expect(((await bodies()) as string[]).length).toBe(500);
  });
});

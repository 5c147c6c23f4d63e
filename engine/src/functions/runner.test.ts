import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../values/types.ts";
import { call, Fixture, nobody, user } from "./testing.ts";

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
      case "randomUUID": return crypto.randomUUID();
      case "getRandomValues": return crypto.getRandomValues(new Uint8Array(4)).length;
      case "subtle": return await crypto.subtle.generateKey("Ed25519", true, ["sign"]);
    }
  } });
  export const digest = query({ args: {}, handler: async () => new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode("abc")))[0] });
  export const globals = query({ args: {}, handler: async () =>
    ["Buffer", "require", "global", "setImmediate", "MessageChannel", "WebSocket", "AsyncLocalStorage", "structuredClone", "URL"].filter((name) => (globalThis as never)[name] !== undefined) });
  export const env = query({ args: {}, handler: async () => ({ ...process.env }) });
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
  test("a mutation's writes are what a later query reads, whichever way the path is spelled", async () => {
    await clear();
    const id = await value("messages:send", { body: "hello" });
    expect(id).toMatch(/^[0-9a-z]{31,37}$/);
    expect(await value("messages.js:list")).toEqual(["hello"]);
    expect(await value("messages")).toBe("by default");
    expect(await value("messages:nothing")).toBeNull();
  });

  test("a mutation that throws leaves nothing, and tells where it threw in the source that was written", async () => {
    await clear();
    const { message, data } = await failure("messages:boom");
    expect(message).toMatch(/^Uncaught TypeError: boom\n/);
    expect(message).toMatch(/\n {4}at .*handler \(.*convex\/messages\.ts:\d+:\d+\)/);
    expect(message).not.toContain("engine/src");
    expect(data).toBeUndefined();
    expect(await bodies()).toEqual([]);
  });

  test("the data of a ConvexError comes back, in Convex's encoding", async () => {
    const { message, data } = await failure("messages:refuse");
    expect(data).toEqual({ code: "limit", n: { $integer: "AwAAAAAAAAA=" } });
    expect(message).toMatch(/^Uncaught ConvexError: /);
  });

  test("what is thrown need not be an error", async () => {
    expect((await failure("messages:throwText")).message).toBe("Uncaught plain");
  });

  test("a missing and an internal function get the same answer from outside", async () => {
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

  test("a document that does not fit the schema is refused with the place in the source", async () => {
    const { message } = await failure("messages:invalid");
    expect(message).toMatch(/^Uncaught Error: Failed to insert or update a document in table "messages"/);
    expect(message).toMatch(/convex\/messages\.ts/);
  });

  test("an index that is not there is an error at its place", async () => {
    expect((await failure("messages:noIndex")).message).toMatch(
      /^Uncaught Error: Index messages\.by_none not found\.?\n[^]*convex\/messages\.ts/,
    );
  });

  test("arguments over 16 MiB are refused", async () => {
    const { message } = await failure("messages:send", { body: "x".repeat(17 * 1024 * 1024) });
    expect(message).toMatch(/^Arguments for messages\.js:send are too large/);
  });

  test("the identity is the caller's, and a query tells whether it asked", async () => {
    const { runner } = fixture;
    const [anna] = await runner.queries([call("messages:whoAmI", {}, { identity: user("anna") })]);
    expect(anna).toMatchObject({ value: "anna", readIdentity: true });
    const [nobodys] = await runner.queries([call("messages:whoAmI", {}, { identity: nobody })]);
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
  test("share the transaction; what a failed one wrote is undone, what its caller wrote stays", async () => {
    await clear();
    expect(await value("messages:nested", { fail: false })).toEqual(["outer", "inner"]);
    await clear();
    const [outer, caught, ...rest] = (await value("messages:nested", { fail: true })) as string[];
    expect([outer, rest]).toEqual(["outer", []]);
    expect(caught).toMatch(/^caught Uncaught ConvexError: .* \{"code":"inner"\}$/);
  });

  test("share the moment and the log", async () => {
    const [outcome] = await fixture.runner.queries([call("messages:outerLogs")]);
    expect(outcome).toMatchObject({ value: true, logLines: ["[LOG] 'outer'", "[LOG] 'inner'", "[LOG] 'outer again'"] });
  });

  test("are stopped like others when they run over their time", async () => {
    expect((await failure("messages:outerLoops")).message).toBe("Function execution timed out (maximum duration: 1s)");
  });

  test("run one after the other, and their caller's writes are not undone with theirs", async () => {
    await clear();
    expect(await value("messages:atOnce")).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(new Set((await bodies()) as string[])).toEqual(new Set(["beside", "inner"]));
  });
});

describe("the world of queries and mutations", () => {
  test("time stands still", async () => {
    const before = Date.now();
    const time = (await value("world:time")) as { same: boolean; now: number };
    expect(time).toMatchObject({ same: true, isDate: true, text: "string", year: 1970 });
    expect(time.now).toBeGreaterThanOrEqual(before - 1);
    expect(time.now).toBeLessThanOrEqual(Date.now());
  });

  test("what a function leaves in the globals is gone for the next", async () => {
    const seen = [["hi", "undefined", "function"], "patched", "undefined"];
    expect(await value("world:patch")).toEqual(seen);
    expect(await value("world:patch")).toEqual(seen);
  });

  test("chance is new in every run", async () => {
    const [first, second] = [await value("world:chance"), await value("world:chance")] as number[][];
    expect(new Set([...(first ?? []), ...(second ?? [])]).size).toBe(4);
    for (const number of first ?? []) expect(number >= 0 && number < 1).toBe(true);
  });

  test.each([
    ["fetch", "fetch()"],
    ["setTimeout", "setTimeout"],
    ["setInterval", "setInterval"],
    ["randomUUID", "crypto.randomUUID()"],
    ["getRandomValues", "crypto.getRandomValues()"],
    ["subtle", "crypto.subtle.generateKey()"],
  ])("%s is refused", async (what, name) => {
    const { message } = await failure("world:reach", { what });
    expect(message.split("\n")[0]).toBe(
      `Uncaught Error: Can't use ${name} in queries and mutations. Please consider using an action. See https://docs.convex.dev/functions/actions for more details.`,
    );
  });

  test("digests follow from their input alone and are there", async () => {
    expect(await value("world:digest")).toBe(0xba);
  });

  test("what only Node has is hidden", async () => {
    expect(await value("world:globals")).toEqual(["AsyncLocalStorage", "structuredClone", "URL"]);
  });

  test("requests, responses, headers and forms are there, as on Convex, and bring nothing of Node with them", async () => {
    expect(await value("world:web")).toEqual([201, "there", "b", "POST", "undefined", "undefined"]);
  });

  test("process.env holds the deployment's variables and nothing else", async () => {
    expect(await value("world:env")).toEqual({ CONVEX_CLOUD_URL: "http://127.0.0.1:3210", CONVEX_SITE_URL: "http://127.0.0.1:3211" });
  });

  test("console lines are in the form that clients print", async () => {
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

  test("an error on the console is shown with where it was in the source, and with no path of this machine", async () => {
    const [outcome] = await fixture.runner.queries([call("world:logsErrors")]);
    const [error = "", nested = "", trace = ""] = outcome?.logLines ?? [];
    expect(error).toMatch(/^\[ERROR\] Error: bad\n {4}at .*\(\S*world\S*:\d+:\d+\)/);
    expect(nested).toMatch(/nested: Error: inner\n/);
    expect(trace).toMatch(/^\[LOG\] Trace: 'here' 1\n {4}at /);
    expect(outcome?.logLines.join("\n")).not.toMatch(/file:|node:|\/modules\//);
  });

  test("a promise that nothing can settle is an error at once, not a hang", async () => {
    const started = performance.now();
    expect((await failure("world:never")).message).toMatch(/promise was never resolved/);
    expect(performance.now() - started).toBeLessThan(900);
  });

  test("work left behind ends with its function, and never reaches the next one's transaction", async () => {
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

  test("an unheard rejection does not end the thread", async () => {
    expect(await value("world:rejects")).toBe(1);
    expect(await value("world:rejects")).toBe(1);
  });
});

describe("a function that runs over its time", () => {
  test("gets Convex's error; everything else that was waiting is answered, once", async () => {
    await clear();
    const { runner } = fixture;
    const told: string[] = [];
    await runner.queries([{ ...call("messages:list"), token: "kept" }]);
    const stop = runner.onCommit(({ affected }) => told.push(...affected));
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
    expect(told).toContain("kept");
    stop();
  });

  test("also when it loops in what it left behind; nothing of it is written", async () => {
    await clear();
    expect(await fixture.runner.mutation(call("world:loopsLater"))).toMatchObject({
      ok: false,
      message: "Function execution timed out (maximum duration: 1s)",
    });
    expect(await bodies()).toEqual([]);
  });

  test("keeps nobody from closing", async () => {
    const loop = fixture.runner.queries([call("world:loops")]).catch(String);
    const sent = fixture.runner.mutation(call("messages:send", { body: "sent before" }));
    await fixture.runner.close();
    expect(await loop).toContain("shutting down");
    await sent.catch(() => undefined);
    await fixture.open();
  });
});

test("a function that takes all memory gets an error; what waited is answered", async () => {
  const [devoured, fine] = await Promise.all([
    fixture.runner.queries([call("world:devours")]),
    fixture.runner.queries([call("messages:nothing")]),
  ]);
  expect(devoured[0]).toMatchObject({ ok: false, message: expect.stringMatching(/ran out of memory|timed out/) });
  expect(fine[0]).toMatchObject({ ok: true });
});

describe("subscriptions and snapshots", () => {
  test("a token is told when a commit meets what its query read, and only then", async () => {
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

  test("queries see the snapshot they ask for", async () => {
    await clear();
    const { runner } = fixture;
    const { ts } = await runner.mutation(call("messages:send", { body: "early" }));
    await runner.mutation(call("messages:send", { body: "late" }));
    const [then] = await runner.queries([call("messages:list")], ts);
    expect(then).toMatchObject({ value: ["early"], ts });
    const [now] = await runner.queries([call("messages:list")]);
    expect(now).toMatchObject({ value: ["early", "late"] });
    const told: string[] = [];
    const stop = runner.onCommit(({ affected }) => told.push(...affected));
    await runner.queries([{ ...call("messages:list"), token: "behind" }], ts);
    expect(told).toEqual(["behind"]);
    stop();
  });

  test("a mutation that was answered before is answered the same and runs no second time", async () => {
    await clear();
    const { runner } = fixture;
    const once = { sessionId: "3b241101-e2bb-4255-8caf-4136c566a962", requestId: 7 };
    const first = await runner.mutation(call("messages:send", { body: "once" }), once);
    const again = await runner.mutation(call("messages:send", { body: "once" }), once);
    expect(again).toMatchObject({ ok: true, ts: first.ts, value: first.ok && first.value });
    expect(await bodies()).toEqual(["once"]);
  });

  test("a page runs again within the bounds of its first run", async () => {
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

  test("many calls in flight are all answered", async () => {
    await clear();
    const { runner } = fixture;
    const outcomes = await Promise.all(Array.from({ length: 500 }, (_, i) => runner.mutation(call("messages:send", { body: String(i) }))));
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    expect(new Set(outcomes.map(({ ts }) => ts)).size).toBe(500);
    expect(((await bodies()) as string[]).length).toBe(500);
  });
});

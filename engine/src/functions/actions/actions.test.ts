import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Json } from "../../values/types.ts";
import { call, Fixture, anonymous, user } from "../testing.ts";
import { TransactorThread } from "../transactor/transactor-client.ts";
import type { FunctionLog } from "../types.ts";

const NOTES = `
  import { queryGeneric as query, internalMutationGeneric as internalMutation, mutationGeneric as mutation, anyApi } from "convex/server";
  import { ConvexError, v } from "convex/values";
  export const all = query({ args: {}, handler: async (ctx) => (await ctx.db.query("notes").collect()).map((n) => n.text) });
  export const add = internalMutation({ args: { text: v.string() }, handler: async (ctx, args) => await ctx.db.insert("notes", args) });
  export const refuse = internalMutation({ args: {}, handler: async () => { throw new ConvexError({ code: "limit" }); } });
  export const who = query({ args: {}, handler: async (ctx) => (await ctx.auth.getUserIdentity())?.subject ?? null });
  export const urlOf = query({ args: { id: v.id("_storage") }, handler: async (ctx, { id }) => await ctx.storage.getUrl(id) });
  export const rowOf = query({ args: { id: v.id("_storage") }, handler: async (ctx, { id }) => await ctx.db.system.get(id) });
  export const uploadUrl = mutation({ args: {}, handler: async (ctx) => await ctx.storage.generateUploadUrl() });
  export const drop = mutation({ args: { id: v.id("_storage"), fail: v.optional(v.boolean()) }, handler: async (ctx, { id, fail }) => {
    await ctx.storage.delete(id);
    if (fail) throw new Error("changed my mind");
  } });
`;

const WORK = `
  import { actionGeneric as action, internalActionGeneric as internalAction, anyApi, createFunctionHandle } from "convex/server";
  import { ConvexError, v } from "convex/values";
  export const writes = action({ args: { text: v.string() }, returns: v.array(v.string()), handler: async (ctx, { text }) => {
    await ctx.runMutation(anyApi.notes.add, { text });
    await ctx.runAction(anyApi.work.more, { text });
    return await ctx.runQuery(anyApi.notes.all, {});
  } });
  export const more = internalAction({ args: { text: v.string() }, handler: async (ctx, { text }) => { await ctx.runMutation(anyApi.notes.add, { text: text + "!" }); } });
  export const world = action({ args: {}, handler: async () => {
    const before = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { moved: Date.now() > before, uuid: crypto.randomUUID().length, signs: typeof crypto.subtle.sign, env: process.env.CONVEX_CLOUD_URL, home: process.env.HOME ?? null };
  } });
  export const fetches = action({ args: { url: v.string() }, handler: async (ctx, { url }) => await (await fetch(url)).text() });
  export const logs = action({ args: { name: v.string() }, handler: async (ctx, { name }) => { console.log(name); await new Promise((r) => setTimeout(r, 10)); console.log(name); } });
  export const catches = action({ args: {}, handler: async (ctx) => {
    try { await ctx.runMutation(anyApi.notes.refuse, {}); } catch (error) { return { data: (error as ConvexError<never>).data, is: error instanceof ConvexError }; }
  } });
  export const fails = action({ args: {}, handler: async () => { throw new ConvexError({ code: "conflict" }); } });
  export const crashes = action({ args: {}, handler: async () => { throw new RangeError("bad"); } });
  export const wrong = action({ args: {}, returns: v.string(), handler: async () => 1 as never });
  export const who = action({ args: {}, handler: async (ctx) => [(await ctx.auth.getUserIdentity())?.subject ?? null, await ctx.runQuery(anyApi.notes.who, {})] });
  export const patches = action({ args: {}, handler: async () => {
    const before = atob("aGk=");
    Object.assign(globalThis, { atob: () => "patched" });
    return [before, atob("aGk=")];
  } });
  export const failsLater = action({ args: {}, handler: async () => { setTimeout(() => { throw new Error("later"); }, 5); await new Promise((resolve) => setTimeout(resolve, 40)); return "done"; } });
  export const slow = action({ args: {}, handler: async (ctx) => { await ctx.runMutation(anyApi.notes.add, { text: "slow began" }); await new Promise((resolve) => setTimeout(resolve, 300)); return "old"; } });
  export const byHandle = action({ args: {}, handler: async (ctx) => { const handle = await createFunctionHandle(anyApi.notes.all); return [handle, await ctx.runQuery(handle as never, {})]; } });
  export const signs = action({ args: {}, handler: async () => await Convex.asyncSyscall("1.0/signJwt", "{}") });
  export const stores = action({ args: { text: v.string(), sha256: v.optional(v.string()) }, handler: async (ctx, { text, sha256 }) => {
    const id = await ctx.storage.store(new Blob([text], { type: "text/plain" }), sha256 === undefined ? undefined : { sha256 });
    const blob = await ctx.storage.get(id);
    return { id, text: await blob!.text(), type: blob!.type, url: await ctx.storage.getUrl(id), meta: await ctx.storage.getMetadata(id) };
  } });
  export const missing = action({ args: { id: v.id("_storage") }, handler: async (ctx, { id }) => [await ctx.storage.get(id), await ctx.storage.getUrl(id)] });
  export const drops = action({ args: { id: v.id("_storage") }, handler: async (ctx, { id }) => { await ctx.storage.delete(id); } });
`;

const HTTP = `
  import { httpRouter, httpActionGeneric as httpAction, anyApi } from "convex/server";
  const http = httpRouter();
  http.route({ path: "/echo", method: "POST", handler: httpAction(async (ctx, request) => {
    const body = await request.text();
    await ctx.runMutation(anyApi.notes.add, { text: "http " + body.length });
    return new Response(body.toUpperCase(), { status: 201, headers: { "x-was": request.headers.get("x-is") ?? "", "set-cookie": "a=b" } });
  }) });
  http.route({ pathPrefix: "/files/", method: "GET", handler: httpAction(async (ctx, request) => {
    let left = 5;
    return new Response(new ReadableStream({ async pull(c) { await new Promise((r) => setTimeout(r, 5)); left-- > 0 ? c.enqueue(new TextEncoder().encode(String(left))) : c.close(); } }));
  }) });
  http.route({ path: "/fails", method: "GET", handler: httpAction(async () => { throw new Error("secret"); }) });
  http.route({ path: "/who", method: "GET", handler: httpAction(async (ctx) => Response.json(await ctx.auth.getUserIdentity())) });
  const bodies = {
    bytes: (size) => new Response(new Uint8Array(size)),
    text: (size) => new Response("x".repeat(size)),
    blob: (size) => new Response(new Blob([new Uint8Array(size)])),
    json: (size) => Response.json("x".repeat(size - 2)),
    stream: (size) => new Response(new Blob([new Uint8Array(size)]).stream()),
    declared: (size) => new Response(new Blob([new Uint8Array(size)]).stream(), { headers: { "content-length": String(size) } }),
    form: (size) => {
      const form = new FormData();
      form.set("file", new Blob([new Uint8Array(size - 1_000)]));
      form.set("text", "x".repeat(1_000));
      return new Response(form);
    },
  };
  http.route({ path: "/body", method: "GET", handler: httpAction(async (ctx, request) => {
    const [kind, size] = new URL(request.url).searchParams.values();
    const response = bodies[kind](Number(size));
    if (!(response instanceof Response)) throw new Error("not a Response");
    return response;
  }) });
  export default http;
`;

const NODE = `"use node";
  import { actionGeneric as action } from "convex/server";
  import { createHash } from "node:crypto";
  export const hash = action({ args: {}, handler: async () => createHash("sha256").update("abc").digest("hex").slice(0, 8) });
  export const exits = action({ args: {}, handler: async () => { process.exit(3); } });
`;

const STEPS = `
  import { actionGeneric as action, internalMutationGeneric as internalMutation, anyApi } from "convex/server";
  import { v } from "convex/values";
  export const count = internalMutation({ args: { step: v.number() }, handler: async (ctx, { step }) => {
    const row = (await ctx.db.query("running").first()) ?? { _id: await ctx.db.insert("running", { actions: 0 }), actions: 0 };
    await ctx.db.patch(row._id, { actions: row.actions + step });
    return row.actions + step;
  } });
  const change = (ctx, step) => ctx.runMutation(anyApi.steps.count, { step });
  export const alone = action({ handler: async (ctx) => {
    const running = await change(ctx, 1);
    await change(ctx, -1);
    return running;
  } });
  export const meet = action({ handler: async (ctx) => {
    await change(ctx, 1);
    while ((await change(ctx, 0)) < 2);
    return 2;
  } });
`;

const FILES = { "steps.ts": STEPS, "notes.ts": NOTES, "work.ts": WORK, "http.ts": HTTP, "node.ts": NODE };

let fixture: Fixture;
let server: Server;
let address: string;

beforeAll(async () => {
  server = createServer((_request, response) => response.end("from outside"));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fixture = await Fixture.start();
  await fixture.push(FILES);
});
afterAll(async () => {
  await fixture.remove();
  server.close();
});

const value = (...args: Parameters<Fixture["value"]>): Promise<Json> => fixture.value(...args);
const failure = (...args: Parameters<Fixture["failure"]>): ReturnType<Fixture["failure"]> => fixture.failure(...args);
const http = (path: string, init?: RequestInit): Promise<Response> =>
  fixture.runner.httpAction(new Request(`http://site.test${path}`, init), anonymous);

describe("actions", () => {
  test("run mutations, actions and queries, internal ones included", async () => {
    expect(await value("work:writes", { text: "one" })).toEqual(["one", "one!"]);
  });

  test("have a clock, timers, randomness and only the deployment's variables", async () => {
    expect(await value("work:world")).toEqual({ moved: true, uuid: 36, signs: "function", env: "http://127.0.0.1:3210", home: null });
  });

  test("leave no globals for the next action", async () => {
    expect(await value("work:patches")).toEqual(["hi", "patched"]);
    expect(await value("work:patches")).toEqual(["hi", "patched"]);
  });

  test("can use fetch", async () => {
    expect(await value("work:fetches", { url: address })).toBe("from outside");
  });

  test("run concurrently with separate log lines", async () => {
    const outcomes = await Promise.all(["a", "b"].map((name) => fixture.runner.action(call("work:logs", { name }))));
    expect(outcomes.map(({ logLines }) => logLines)).toEqual([
      ["[LOG] 'a'", "[LOG] 'a'"],
      ["[LOG] 'b'", "[LOG] 'b'"],
    ]);
  });

  test("catch errors of called functions with their data", async () => {
    expect(await value("work:catches")).toEqual({ data: { code: "limit" }, is: true });
  });

  test("fail like other functions", async () => {
    expect(await failure("work:fails")).toMatchObject({ data: { code: "conflict" } });
    expect((await failure("work:crashes")).message).toMatch(/^Uncaught RangeError: bad\n {4}at .*\(.*convex\/work\.ts:\d+:\d+\)/);
    expect((await failure("work:wrong")).message).toMatch(/^ReturnsValidationError: /);
    expect((await failure("work:writes", {})).message).toMatch(/^ArgumentValidationError: /);
    expect((await failure("work:more", { text: "" })).message).toMatch(/^Could not find public function for 'work:more'/);
  });

  test("pass the caller's identity to called functions", async () => {
    expect(await value("work:who", {}, { identity: user("anna") })).toEqual(["anna", "anna"]);
  });

  test("fail when they end their thread, and others continue", async () => {
    const [slow, exit] = await Promise.all([fixture.runner.action(call("work:slow")), fixture.runner.action(call("node:exits"))]);
    expect([slow, exit]).toMatchObject([
      { ok: true, value: "old" },
      { ok: false, message: "The thread that this action ran on has ended. Actions run at most once." },
    ]);
    expect(await value("work:catches")).toMatchObject({ is: true });
  });

  test("survive an error in another action's timer", async () => {
    expect(await value("work:failsLater")).toBe("done");
  });

  test("call functions by handle", async () => {
    const [handle, notes] = (await value("work:byHandle")) as [string, Json];
    expect(handle).toBe("function://;notes.js:all");
    expect(notes).toEqual(await value("notes:all"));
  });

  test("get an error that names an unsupported function", async () => {
    expect((await failure("work:signs")).message).toMatch(/^Uncaught Error: ctx\.auth\.signJwt\(\) is not offered by this deployment\./);
  });

  test('with "use node" have Node\'s modules', async () => {
    expect(await value("node:hash")).toBe("ba7816bf");
  });

  test("finish with their own code after a push", async () => {
    const running = fixture.runner.action(call("work:slow"));
    await expect.poll(() => value("notes:all")).toContain("slow began");
    await fixture.push({ ...FILES, "work.ts": WORK.replace('"old"', '"new"') });
    expect(await running).toMatchObject({ value: "old" });
    expect(await value("work:slow")).toBe("new");
  });
});

describe("stored files", () => {
  test("can be stored, read, described and served at an unguessable URL", async () => {
    const stored = (await value("work:stores", { text: "hello" })) as { id: string; url: string; meta: Json };
    const sha256 = "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=";
    expect(stored).toMatchObject({
      text: "hello",
      type: "text/plain",
      meta: { storageId: stored.id, sha256: Buffer.from(sha256, "base64").toString("hex"), size: 5, contentType: "text/plain" },
    });
    expect(stored.url).toMatch(/^http:\/\/127\.0\.0\.1:3210\/api\/storage\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(await value("notes:urlOf", { id: stored.id })).toBe(stored.url);
    expect(await value("notes:rowOf", { id: stored.id })).toMatchObject({ _id: stored.id, sha256, size: 5, contentType: "text/plain" });
    const uuid = stored.url.slice(-36);
    expect(await fixture.runner.files.open(uuid)).toMatchObject({ size: 5, sha256, contentType: "text/plain" });
    expect(await fixture.runner.files.open("00000000-0000-0000-0000-000000000000")).toBeNull();
  });

  test("are not stored when the checksum is wrong", async () => {
    expect((await failure("work:stores", { text: "hello", sha256: "0".repeat(64) })).message).toMatch(/checksum/);
    await value("work:stores", { text: "abc", sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" });
  });

  test("are deleted with their row, and only then", async () => {
    const { id, url } = (await value("work:stores", { text: "going" })) as { id: string; url: string };
    const open = (): ReturnType<typeof fixture.runner.files.open> => fixture.runner.files.open(url.slice(-36));
    await failure("notes:drop", { id, fail: true });
    expect(await open()).not.toBeNull();
    await value("notes:drop", { id });
    expect(await open()).toBeNull();
    expect(await value("work:missing", { id })).toEqual([null, null]);
    expect((await failure("notes:drop", { id })).message).toMatch(/no stored file/);
    const another = (await value("work:stores", { text: "going too" })) as { id: string; url: string };
    await value("work:drops", { id: another.id });
    expect(await fixture.runner.files.open(another.url.slice(-36))).toBeNull();
  });

  test("upload tokens must be signed by the deployment", async () => {
    const url = new URL((await value("notes:uploadUrl")) as string);
    expect(url.pathname).toBe("/api/storage/upload");
    const token = url.searchParams.get("token") ?? "";
    const { files } = fixture.runner;
    const altered = (token.startsWith("A") ? "B" : "A") + token.slice(1);
    expect(() => files.checkUploadToken(altered)).toThrow(/Invalid/);
    expect(() => files.checkUploadToken("")).toThrow(/Invalid/);
    files.checkUploadToken(token);
  });
});

describe("the transactor", () => {
  async function checksOf(run: () => Promise<unknown>): Promise<unknown[]> {
    const request = vi.spyOn(TransactorThread.prototype, "request");
    await run();
    return request.mock.calls.filter(([kind]) => kind.startsWith("checkAction"));
  }

  test("does not receive arguments and results that it need not check", async () => {
    const checks = await checksOf(() => value("work:stores", { text: "not copied" }));
    expect(checks).toEqual([["checkAction", { path: "work:stores", component: "", args: null, visibility: "public" }]]);
  });

  test("checks arguments with ids", async () => {
    const { id } = (await value("work:stores", { text: "checked" })) as { id: string };
    const checks = await checksOf(() => value("work:drops", { id }));
    expect(checks).toEqual([["checkAction", { path: "work:drops", component: "", args: JSON.stringify({ id }), visibility: "public" }]]);
  });
});

describe("actions with large arguments", () => {
  const large = { text: "x".repeat(1024 * 1024) };

  test("run one at a time for unauthenticated callers", async () => {
    const run = () => fixture.value("steps:alone", large);
    expect(await Promise.all([run(), run(), run()])).toEqual([1, 1, 1]);
  });

  test("run concurrently for users", async () => {
    const run = () => fixture.value("steps:meet", large, { identity: user("anna") });
    expect(await Promise.all([run(), run()])).toEqual([2, 2]);
  });
});

describe("HTTP actions", () => {
  test("receive the request and return the response", async () => {
    const response = await http("/echo", { method: "POST", body: "hello", headers: { "x-is": "here" } });
    expect([response.status, await response.text(), response.headers.get("x-was"), response.headers.getSetCookie()]).toEqual([
      201,
      "HELLO",
      "here",
      ["a=b"],
    ]);
    expect(await value("notes:all")).toContain("http 5");
  });

  test("stream their response", async () => {
    const response = await http("/files/any/thing");
    expect(await response.text()).toBe("43210");
  });

  test("respond 404 without a route, and 500 with the error but no stack", async () => {
    expect((await http("/absent")).status).toBe(404);
    const entries: FunctionLog[] = [];
    const stop = fixture.runner.onLog((entry) => entries.push(entry));
    const failed = await http("/fails");
    expect(failed.status).toBe(500);
    expect(await failed.json()).toEqual({
      code: expect.stringMatching(/^\[Request ID: [0-9a-f]{16}\] Server Error$/),
      trace: "Uncaught Error: secret",
    });
    expect(entries).toMatchObject([{ type: "httpAction", path: "GET /fails", error: expect.stringContaining("Uncaught Error: secret") }]);
    stop();
  });

  test("receive the caller's identity", async () => {
    const response = await fixture.runner.httpAction(new Request("http://site.test/who"), user("anna"));
    expect(await response.json()).toMatchObject({ subject: "anna" });
    expect(await (await http("/who")).json()).toBeNull();
  });

  test.each(["bytes", "text", "blob", "json", "declared"])("respond 500 when the response is over 20 MiB: %s", async (kind) => {
    const limit = 20 * 1024 * 1024;
    const allowed = await http(`/body?kind=${kind}&size=${limit}`);
    expect(allowed.status).toBe(200);
    expect((await allowed.arrayBuffer()).byteLength).toBe(limit);
    const refused = await http(`/body?kind=${kind}&size=${limit + 1}`);
    expect(refused.status).toBe(500);
  });

  test("respond 500 when a form is over 20 MiB", async () => {
    expect((await http(`/body?kind=form&size=${20 * 1024 * 1024 + 1}`)).status).toBe(500);
  });

  test("reject request and response bodies over 20 MiB", async () => {
    await expect((await http(`/body?kind=stream&size=${21 * 1024 * 1024}`)).arrayBuffer()).rejects.toThrow(/20 MiB/);
    const response = await http("/echo", { method: "POST", body: new Uint8Array(21 * 1024 * 1024) });
    expect(response.status).toBe(500);
  });
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startScheduler } from "../../scheduler/scheduler.ts";
import type { Json } from "../../values/types.ts";
import { bundleSources } from "../bundles/bundle-fixture.ts";
import { ACTION_BLOCKED, ACTION_THREAD_ENDED, NODE_OUT_OF_MEMORY } from "../error-messages.ts";
import { startRunner } from "../runner.ts";
import { call, Fixture, user } from "../testing.ts";
import type { FunctionLog } from "../types.ts";

const IMPORTS = `
  import { queryGeneric as query, mutationGeneric as mutation, internalMutationGeneric as internalMutation, actionGeneric as action,
    internalActionGeneric as internalAction, httpActionGeneric as httpAction, httpRouter, cronJobs, anyApi, componentsGeneric,
    createFunctionHandle, defineApp, defineComponent } from "convex/server";
  import { ConvexError, v } from "convex/values";
`;
const node = (code: string): string => `"use node";${IMPORTS}${code}`;
const isolate = (code: string): string => IMPORTS + code;

const NOTES = isolate(`
  export const add = internalMutation({ args: { text: v.string() }, handler: async (ctx, args) => { await ctx.db.insert("notes", args); } });
  export const all = query({ args: {}, handler: async (ctx) => (await ctx.db.query("notes").collect()).map(({ text }) => text) });
  export const plan = mutation({ args: {}, handler: async (ctx) => { await ctx.scheduler.runAfter(0, anyApi.work.more, { text: "scheduled" }); } });
  export const who = query({ args: {}, handler: async (ctx) => (await ctx.auth.getUserIdentity())?.subject ?? null });
  export const clean = action({ args: {}, handler: async () => ({
    process: Object.keys(process), marked: globalThis.marked ?? null, polluted: {}.polluted ?? null, require: typeof globalThis.require }) });
  export const around = action({ args: { url: v.string() }, handler: async (ctx, { url }) => {
    try { return String(await import(url)); } catch (error) { return error.message; }
  } });
  export const through = action({ args: { text: v.string() }, handler: async (ctx, args) => await ctx.runAction(anyApi.work.more, args) });
`);

const WORK = node(`
  import { createHash } from "node:crypto";
  import fs from "node:fs";
  import os from "node:os";
  import path from "node:path";
  import { setTimeout as sleep } from "node:timers/promises";
  import { gzipSync, gunzipSync } from "node:zlib";
  export const globals = action({ args: {}, handler: async () => ({
    hash: createHash("sha256").update("abc").digest("hex").slice(0, 8), buffer: Buffer.from("aGk=", "base64").toString(),
    zlib: gunzipSync(gzipSync("text")).toString(), required: require("node:path").join("a", "b"), immediate: typeof setImmediate,
    zone: new Date(0).getTimezoneOffset(), version: process.versions.node }) });
  export const environment = action({ args: {}, handler: async () => ({
    own: { ...process.env }, ofProcess: Object.keys(process.report.getReport().environmentVariables) }) });
  export const attempts = action({ args: { file: v.string(), parent: v.number() }, handler: async (ctx, { file, parent }) => {
    const builtin = (name) => process.getBuiltinModule(name);
    const all = {
      read: () => fs.readFileSync(file), list: () => fs.readdirSync(path.dirname(file)), write: () => fs.writeFileSync(file, "x"),
      writeCode: () => fs.writeFileSync(new URL(import.meta.url), "x"), link: () => fs.symlinkSync(file, path.join(os.tmpdir(), "link")),
      copy: () => fs.copyFileSync(file, path.join(os.tmpdir(), "copy")), own: () => fs.readFileSync("/proc/self/environ"),
      parent: () => fs.readFileSync("/proc/" + parent + "/environ"), require: () => require(file), import: async () => import(file),
      spawn: () => builtin("child_process").execFileSync(process.execPath, ["--version"]),
      worker: () => new (builtin("worker_threads").Worker)("1", { eval: true }), sqlite: () => new (builtin("node:sqlite").DatabaseSync)(file),
      inspector: () => builtin("inspector").open(0), addon: () => process.dlopen({ exports: {} }, file), binding: () => process.binding("fs"),
      wasi: () => new (builtin("wasi").WASI)({ version: "preview1", preopens: { "/": "/" } }), report: () => process.report.writeReport(file),
      kill: () => process.kill(parent, 0), group: () => process.kill(0, 0), debug: () => process._debugProcess(parent), send: () => process.send({}),
    };
    const done = [];
    for (const [name, attempt] of Object.entries(all)) { try { await attempt(); done.push(name); } catch {} }
    return done;
  } });
  export const writes = action({ args: {}, handler: async () => {
    const file = path.join(os.tmpdir(), "notes.txt");
    fs.writeFileSync(file, "kept");
    return [fs.readFileSync(file, "utf8"), process.cwd() === os.tmpdir()];
  } });
  export const everything = action({ args: { text: v.string() }, returns: v.any(), handler: async (ctx, { text }) => {
    await ctx.runMutation(anyApi.notes.add, { text });
    await ctx.runAction(anyApi.work.more, { text });
    const id = await ctx.storage.store(new Blob([text], { type: "text/plain" }));
    const blob = await ctx.storage.get(id);
    const jobs = await ctx.scheduler.runAfter(60_000, anyApi.work.more, { text });
    await ctx.scheduler.cancel(jobs);
    return { notes: await ctx.runQuery(anyApi.notes.all, {}), file: await blob.text(), type: blob.type, url: typeof (await ctx.storage.getUrl(id)),
      who: [(await ctx.auth.getUserIdentity())?.subject ?? null, await ctx.runQuery(anyApi.notes.who, {})],
      left: fs.readdirSync(os.tmpdir()), handle: await createFunctionHandle(anyApi.notes.all) };
  } });
  export const more = internalAction({ args: { text: v.string() }, handler: async (ctx, { text }) => {
    await ctx.runMutation(anyApi.notes.add, { text: text + "!" });
    return process.versions.node;
  } });
  export const marks = action({ args: {}, handler: async () => { globalThis.marked = true; Object.defineProperty(Object.prototype, "polluted", { value: true }); } });
  export const fails = action({ args: {}, handler: async () => { console.log("before", 1); throw new RangeError("bad"); } });
  export const refuses = action({ args: {}, handler: async () => { throw new ConvexError({ code: "conflict" }); } });
  export const exits = action({ args: {}, handler: async () => { process.exit(3); } });
  export const aborts = action({ args: {}, handler: async () => { process.abort(); } });
  export const waits = action({ args: {}, handler: async (ctx) => {
    while (!(await ctx.runQuery(anyApi.notes.all, {})).includes("open")) await sleep(5);
    return "waited";
  } });
  export const fills = action({ args: { mebibytes: v.number(), loops: v.boolean() }, handler: async (ctx, { mebibytes, loops }) => {
    const blocks = [];
    while (blocks.length < mebibytes) blocks.push(Buffer.alloc(1024 * 1024, 1));
    while (loops) {}
    return blocks.length;
  } });
  export const hoards = action({ args: {}, handler: async () => { const texts = []; for (;;) texts.push(new Array(1000).fill(texts.length)); } });
  export const loopsLater = action({ args: {}, handler: async () => {
    let turns = 1000;
    const later = () => { while (turns === 0) {} turns -= 1; queueMicrotask(later); };
    later();
  } });
  export const loops = action({ args: {}, handler: async () => { while (true) {} } });
  export const trivial = action({ args: {}, handler: async () => "done" });
`);

const HTTP = isolate(`
  const http = httpRouter();
  http.route({ path: "/node", method: "GET", handler: httpAction(async (ctx) => new Response(await ctx.runAction(anyApi.work.more, { text: "http" }))) });
  export default http;
`);
const CRONS = isolate(`
  const crons = cronJobs();
  crons.interval("node", { hours: 1 }, anyApi.work.more, { text: "cron" });
  export default crons;
`);
const APP = isolate(`
  import clock from "./_componentDeps/${Buffer.from("clock").toString("base64url")}";
  const app = defineApp();
  app.use(clock);
  export default app;
`);
const BRIDGE = isolate(`
  export const call = action({ args: {}, handler: async (ctx) =>
    await ctx.runAction(componentsGeneric().clock.calls.back, { handle: await createFunctionHandle(anyApi.work.more) }) });
`);
const CLOCK = {
  files: {
    "convex.config.ts": isolate(`export default defineComponent("clock");`),
    "calls.ts": isolate(
      `export const back = action({ args: { handle: v.string() }, handler: async (ctx, { handle }) => await ctx.runAction(handle, { text: "component" }) });`,
    ),
  },
};
const FILES = { "notes.ts": NOTES, "work.ts": WORK, "http.ts": HTTP, "crons.ts": CRONS, "bridge.ts": BRIDGE, "convex.config.ts": APP };

let fixture: Fixture;
let scheduler: Awaited<ReturnType<typeof startScheduler>>;
let packages: string;
const warn = vi.fn<(line: string) => void>();

function install(name: string, version: string, files: Record<string, string>): void {
  const folder = join(packages, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version, main: "index.js" }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
}

beforeAll(async () => {
  packages = join(mkdtempSync(join(tmpdir(), "engine-packages-")), "node_modules");
  install("greeter", "1.2.3", {
    "index.js": `module.exports = (name) => require("./text.js") + name;`,
    "text.js": `module.exports = "Hello ";`,
  });
  process.env["SERVER_SECRET"] = "of the server";
  fixture = new Fixture({}, { warn, nodeSettings: { nodeModules: packages, allowsAddons: false } });
  await fixture.open();
  await fixture.runner.environment.update([
    { name: "GREETING", value: "Hi" },
    { name: "NODE_OPTIONS", value: "--no-such-flag" },
  ]);
  await fixture.push(FILES, { clock: CLOCK });
  scheduler = await startScheduler(fixture.runner);
});
afterAll(async () => {
  delete process.env["SERVER_SECRET"];
  await scheduler.stop();
  await fixture.remove();
  rmSync(join(packages, ".."), { recursive: true, force: true });
});

const value = (path: string, args: Json = {}): Promise<Json> => fixture.value(path, args, { visibility: "any" });
const notes = async (): Promise<Json> => value("notes:all");
const own = process.versions.node;

describe('an action of a "use node" file', () => {
  test("has Node's modules and globals", async () => {
    expect(await value("work:globals")).toEqual({
      hash: "ba7816bf",
      buffer: "hi",
      zlib: "text",
      required: "a/b",
      immediate: "function",
      zone: 0,
      version: own,
    });
  });

  test("has the deployment's variables and no others", async () => {
    const { own, ofProcess } = (await value("work:environment")) as { own: Json; ofProcess: string[] };
    expect(own).toEqual({
      GREETING: "Hi",
      NODE_OPTIONS: "--no-such-flag",
      CONVEX_CLOUD_URL: "http://127.0.0.1:3210",
      CONVEX_SITE_URL: "http://127.0.0.1:3211",
    });
    expect(ofProcess.filter((name) => !name.startsWith("NODE_CHANNEL_")).toSorted()).toEqual(["TMPDIR", "TZ"]);
  });

  test("cannot reach the server's files, processes and variables", { tags: "@node-permissions" }, async () => {
    const file = join(fixture.dir, "secret.txt");
    writeFileSync(file, "of the server");
    expect(await value("work:attempts", { file, parent: process.pid })).toEqual([]);
  });

  test("writes to a temporary folder", async () => {
    expect(await value("work:writes")).toEqual(["kept", true]);
  });

  test("uses all of its context", async () => {
    const outcome = await fixture.value("work:everything", { text: "one" }, { identity: user("anna") });
    expect(outcome).toMatchObject({
      file: "one",
      type: "text/plain",
      url: "string",
      who: ["anna", "anna"],
      handle: "function://;notes.js:all",
    });
    expect(outcome).toMatchObject({ notes: expect.arrayContaining(["one", "one!"]) });
  });

  test("is called by crons, the scheduler, HTTP actions, other actions and components", async () => {
    await value("notes:plan");
    await expect.poll(notes).toEqual(expect.arrayContaining(["scheduled!", "cron!"]));
    const response = await fixture.runner.httpAction(new Request("http://site.test/node"), { kind: "none" });
    expect(await response.text()).toBe(own);
    expect(await value("notes:through", { text: "through" })).toBe(own);
    expect(await value("bridge:call")).toBe(own);
    expect(await notes()).toEqual(expect.arrayContaining(["http!", "through!", "component!"]));
  });

  test("is internal like other functions", async () => {
    expect((await fixture.failure("work:more", { text: "" })).message).toMatch(/^Could not find public function for 'work:more'/);
  });

  test("checks its arguments and throws ConvexErrors", async () => {
    expect((await fixture.failure("work:everything", {})).message).toMatch(/^ArgumentValidationError: /);
    expect(await fixture.failure("work:refuses")).toMatchObject({ data: { code: "conflict" } });
  });

  test("fails with the file and line of its source, also in the log", async () => {
    const entries: FunctionLog[] = [];
    const stop = fixture.runner.onLog((entry) => entry.path === "work:fails" && entries.push(entry));
    const { message, logLines } = await fixture.failure("work:fails");
    stop();
    const line = WORK.split("\n").findIndex((text) => text.includes("const fails")) + 1;
    expect(message).toMatch(new RegExp(`^Uncaught RangeError: bad\\n {4}at .*\\(.*convex/work\\.ts:${line}:\\d+\\)`));
    expect(message).not.toContain(fixture.dir);
    expect(logLines).toEqual(["[LOG] 'before' 1"]);
    expect(entries).toMatchObject([{ error: message }]);
  });
});

describe("actions of other files", () => {
  test("have no state of Node.js actions and none of Node's process", async () => {
    await value("work:marks");
    expect(await value("notes:clean")).toEqual({ process: ["env"], marked: null, polluted: null, require: "undefined" });
  });

  test("cannot import Node's modules or files of the server", async () => {
    expect(await value("notes:around", { url: import.meta.url })).toMatch(/was not pushed/);
    expect(await value("notes:around", { url: "data:text/javascript,export * from 'node:fs'" })).toMatch(
      /is only available in files that begin with "use node"/,
    );
  });
});

describe("a process for Node.js actions", () => {
  test("fails only its own actions when it ends", async () => {
    const waiting = value("work:waits");
    const ended = await Promise.all([fixture.failure("work:exits"), fixture.failure("work:aborts")]);
    expect(ended.map(({ message }) => message)).toEqual([ACTION_THREAD_ENDED, ACTION_THREAD_ENDED]);
    await value("notes:add", { text: "open" });
    expect(await waiting).toBe("waited");
  });

  test("is killed for its memory and named in the log", async () => {
    warn.mockClear();
    expect((await fixture.failure("work:fills", { mebibytes: 700, loops: true })).message).toBe(NODE_OUT_OF_MEMORY);
    expect(warn.mock.calls).toEqual([[`work:fills: ${NODE_OUT_OF_MEMORY}`]]);
    expect(await value("work:fills", { mebibytes: 128, loops: false })).toBe(128);
  });

  test("fails when its heap is full, and is named in the log", { tags: "slow" }, async () => {
    warn.mockClear();
    expect((await fixture.failure("work:hoards")).message).toBe(NODE_OUT_OF_MEMORY);
    expect(warn.mock.calls).toEqual([[`work:hoards: ${NODE_OUT_OF_MEMORY}`]]);
  });

  test("is killed after a minute of computation and named in the log", { tags: "slow", timeout: 300_000 }, async () => {
    warn.mockClear();
    const looping = fixture.failure("work:loops");
    expect(await value("work:trivial")).toBe("done");
    expect((await looping).message).toBe(ACTION_BLOCKED);
    expect(warn.mock.calls).toEqual([[`work:loops: ${ACTION_BLOCKED}`]]);
  });

  test("gets no work while an ended action blocks it", async () => {
    warn.mockClear();
    await value("work:loopsLater");
    expect(await value("work:trivial")).toBe("done");
    expect(warn.mock.calls).toEqual([[`an action that has ended: ${ACTION_BLOCKED}`]]);
  });
});

describe("a push", () => {
  const greeter = {
    "greet.ts": node(
      `import greet from "greeter"; export const greet_ = action({ args: { name: v.string() }, handler: async (ctx, { name }) => greet(name) });`,
    ),
  };
  const dependency = (version: string, name = "greeter") => [{ name, version }];

  test.each([
    [
      "a query",
      `export const list = query({ args: {}, handler: async () => 1 });`,
      "`list` defined in `n.js` is a Query function. Only actions can be defined in Node.js.",
    ],
    [
      "a mutation",
      `export const add = mutation({ args: {}, handler: async () => 1 });`,
      "`add` defined in `n.js` is a Mutation function. Only actions can be defined in Node.js.",
    ],
    [
      "an HTTP action",
      `export const hook = httpAction(async () => new Response());`,
      "`hook` defined in `n.js` is a HttpAction function. Only actions can be defined in Node.js.",
    ],
  ])("is refused with %s in a Node.js file", async (_what, code, message) => {
    await expect(fixture.analyze({ "n.ts": node(code) })).rejects.toThrow(message);
  });

  test("is refused with file and line when a module fails to load", async () => {
    const broken = fixture.analyze({ "n.ts": `"use node";\nimport fs from "node:fs";\nfs.readFileSync("/proc/self/environ");` });
    await expect(broken).rejects.toThrow(
      /^Failed to analyze n\.js: Uncaught Error: Access to this API has been restricted.*\n {4}at .*convex\/n\.ts:3:\d+/s,
    );
    await expect(fixture.analyze({ "n.ts": `"use node";\nprocess.exit(1);` })).rejects.toThrow(/^A "use node" module ended the process/);
  });

  test("reads external packages from the operator's folder", { tags: "@external-packages" }, async () => {
    await fixture.push({ ...FILES, ...greeter }, { clock: CLOCK }, dependency("1.2.3"));
    expect(await value("greet:greet_", { name: "Ada" })).toBe("Hello Ada");
    await fixture.restart();
    expect(await value("greet:greet_", { name: "Ada" })).toBe("Hello Ada");
    expect((await fixture.runner.current())?.bundle.nodeDependencies).toEqual(dependency("1.2.3"));
  });

  test("works in a data folder behind a symbolic link", async () => {
    const link = join(fixture.dir, "link");
    symlinkSync(mkdtempSync(join(fixture.dir, "linked-")), link);
    const nodeSettings = { nodeModules: packages, allowsAddons: false };
    const runner = await startRunner({ dir: link, cloudUrl: "http://127.0.0.1:1", siteUrl: "http://127.0.0.1:2", nodeSettings });
    try {
      const bundle = await bundleSources({ "work.ts": WORK, ...greeter }, {}, dependency("1.2.3"));
      await runner.apply({ bundle, analysis: await runner.analyze(bundle) });
      expect(await runner.action(call("greet:greet_", { name: "Ada" }))).toMatchObject({ value: "Hello Ada" });
      expect(await runner.action(call("work:writes"))).toMatchObject({ value: ["kept", true] });
      expect(await runner.action(call("work:fails"))).toMatchObject({ message: expect.stringMatching(/convex\/work\.ts:\d+/) });
    } finally {
      await runner.close();
    }
  });

  test.each([
    [
      "another version",
      dependency("2.0.0"),
      /^The external package greeter has version 1\.2\.3 in .*node_modules; the push needs version 2\.0\.0\.\n.*npm install --save-exact greeter@2\.0\.0.*--node-modules/,
    ],
    [
      "no package",
      dependency("1.0.0", "@scope/absent"),
      /^The external package @scope\/absent is not installed in .*node_modules; the push needs version 1\.0\.0\./,
    ],
    ["a path", dependency("1.0.0", "../greeter"), /^"\.\.\/greeter" is not the name of a package\./],
  ])("is refused with %s in that folder", async (_what, wanted, message) => {
    await expect(fixture.analyze({ "n.ts": node("export const one = 1;") }, {}, wanted)).rejects.toThrow(message);
  });
});

import { existsSync, readdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BundleError } from "./bundle-error.ts";
import { bundleSources } from "./bundle-fixture.ts";
import { startRunner } from "../runner.ts";
import { call, Fixture } from "../testing.ts";

const server = (code: string): string => `
  import { queryGeneric as query, mutationGeneric as mutation, internalActionGeneric as internalAction, anyApi, cronJobs, httpRouter, httpActionGeneric as httpAction } from "convex/server";
  import { defineSchema, defineTable } from "convex/server";
  import { v } from "convex/values";
  ${code}
`;
const version = (text: string): string => server(`export const version = query({ args: {}, handler: async () => "${text}" });`);
const notes = server(`
  export const add = mutation({ args: { text: v.any() }, handler: async (ctx, { text }) => await ctx.db.insert("notes", { text }) });
  export const texts = query({ args: {}, handler: async (ctx) => (await ctx.db.query("notes").collect()).map((n) => n.text) });
  export const byText = query({ args: { text: v.string() }, handler: async (ctx, { text }) => (await ctx.db.query("notes").withIndex("by_text", (q) => q.eq("text", text)).collect()).length });
`);
const schema = (type: string): string =>
  server(`export default defineSchema({ notes: defineTable({ text: ${type} }).index("by_text", ["text"]) });`);

let fixture: Fixture;
beforeEach(async () => {
  fixture = await Fixture.start();
});
afterEach(() => fixture.remove());

describe("pushed code", () => {
  test("is copied again if a power loss emptied its files", { tags: "@emptied-modules" }, async () => {
    await fixture.push({ "app.ts": version("kept") });
    await fixture.runner.close();
    const folder = join(fixture.dir, "modules");
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name } of entries) truncateSync(join(parentPath, name));
    await fixture.open();
    expect(await fixture.value("app:version")).toBe("kept");
  });

  test("is analyzed for functions, routes, crons, schema and auth", async () => {
    await fixture.runner.environment.update([{ name: "ISSUER", value: "https://issuer.test" }]);
    const { analysis } = await fixture.analyze({
      "a/deep.ts": server(`
        export const list = query({ args: { n: v.number() }, returns: v.null(), handler: async () => null });
        export const free = query(async () => null);
        export const work = internalAction({ args: {}, handler: async () => {} });
        export const helper = () => 1;`),
      "http.ts": server(`const http = httpRouter();
        http.route({ path: "/x", method: "GET", handler: httpAction(async () => new Response()) });
        http.route({ pathPrefix: "/p/", method: "POST", handler: httpAction(async () => new Response()) });
        export default http;`),
      "crons.ts": server(
        `const crons = cronJobs(); crons.interval("often", { minutes: 5 }, anyApi.a.deep.work, {}); export default crons;`.replace(
          "anyApi.a.deep.work",
          `anyApi["a/deep"].work`,
        ),
      ),
      "schema.ts": schema("v.string()"),
      "auth.config.ts": `export default { providers: [{ type: "customJwt", issuer: process.env.ISSUER, jwks: "data:,%7B%22keys%22:%5B%5D%7D", algorithm: "ES256", applicationID: "app" }] };`,
    });
    const object = (value: object): object => ({ type: "object", value });
    expect(analysis.functions).toEqual([
      { module: "a/deep", name: "free", type: "query", visibility: "public", args: { type: "any" }, returns: null },
      {
        module: "a/deep",
        name: "list",
        type: "query",
        visibility: "public",
        args: object({ n: { fieldType: { type: "number" }, optional: false } }),
        returns: { type: "null" },
      },
      { module: "a/deep", name: "work", type: "action", visibility: "internal", args: object({}), returns: null },
    ]);
    expect(analysis.httpRoutes).toEqual([
      { path: "/x", method: "GET" },
      { path: "/p/*", method: "POST" },
    ]);
    expect(analysis.crons).toEqual({ often: { name: "a/deep:work", args: [{}], schedule: { type: "interval", minutes: 5 } } });
    expect(analysis.schema).toMatchObject({
      tables: [{ tableName: "notes", indexes: [{ indexDescriptor: "by_text", fields: ["text"] }] }],
      schemaValidation: true,
    });
    expect(analysis.authProviders).toEqual([
      { type: "customJwt", issuer: "https://issuer.test", jwks: "data:,%7B%22keys%22:%5B%5D%7D", algorithm: "ES256", applicationID: "app" },
    ]);
  });

  test.each([
    [
      "throws",
      { "bad.ts": `throw new Error("at the top");` },
      /^Failed to analyze bad\.js: Uncaught Error: at the top\n {4}at .*convex\/bad\.ts:1:7/,
    ],
    [
      "does not parse",
      { "bad.ts": server("export const x = query({ args: {}, handler: async () => 1 });") + "\nimport.meta.nothing.more;" },
      /^Failed to analyze bad\.js: /,
    ],
    [
      "fetches while it is loaded",
      { "bad.ts": `export const x = await fetch("http://127.0.0.1:1");` },
      /Can't use fetch\(\) in queries and mutations/,
    ],
    [
      "takes no object",
      { "bad.ts": server("export const x = query({ args: v.string() as never, handler: async () => 1 });") },
      /Args validator must be an object or any/,
    ],
    [
      "has a wrong cron",
      { "crons.ts": server(`const crons = cronJobs(); crons.cron("c", "61 * * * *", anyApi.x.y); export default crons;`) },
      /Invalid cron expression "61 \* \* \* \*"/,
    ],
    [
      "has a cron of nothing",
      { "crons.ts": server(`const crons = cronJobs(); crons.daily("c", { hourUTC: 1 }, anyApi.x.y); export default crons;`) },
      /function that does not exist: x:y/,
    ],
    ["has no router", { "http.ts": "export default 1;" }, /default export of `convex\/http\.js` is not a Router/],
    [
      "misses its issuer",
      {
        "auth.config.ts": `export default { providers: [{ type: "customJwt", issuer: process.env.NONE, jwks: "x", algorithm: "ES256" }] };`,
      },
      /no `issuer`/,
    ],
    [
      "mixes Node and queries",
      { "n.ts": `"use node";` + server("export const q = query({ args: {}, handler: async () => 1 });") },
      /Only actions can be defined in Node\.js/,
    ],
  ])("code that %s is refused", async (_what, files, message) => {
    await expect(fixture.analyze(files)).rejects.toThrow(message);
  });

  test("is loaded without changing the running code", async () => {
    await fixture.push({ "a.ts": version("one") });
    await fixture.analyze({ "a.ts": version("two") });
    expect(await fixture.value("a:version")).toBe("one");
  });
});

describe("a push", () => {
  test("replaces all code at once without failing concurrent calls", { tags: "slow" }, async () => {
    await fixture.push({ "a.ts": version("one"), "b.ts": version("one") });
    const push = await fixture.analyze({ "a.ts": version("two"), "b.ts": version("two") });
    const pairs: Promise<unknown[]>[] = [];
    const asking = setInterval(() => {
      pairs.push(
        fixture.runner
          .queries([call("a:version"), call("b:version")])
          .then((outcomes) => outcomes.map((outcome) => outcome.ok && outcome.value)),
      );
    }, 2);
    await fixture.runner.apply(push);
    clearInterval(asking);
    const versions = await Promise.all(pairs);
    expect(versions.length).toBeGreaterThan(3);
    for (const [a, b] of versions) expect(a).toBe(b);
    expect(await fixture.value("a:version")).toBe("two");
  });

  test("affects every subscription", { tags: "slow" }, async () => {
    await fixture.push({ "a.ts": version("one") });
    await fixture.runner.queries([{ ...call("a:version"), token: "t" }]);
    const messages: string[] = [];
    fixture.runner.onCommit(({ affected }) => messages.push(...affected));
    await fixture.push({ "a.ts": version("two") });
    expect(messages).toEqual(["t"]);
  });

  test("is rejected without any change when the stored data does not match", { tags: "slow" }, async () => {
    await fixture.push({ "notes.ts": notes, "schema.ts": schema("v.any()") });
    await fixture.value("notes:add", { text: 1 });
    const push = await fixture.analyze({ "notes.ts": version("two"), "schema.ts": schema("v.string()") });
    await expect(fixture.runner.prepare(push)).rejects.toThrow(/table "notes" does not match the schema/);
    await expect(fixture.runner.apply(push)).rejects.toThrow(/table "notes" does not match the schema/);
    expect(await fixture.value("notes:texts")).toEqual([1]);
  });

  test("survives a restart, with its schema, and without its files on disk", async () => {
    await fixture.push({ "notes.ts": notes, "schema.ts": schema("v.string()") });
    await fixture.value("notes:add", { text: "kept" });
    const before = await fixture.runner.current();
    await fixture.runner.close();
    const folder = join(fixture.dir, "modules");
    rmSync(folder, { recursive: true });
    await fixture.open();
    expect(await fixture.value("notes:byText", { text: "kept" })).toBe(1);
    expect((await fixture.failure("notes:add", { text: 1 })).message).toMatch(/does not match the schema/);
    expect(await fixture.runner.current()).toEqual(before);
  });

  test("is reported when it no longer loads after a restart, and can be fixed", { tags: "slow" }, async () => {
    const fussy = server(
      `if (process.env.FUSSY) throw new Error("not today"); if (process.env.CONVEX_SITE_URL === "http://127.0.0.1:1") throw new Error("spoiled"); export const q = query({ args: {}, handler: async () => 1 });`,
    );
    await fixture.push({ "a.ts": fussy });
    await expect(fixture.runner.environment.update([{ name: "FUSSY", value: "1" }])).rejects.toThrow(/not today/);
    expect(await fixture.value("a:q")).toBe(1);
    await fixture.runner.close();
    fixture.siteUrl = "http://127.0.0.1:1";
    await fixture.open();
    expect((await fixture.failure("a:q")).message).toMatch(/cannot be loaded: Uncaught Error: spoiled/);
    await fixture.push({ "a.ts": version("mended") });
    expect(await fixture.value("a:version")).toBe("mended");
  });

  test("leaves only the deployed code on disk", { tags: "slow" }, async () => {
    for (const text of ["one", "two", "three"]) await fixture.push({ "a.ts": version(text) });
    expect(readdirSync(join(fixture.dir, "modules"))).toHaveLength(1);
  });

  test("cannot write outside its folder", async () => {
    const bundle = await bundleSources({ "a.ts": version("one") });
    const [module] = bundle.modules;
    if (!module) throw new Error("no module");
    const evil = { ...bundle, modules: [{ ...module, path: "../../evil.js" }] };
    await expect(fixture.runner.analyze(evil)).rejects.toThrow(/is outside its folder/);
    expect(existsSync(join(fixture.dir, "evil.js"))).toBe(false);
  });
});

describe("environment variables", () => {
  const env = server(`
    const atLoad = process.env.NAME ?? null;
    export const read = query({ args: {}, handler: async () => [atLoad, process.env.NAME ?? null] });
    export const act = internalAction({ args: {}, handler: async () => [atLoad, process.env.NAME ?? null] });`);

  test("reach code that read them at load time, and survive a restart", { tags: "slow" }, async () => {
    await fixture.push({ "env.ts": env });
    expect(await fixture.value("env:read")).toEqual([null, null]);
    await fixture.runner.environment.update([{ name: "NAME", value: "value" }]);
    expect(await fixture.value("env:read")).toEqual(["value", "value"]);
    expect(await fixture.value("env:act", {}, { visibility: "any" })).toEqual(["value", "value"]);
    await fixture.restart();
    expect(await fixture.value("env:read")).toEqual(["value", "value"]);
    await fixture.runner.environment.update([{ name: "NAME", value: null }]);
    expect(await fixture.value("env:read")).toEqual([null, null]);
    expect(await fixture.runner.environment.list()).toEqual({});
  });

  test("change nothing when one is invalid", async () => {
    const { environment } = fixture.runner;
    await expect(
      environment.update([
        { name: "GOOD", value: "1" },
        { name: "not good", value: "1" },
      ]),
    ).rejects.toThrow(/"not good"/);
    await expect(environment.update([{ name: "CONVEX_CLOUD_URL", value: "1" }])).rejects.toThrow(/set by the deployment itself/);
    await expect(environment.update([{ name: "LONG", value: "x".repeat(9_000) }])).rejects.toThrow(/larger than 8192 bytes/);
    expect(await environment.list()).toEqual({});
  });

  test("change nothing when a module no longer loads", { tags: "slow" }, async () => {
    const strict = server(`
      if (process.env.MODE === "bad") throw new Error("MODE must not be bad");
      export const read = query({ args: {}, handler: async () => process.env.MODE ?? null });`);
    await fixture.push({ "strict.ts": strict });
    await fixture.runner.environment.update([{ name: "MODE", value: "good" }]);
    const refused = fixture.runner.environment.update([{ name: "MODE", value: "bad" }]);
    await expect(refused).rejects.toThrow(/^Failed to analyze strict\.js: Uncaught Error: MODE must not be bad/);
    await expect(refused).rejects.toBeInstanceOf(BundleError);
    expect(await fixture.runner.environment.list()).toEqual({ MODE: "good" });
    expect(await fixture.value("strict:read")).toBe("good");
  });

  test("update the auth providers", { tags: "slow" }, async () => {
    await fixture.runner.environment.update([{ name: "ISSUER", value: "https://one.test" }]);
    await fixture.push({
      "a.ts": version("one"),
      "auth.config.ts": `export default { providers: [{ domain: process.env.ISSUER, applicationID: "app" }] };`,
    });
    await fixture.runner.environment.update([{ name: "ISSUER", value: "https://two.test" }]);
    expect((await fixture.runner.current())?.analysis.authProviders).toEqual([{ domain: "https://two.test", applicationID: "app" }]);
    await expect(fixture.runner.environment.update([{ name: "ISSUER", value: null }])).rejects.toThrow(/no `domain`/);
    expect(await fixture.runner.environment.list()).toEqual({ ISSUER: "https://two.test" });
  });
});

describe("the data folder", () => {
  test("is refused to a second runner until the first closes", { tags: "slow" }, async () => {
    const options = { dir: fixture.dir, cloudUrl: "http://127.0.0.1:1", siteUrl: "http://127.0.0.1:2" };
    await expect(startRunner(options)).rejects.toThrow(/Another process is using the data/);
    await fixture.restart();
  });
});

test("tables are listed, and read page by page", async () => {
  await fixture.push({ "notes.ts": notes });
  for (const text of ["a", "b", "c"]) await fixture.value("notes:add", { text });
  expect(await fixture.runner.tables()).toEqual(["notes"]);
  const first = await fixture.runner.tablePage({ table: "notes", order: "desc", cursor: null, numItems: 2 });
  expect(first).toMatchObject({ page: [{ text: "c" }, { text: "b" }], isDone: false });
  const rest = await fixture.runner.tablePage({ table: "notes", order: "desc", cursor: first.continueCursor, numItems: 2 });
  expect(rest).toMatchObject({ page: [{ text: "a" }], isDone: true });
});

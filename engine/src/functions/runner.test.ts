import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Identity, Json } from "../values/types.ts";
import { bundleSources } from "./bundle-fixture.ts";
import { startRunner } from "./runner.ts";
import type { Call, FunctionRunner } from "./types.ts";

const nobody: Identity = { kind: "none" };
const call = (path: string, args: Json = {}, more: Partial<Call> = {}): Call => ({ path, args, identity: nobody, visibility: "public", ...more });

let dir: string;
let runner: Awaited<ReturnType<typeof startRunner>>;

const start = async (): Promise<void> => {
  runner = await startRunner({ dir, cloudUrl: "http://127.0.0.1:3210", siteUrl: "http://127.0.0.1:3211" });
};

/** Pushes sources and puts them in force, as the command line does. */
async function push(files: Record<string, string>): Promise<void> {
  const bundle = await bundleSources(files);
  const analysis = await runner.analyze(bundle);
  await runner.prepare({ bundle, analysis });
  await runner.apply({ bundle, analysis });
}

async function value(path: string, args: Json = {}, more: Partial<Call> = {}): Promise<Json> {
  const outcome = await runner.anyFunction(call(path, args, more));
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}

async function failure(path: string, args: Json = {}, more: Partial<Call> = {}): Promise<Extract<Awaited<ReturnType<FunctionRunner["action"]>>, { ok: false }>> {
  const outcome = await runner.anyFunction(call(path, args, more));
  if (outcome.ok) throw new Error(`${path} did not fail: ${JSON.stringify(outcome.value)}`);
  return outcome;
}

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "engine-functions-"));
  await start();
});

afterEach(async () => {
  await runner.close();
  rmSync(dir, { recursive: true, force: true });
});

const SCHEMA = `
  import { defineSchema, defineTable } from "convex/server";
  import { v } from "convex/values";
  export default defineSchema({ messages: defineTable({ body: v.string(), author: v.optional(v.string()) }).index("by_author", ["author"]) });
`;
const MESSAGES = `
  import { queryGeneric as query, mutationGeneric as mutation, internalMutationGeneric as internalMutation } from "convex/server";
  import { ConvexError, v } from "convex/values";
  export const list = query({ args: {}, handler: async (ctx) => (await ctx.db.query("messages").collect()).map((m) => m.body) });
  export const byAuthor = query({ args: { author: v.string() }, handler: async (ctx, { author }) =>
    (await ctx.db.query("messages").withIndex("by_author", (q) => q.eq("author", author)).collect()).length });
  export const send = mutation({ args: { body: v.string(), author: v.optional(v.string()) }, returns: v.id("messages"),
    handler: async (ctx, args) => await ctx.db.insert("messages", args) });
  export const hidden = internalMutation({ args: {}, handler: async () => "seen" });
  export const boom = mutation({ args: {}, handler: async (ctx) => { await ctx.db.insert("messages", { body: "lost" }); throw new Error("boom"); } });
  export const refuse = mutation({ args: {}, handler: async () => { throw new ConvexError({ code: "limit", n: 3n }); } });
  export const whoAmI = query({ args: {}, handler: async (ctx) => (await ctx.auth.getUserIdentity())?.subject ?? null });
`;

describe("queries and mutations", () => {
  beforeEach(() => push({ "schema.ts": SCHEMA, "messages.ts": MESSAGES }));

  test("a mutation's writes are what a later query reads", async () => {
    await value("messages:send", { body: "hello" });
    expect(await value("messages.js:list")).toEqual(["hello"]);
  });
});

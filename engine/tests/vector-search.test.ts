import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startDeployment, type Deployment } from "../src/deployment.ts";
import { ADMIN_KEY, convex, createIssuer, createProject, removeFolder, temporaryFolder } from "./harness.ts";

const INDEX = `.vectorIndex("by_embedding", { vectorField: "embedding", dimensions: 3, filterFields: ["cuisine"] })`;

const FOODS = `
import { v } from "convex/values";
import { internal } from "./_generated/api";
import { action, internalQuery, mutation } from "./_generated/server";

export const add = mutation({
  args: { name: v.string(), embedding: v.array(v.float64()), cuisine: v.string() },
  handler: async (ctx, food) => await ctx.db.insert("foods", food),
});

export const fetchNames = internalQuery({
  args: { ids: v.array(v.id("foods")) },
  handler: async (ctx, { ids }) => {
    const foods = await Promise.all(ids.map((id) => ctx.db.get(id)));
    return foods.map((food) => food?.name ?? "");
  },
});

export const similar = action({
  args: { vector: v.array(v.float64()), cuisine: v.optional(v.string()) },
  handler: async (ctx, { vector, cuisine }): Promise<string[]> => {
    const found = await ctx.vectorSearch("foods", "by_embedding", {
      vector,
      limit: 16,
      ...(cuisine !== undefined && { filter: (q) => q.eq("cuisine", cuisine) }),
    });
    return await ctx.runQuery(internal.foods.fetchNames, { ids: found.map(({ _id }) => _id) });
  },
});
`;

let dataDir: string;
let project: string;
let deployment: Deployment;
const run = (args: string[], options?: Parameters<typeof convex>[3]) => convex(project, deployment, args, options);
const push = () => run(["dev", "--once", "--typecheck", "disable"]);
const client = () => new ConvexHttpClient(deployment.url, { logger: false });
const add = (name: string, embedding: number[], cuisine: string) => client().mutation(anyApi.foods!.add!, { name, embedding, cuisine });
const similar = (vector: number[], cuisine?: string) => client().action(anyApi.foods!.similar!, { vector, ...(cuisine && { cuisine }) });

const FOODS_TABLE = "foods: defineTable({ name: v.string(), embedding: v.array(v.float64()), cuisine: v.string() })";
function writeSchema(index: string): void {
  const path = join(project, "convex/schema.ts");
  const schema = readFileSync(path, "utf8").replace(/^ {2}foods: .*,$\n/m, "");
  writeFileSync(path, schema.replace("defineSchema({", `defineSchema({\n  ${FOODS_TABLE}${index},`));
}

beforeAll(async () => {
  dataDir = temporaryFolder("vectors");
  project = createProject();
  deployment = await startDeployment({ dataDir, port: 0, sitePort: 0, adminKey: ADMIN_KEY });
  await run(["env", "set", "TEST_JWKS", (await createIssuer()).jwks]);
});
afterAll(async () => {
  await deployment.close();
  removeFolder(dataDir);
  removeFolder(project);
});

describe("a vector index, pushed by the command line", { tags: ["slow", "@vector-cli"], timeout: 240_000 }, () => {
  it("is printed, searched by an action, exported, imported and removed", async () => {
    writeSchema(INDEX);
    writeFileSync(join(project, "convex/foods.ts"), FOODS);
    const added = await push();
    expect(added).toMatchObject({ code: 0 });
    expect(added.stderr).toMatch(/\[\+\] foods\.by_embedding\s+\(vector\)\s+embedding \(3 dimensions\), filter on cuisine/);
    const dataModel = readFileSync(join(project, "convex/_generated/dataModel.d.ts"), "utf8");
    expect(dataModel).toContain("DataModelFromSchemaDefinition<typeof schema>");

    await add("soup", [1, 0, 0], "thai");
    await add("curry", [1, 1, 0], "indian");
    await add("salad", [0, 1, 1], "thai");
    expect(await similar([1, 0, 0])).toEqual(["soup", "curry", "salad"]);
    expect(await similar([0, 1, 1], "thai")).toEqual(["salad", "soup"]);

    expect(await run(["export", "--path", "snapshot.zip"])).toMatchObject({ code: 0 });
    await add("later", [1, 0, 0], "thai");
    expect(await run(["import", "--replace-all", "--yes", "snapshot.zip"])).toMatchObject({ code: 0 });
    expect(await similar([0, 1, 1])).toEqual(["salad", "curry", "soup"]);
    expect(await similar([0, 1, 1], "thai")).toEqual(["salad", "soup"]);

    writeSchema("");
    const removed = await push();
    expect(removed).toMatchObject({ code: 0 });
    expect(removed.stderr).toMatch(/\[-\] foods\.by_embedding\s+\(vector\)\s+embedding \(3 dimensions\)/);
    await expect(similar([1, 0, 0])).rejects.toThrow("Vector index foods.by_embedding not found.");
  });

  it("is printed as staged, and as enabled once it is no longer staged", { tags: "@staged-cli" }, async () => {
    writeSchema(INDEX.replace(" })", ", staged: true })"));
    const staged = await push();
    expect(staged).toMatchObject({ code: 0 });
    expect(staged.stderr).toMatch(/foods\.by_embedding\s+\(vector\)\s+embedding \(3 dimensions\), filter on cuisine\s+\(staged\)/);
    await expect(similar([1, 0, 0])).rejects.toThrow("Index foods.by_embedding is staged.");
    writeSchema(INDEX);
    const enabled = await push();
    expect(enabled).toMatchObject({ code: 0 });
    expect(enabled.stderr).toMatch(/These indexes are now enabled:\s+\[\*\] foods\.by_embedding/);
    expect(await similar([1, 0, 0])).toEqual(["soup", "curry", "salad"]);
  });

  it("with wrong dimensions is refused, with the index and the limits", async () => {
    writeSchema(INDEX.replace("dimensions: 3", "dimensions: 5000"));
    const refused = await push();
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('Vector index "foods.by_embedding" must have an integer of dimensions from 2 to 4096; received 5000.');
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../values/types.ts";
import { componentImport, type ComponentSources } from "./bundles/bundle-fixture.ts";
import { anonymous, Fixture } from "./testing.ts";
import { searchVectors, VectorSearches } from "./vector-searches.ts";

const FOODS = `
  import { actionGeneric as action, mutationGeneric as mutation, queryGeneric as query, anyApi } from "convex/server";
  import { v } from "convex/values";
  export const add = mutation({ args: { name: v.string(), embedding: v.array(v.float64()), cuisine: v.string() },
    handler: async (ctx, food) => await ctx.db.insert("foods", food) });
  export const names = query({ args: { ids: v.array(v.id("foods")) },
    handler: async (ctx, { ids }) => await Promise.all(ids.map(async (id) => (await ctx.db.get(id))?.name ?? null)) });
  const nearest = async (ctx, { vector, limit, cuisines = [] }) => {
    const filter = cuisines.length === 0 ? undefined : (q) => q.or(...cuisines.map((cuisine) => q.eq("cuisine", cuisine)));
    const found = await ctx.vectorSearch("foods", "by_embedding", { vector, limit, filter });
    return { names: await ctx.runQuery(anyApi.foods.names, { ids: found.map(({ _id }) => _id) }), scores: found.map(({ _score }) => _score) };
  };
  const args = { vector: v.array(v.float64()), limit: v.optional(v.number()), cuisines: v.optional(v.array(v.string())) };
  export const search = action({ args, handler: nearest });
  export const addAndSearch = action({ args: { name: v.string(), embedding: v.array(v.float64()) }, handler: async (ctx, { name, embedding }) => {
    await ctx.runMutation(anyApi.foods.add, { name, embedding, cuisine: "new" });
    return await nearest(ctx, { vector: embedding, limit: 1 });
  } });
  export const many = action({ args: { vector: v.array(v.float64()), count: v.number() }, handler: async (ctx, { vector, count }) =>
    (await Promise.all(Array.from({ length: count }, () => ctx.vectorSearch("foods", "by_embedding", { vector, limit: 1 })))).length });
  export const inQuery = query({ args: {}, handler: async () => await Convex.asyncSyscall("1.0/actions/vectorSearch", "{}") });
`;

const NODE = `"use node";
  import { createHash } from "node:crypto";
  import { actionGeneric as action, anyApi } from "convex/server";
  export const search = action({ args: {}, handler: async (ctx) => {
    const found = await ctx.vectorSearch("foods", "by_embedding", { vector: [0, 3], limit: 2, filter: (q) => q.or(q.eq("cuisine", "thai"), q.eq("cuisine", "french")) });
    const names = await ctx.runQuery(anyApi.foods.names, { ids: found.map(({ _id }) => _id) });
    return { names, scores: found.map(({ _score }) => _score), hash: createHash("sha256").update("abc").digest("hex").slice(0, 8) };
  } });
  export const fails = action({ args: {}, handler: async (ctx) => await ctx.vectorSearch("foods", "by_embedding", { vector: [1, 2, 3] }) });
`;

const SCHEMA = `
  import { defineSchema, defineTable } from "convex/server";
  import { v } from "convex/values";
  export default defineSchema({ foods: defineTable({ name: v.string(), embedding: v.array(v.float64()), cuisine: v.string() })
    .vectorIndex("by_embedding", { vectorField: "embedding", dimensions: 2, filterFields: ["cuisine"] }) });
`;

const HTTP = `
  import { httpRouter, httpActionGeneric as httpAction, anyApi } from "convex/server";
  const http = httpRouter();
  http.route({ path: "/nearest", method: "GET", handler: httpAction(async (ctx) => {
    const found = await ctx.vectorSearch("foods", "by_embedding", { vector: [1, 0] });
    return Response.json(await ctx.runQuery(anyApi.foods.names, { ids: found.map(({ _id }) => _id) }));
  }) });
  export default http;
`;

const APP = `
  import { actionGeneric as action, mutationGeneric as mutation, componentsGeneric } from "convex/server";
  import { v } from "convex/values";
  const components = componentsGeneric();
  export const add = mutation({ args: { food: v.any() }, handler: async (ctx, { food }) => await ctx.runMutation(components.menu.foods.add, food) });
  export const search = action({ args: { query: v.any() }, handler: async (ctx, { query }) => await ctx.runAction(components.menu.foods.search, query) });
`;

const components: ComponentSources = {
  menu: {
    files: {
      "convex.config.ts": `import { defineComponent } from "convex/server"; export default defineComponent("menu");`,
      "foods.ts": FOODS,
      "schema.ts": SCHEMA,
      "http.ts": HTTP,
    },
  },
};

const app = {
  "convex.config.ts": `
    import { defineApp } from "convex/server";
    import menu from "${componentImport("menu")}";
    const app = defineApp();
    app.use(menu, { httpPrefix: "/menu/" });
    export default app;`,
  "foods.ts": FOODS,
  "node.ts": NODE,
  "schema.ts": SCHEMA,
  "http.ts": HTTP,
  "app.ts": APP,
};

let fixture: Fixture;
beforeAll(async () => {
  fixture = await Fixture.start();
  await fixture.push(app, components);
  for (const [name, embedding, cuisine] of [
    ["soup", [1, 0], "thai"],
    ["curry", [1, 1], "indian"],
    ["salad", [0, 1], "french"],
  ] as const)
    await fixture.value("foods:add", { name, embedding: [...embedding], cuisine });
  await fixture.value("app:add", { food: { name: "dumplings", embedding: [1, 2], cuisine: "thai" } });
});
afterAll(() => fixture.remove());

const textOf = async (path: string): Promise<string> =>
  (await fixture.runner.httpAction(new Request(`http://127.0.0.1:3211${path}`), anonymous)).text();

describe("ctx.vectorSearch", { tags: "@vector-search" }, () => {
  test("returns ids and scores, the most similar first", async () => {
    expect(await fixture.value("foods:search", { vector: [2, 0], limit: 3 })).toEqual({
      names: ["soup", "curry", "salad"],
      scores: [1, expect.closeTo(Math.SQRT1_2, 6), 0],
    });
    expect(await fixture.value("foods:search", { vector: [0, 3], limit: 2, cuisines: ["thai", "french"] })).toMatchObject({
      names: ["salad", "soup"],
    });
  });

  test("finds what the action has just written", async () => {
    expect(await fixture.value("foods:addAndSearch", { name: "fresh", embedding: [-1, -5] })).toMatchObject({ names: ["fresh"] });
  });

  test("works in HTTP actions, also in those of a component", async () => {
    expect(JSON.parse(await textOf("/nearest"))).toContain("soup");
    expect(JSON.parse(await textOf("/menu/nearest"))).toEqual(["dumplings"]);
  });

  test("searches a component's own tables", async () => {
    expect(await fixture.value("app:search", { query: { vector: [1, 0] } })).toMatchObject({ names: ["dumplings"] });
  });

  test('works in actions of "use node" files', async () => {
    expect(await fixture.value("node:search")).toEqual({ names: ["salad", "soup"], scores: [1, 0], hash: "ba7816bf" });
    expect((await fixture.failure("node:fails")).message).toContain("The vector has 3 elements, but the vector index foods.by_embedding");
  });

  test("runs many searches of one action", async () => {
    expect(await fixture.value("foods:many", { vector: [1, 0], count: 40 })).toBe(40);
  });

  test("fails with the reason, which the action can catch", async () => {
    expect((await fixture.failure("foods:search", { vector: [1, 2, 3] })).message).toMatch(
      /^Uncaught Error: The vector has 3 elements, but the vector index foods\.by_embedding has 2 dimensions\./,
    );
    expect((await fixture.failure("foods:search", { vector: [1, 2], limit: 300 })).message).toContain("an integer from 1 to 256");
  });

  test("is only available in actions", async () => {
    expect((await fixture.failure("foods:inQuery")).message).toContain("ctx.vectorSearch() can only be used in actions.");
  });

  test("finds documents of an earlier push after a restart", async () => {
    await fixture.restart();
    expect(await fixture.value("foods:search", { vector: [1, 0], limit: 1 })).toMatchObject({ names: ["soup"] });
  });
});

describe("vector searches of a deployment", () => {
  const slice = (next: number | null) => ({ at: 1n, limit: 1, results: [], next });

  test("run one at a time", async () => {
    const requests: string[] = [];
    const searches = new VectorSearches(async ({ query, after }) => {
      requests.push(`${JSON.stringify(query)}${after}`);
      return slice(after < 2 ? after + 1 : null);
    });
    await Promise.all([searches.run("a", ""), searches.run("b", "")]);
    expect(requests).toEqual(['"a"0', '"a"1', '"a"2', '"b"0', '"b"1', '"b"2']);
  });

  test("go on after one that fails", async () => {
    const searches = new VectorSearches(async ({ query }) => {
      if (query === "bad") throw new Error("bad");
      return slice(null);
    });
    const [bad, good] = await Promise.allSettled([searches.run("bad", ""), searches.run("good", "")]);
    expect([bad.status, good.status]).toEqual(["rejected", "fulfilled"]);
  });

  test("are refused when a thousand wait", async () => {
    const { promise, resolve } = Promise.withResolvers<null>();
    const searches = new VectorSearches(async () => (await promise) ?? slice(null));
    const waiting = Array.from({ length: 1_000 }, (_, i) => searches.run(i, ""));
    const refused = searches.run("next", "");
    await expect(refused).rejects.toThrow("Too many concurrent vector searches. Try again later.");
    resolve(null);
    expect(await Promise.all(waiting)).toHaveLength(1_000);
  });

  test("send the worst result as the floor once there are enough", async () => {
    const floors: Json[] = [];
    await searchVectors(
      async ({ after, floor }) => {
        floors.push(floor);
        return { at: 1n, limit: 2, results: [{ id: `${after}`, score: after / 10 }], next: after < 3 ? after + 1 : null };
      },
      { query: null, component: "" },
    );
    expect(floors).toEqual([null, null, { id: "0", score: 0 }, { id: "1", score: 0.1 }]);
  });
});

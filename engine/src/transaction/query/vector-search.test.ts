import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { searchVectors } from "../../functions/vector-searches.ts";
import { unitVector } from "../../search/vector-index.ts";
import { openFile } from "../../storage/file.ts";
import type { JsonObject } from "../../values/canonical.ts";
import type { Json } from "../../values/types.ts";
import { openDatabase } from "../database.ts";
import { checkIntegrity } from "../integrity/integrity.ts";
import { get, mutate, schemaJson, testDatabase, useSchema, type TestDatabase } from "../testing.ts";
import type { VectorSliceRequest } from "./vector-search.ts";

const DIMENSIONS = 5;

/** A function, because adding an index changes a table. */
const foods = () =>
  defineTable({
    name: v.string(),
    embedding: v.optional(v.any()),
    cuisine: v.optional(v.string()),
    tags: v.optional(v.object({ kind: v.any() })),
  });
const schema = defineSchema({
  foods: foods().vectorIndex("by_embedding", {
    vectorField: "embedding",
    dimensions: DIMENSIONS,
    filterFields: ["cuisine", "tags.kind"],
  }),
});

let data: TestDatabase;
beforeEach(() => {
  data = testDatabase();
  useSchema(data.db, schema);
});
afterEach(() => data[Symbol.dispose]());

type Query = { vector: Json; limit?: Json; expressions?: Json; indexName?: Json };
type Read = (request: VectorSliceRequest) => ReturnType<TestDatabase["db"]["vectorSlice"]>;

const eq = (field: string, value: Json): Json => ({ $eq: [{ $field: field }, { $literal: value }] });
const or = (...filters: Json[]): Json => ({ $or: filters });

const find = (query: Query, read: Read = (request) => data.db.vectorSlice(request)) =>
  searchVectors(async (request) => read(request), {
    query: JSON.parse(JSON.stringify({ indexName: "foods.by_embedding", ...query })),
    component: "",
    count: 3,
  });
const namesOf = async (results: ReturnType<typeof find>): Promise<Json[]> =>
  (await results).map(({ id }) => get(data.db.beginQuery(), id)?.["name"] ?? null);
const add = (...documents: JsonObject[]): string[] => mutate(data.db, (tx) => documents.map((document) => tx.insert("foods", document)));

/** Returns the same numbers from -1 to 1 in each run (https://en.wikipedia.org/wiki/Lehmer_random_number_generator). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return (2 * state) / 2_147_483_647 - 1;
  };
}

function vectorsFrom(next: () => number, count: number): number[][] {
  return Array.from({ length: count }, () => Array.from({ length: DIMENSIONS }, next));
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const product = (x: readonly number[], y: readonly number[]): number => x.reduce((sum, value, i) => sum + value * (y[i] ?? 0), 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}

const CUISINES = ["french", "indian", "thai"];

function storeFoods(count: number): { name: string; embedding: number[]; cuisine: string }[] {
  const documents = vectorsFrom(numbersFrom(7), count).map((embedding, i) => ({
    name: `food ${i}`,
    embedding,
    cuisine: CUISINES[i % 3] ?? "",
  }));
  add(...documents);
  return documents;
}

describe("a vector search", () => {
  test("returns what a comparison with every document returns", { tags: "@vector-model" }, async () => {
    const documents = storeFoods(200);
    const queries = vectorsFrom(numbersFrom(11), 12);
    for (const [i, vector] of queries.entries()) {
      const cuisines = CUISINES.slice(0, i % 4);
      const limit = 1 + i * 5;
      const expected = documents
        .filter(({ cuisine }) => cuisines.length === 0 || cuisines.includes(cuisine))
        .map(({ name, embedding }) => ({ name, score: cosine(embedding, vector) }))
        .toSorted((a, b) => b.score - a.score)
        .slice(0, limit);
      const filters = cuisines.map((cuisine) => eq("cuisine", cuisine));
      const found = await find({ vector, limit, ...(filters.length > 0 && { expressions: or(...filters) }) });
      expect(await namesOf(Promise.resolve(found))).toEqual(expected.map(({ name }) => name));
      for (const [place, { score }] of found.entries()) expect(score).toBeCloseTo(expected[place]?.score ?? 2, 6);
    }
  });

  test("returns ten results by default", async () => {
    storeFoods(30);
    expect(await find({ vector: [1, 0, 0, 0, 0] })).toHaveLength(10);
  });

  test("orders equal scores by id", async () => {
    const ids = add(...Array.from({ length: 20 }, (_, i) => ({ name: `${i}`, embedding: [1, 2, 3, 4, 5] })));
    const found = await find({ vector: [5, 4, 3, 2, 1], limit: 6 });
    expect(found.map(({ id }) => id)).toEqual(ids.toSorted().slice(0, 6));
  });

  test("scores from -1 to 1 for any length of the vectors", async () => {
    add(
      { name: "same", embedding: [1e300, 0, 0, 0, 0] },
      { name: "opposite", embedding: [-1e-300, 0, 0, 0, 0] },
      { name: "zero", embedding: [0, 0, 0, 0, 0] },
      { name: "negative zero", embedding: [{ $float: "AAAAAAAAAIA=" }, 3, 0, 0, 0] },
    );
    const found = await find({ vector: [7, 0, 0, 0, 0] });
    expect(found.map(({ score }) => score)).toEqual([1, 0, 0, -1]);
    expect(await namesOf(find({ vector: [7, 0, 0, 0, 0], limit: 1 }))).toEqual(["same"]);
    expect((await find({ vector: [0, 0, 0, 0, 0] })).map(({ score }) => score)).toEqual([0, 0, 0, 0]);
  });

  test("finds only documents with a vector of the index's length", async () => {
    add(
      { name: "found", embedding: [1, 1, 1, 1, 1] },
      { name: "missing" },
      { name: "short", embedding: [1, 1, 1, 1] },
      { name: "long", embedding: [1, 1, 1, 1, 1, 1] },
      { name: "text", embedding: "11111" },
      { name: "texts", embedding: ["1", "1", "1", "1", "1"] },
      { name: "integers", embedding: Array.from({ length: 5 }, () => ({ $integer: "AQAAAAAAAAA=" })) },
      { name: "not a number", embedding: [1, 1, 1, 1, { $float: "AAAAAAAA+H8=" }] },
      { name: "infinite", embedding: [1, 1, 1, 1, { $float: "AAAAAAAA8H8=" }] },
    );
    expect(await namesOf(find({ vector: [1, 1, 1, 1, 1] }))).toEqual(["found"]);
    data.db.close();
    expect(checkIntegrity(data.dir)).toEqual([]);
  });

  test("filters by values of nested fields, and by missing fields", async () => {
    const embedding = [1, 2, 3, 4, 5];
    add(
      { name: "a", embedding, cuisine: "thai", tags: { kind: 1 } },
      { name: "b", embedding, cuisine: "thai", tags: { kind: "1" } },
      { name: "c", embedding, tags: { kind: ["x", { y: null }] } },
      { name: "d", embedding },
    );
    const filtered = async (expressions: Json) => (await namesOf(find({ vector: embedding, expressions }))).map(String).toSorted();
    expect(await filtered(eq("cuisine", "thai"))).toEqual(["a", "b"]);
    expect(await filtered(eq("tags.kind", 1))).toEqual(["a"]);
    expect(await filtered(eq("tags.kind", "1"))).toEqual(["b"]);
    expect(await filtered(eq("tags.kind", ["x", { y: null }]))).toEqual(["c"]);
    expect(await filtered(eq("cuisine", { $undefined: null }))).toEqual(["c", "d"]);
    expect(await filtered(or(eq("cuisine", "thai"), or(eq("tags.kind", { $undefined: null }), eq("cuisine", "thai"))))).toEqual([
      "a",
      "b",
      "d",
    ]);
    expect(await filtered(eq("cuisine", "none"))).toEqual([]);
    expect(await filtered(or())).toEqual([]);
  });

  test("finds all documents of several filters, of which one is rare", async () => {
    const cuisineOf = (i: number) => (i === 20 ? "french" : "thai");
    const documents = Array.from({ length: 21 }, (_, i) => ({ name: `${i}`, embedding: [1, 2, 3, 4, 5], cuisine: cuisineOf(i) }));
    add(...documents);
    const expressions = or(eq("cuisine", "thai"), eq("cuisine", "french"));
    expect(await find({ vector: [1, 2, 3, 4, 5], limit: 100, expressions })).toHaveLength(21);
  });

  test("follows changes of vectors and filters", async () => {
    const [first = "", second = "", third = ""] = add(
      { name: "first", embedding: [1, 0, 0, 0, 0], cuisine: "thai" },
      { name: "second", embedding: [0, 1, 0, 0, 0], cuisine: "thai" },
      { name: "third", embedding: [0, 0, 1, 0, 0], cuisine: "thai" },
    );
    mutate(data.db, (tx) => {
      tx.shallowMerge({ id: first, value: { embedding: [0, 0, 0, 0, 1] } });
      tx.shallowMerge({ id: second, value: { cuisine: "french" } });
      tx.remove({ id: third });
    });
    expect(await namesOf(find({ vector: [0, 0, 0, 0, 1], limit: 1 }))).toEqual(["first"]);
    expect(await namesOf(find({ vector: [0, 1, 0, 0, 0], expressions: eq("cuisine", "thai") }))).toEqual(["first"]);
    expect(await namesOf(find({ vector: [0, 1, 0, 0, 0], expressions: eq("cuisine", "french") }))).toEqual(["second"]);
    mutate(data.db, (tx) => tx.shallowMerge({ id: first, value: { embedding: { $undefined: null } } }));
    expect(await namesOf(find({ vector: [0, 0, 0, 0, 1] }))).toEqual(["second"]);
    data.reopen();
    expect(await namesOf(find({ vector: [0, 0, 0, 0, 1] }))).toEqual(["second"]);
    data.db.close();
    expect(checkIntegrity(data.dir)).toEqual([]);
  });

  test("sees one snapshot while other calls write between its slices", { tags: "@vector-snapshot" }, async () => {
    const next = numbersFrom(3);
    storeFoods(40);
    const vector = [1, 1, 1, 1, 1];
    const expressions = or(eq("cuisine", "french"), eq("cuisine", "thai"));
    for (const search of [
      { vector, limit: 7 },
      { vector, limit: 7, expressions },
    ]) {
      const expected = await find(search);
      const all = (await find({ vector, limit: 256 })).map(({ id }) => id);
      let slices = 0;
      const found = await find(search, (request) => {
        const slice = data.db.vectorSlice(request);
        const [changed = "", removed = "", moved = ""] = [slices, slices + 13, slices + 26].map((place) => all[place] ?? "");
        if (slices < 8)
          mutate(data.db, (tx) => {
            tx.shallowMerge({ id: changed, value: { embedding: [next(), next(), 1, 1, 1] } });
            tx.shallowMerge({ id: moved, value: { cuisine: "french" } });
            tx.remove({ id: removed });
            tx.insert("foods", { name: "new", embedding: vector, cuisine: "thai" });
          });
        slices += 1;
        return slice;
      });
      expect(slices).toBeGreaterThan(5);
      expect(found).toEqual(expected);
      expect(await find(search)).not.toEqual(expected);
    }
  });

  test("does not see writes that are not committed", async () => {
    const tx = data.db.beginMutation();
    tx.insert("foods", { name: "open", embedding: [1, 0, 0, 0, 0] });
    expect(await find({ vector: [1, 0, 0, 0, 0] })).toEqual([]);
    data.db.commit(tx);
    data.db.flush();
    expect(await namesOf(find({ vector: [1, 0, 0, 0, 0] }))).toEqual(["open"]);
  });

  test("starts again when its snapshot is no longer kept", async () => {
    storeFoods(20);
    const vector = [1, 1, 1, 1, 1];
    let reopened = 0;
    const found = await find({ vector }, (request) => {
      if (request.after > 0 && reopened === 0) {
        reopened += 1;
        mutate(data.db, (tx) => tx.insert("foods", { name: "new", embedding: vector }));
        data.reopen();
      }
      return data.db.vectorSlice(request);
    });
    expect(reopened).toBe(1);
    expect(await namesOf(Promise.resolve(found.slice(0, 1)))).toEqual(["new"]);
    await expect(find({ vector }, () => null)).rejects.toThrow("longer than its snapshot is kept");
  });

  test.each([
    ["The vector has 2 elements, but the vector index foods.by_embedding has 5 dimensions.", { vector: [1, 2] }],
    ["must be finite numbers", { vector: [1, 2, 3, 4, null] }],
    ["must be an array of numbers", { vector: "12345" }],
    ["must be an integer from 1 to 256; received 0.", { limit: 0 }],
    ["must be an integer from 1 to 256; received 257.", { limit: 257 }],
    ["must be an integer from 1 to 256; received 1.5.", { limit: 1.5 }],
    ["Vector index foods.by_name not found.", { indexName: "foods.by_name" }],
    ["Vector index drinks.by_embedding not found.", { indexName: "drinks.by_embedding" }],
    ['"name" is not a filter field of the vector index foods.by_embedding.', { expressions: eq("name", "x") }],
    ["must be made of q.eq and q.or", { expressions: { $literal: true } }],
    ["must be made of q.eq and q.or", { expressions: { $not: eq("cuisine", "x") } }],
    ["at most 64 filters; received 65.", { expressions: or(...Array.from({ length: 65 }, () => eq("cuisine", "x"))) }],
  ] satisfies [string, Partial<Query>][])("is rejected: %s", { tags: "@vector-limits" }, async (message, part) => {
    await expect(find({ vector: [1, 2, 3, 4, 5], ...part })).rejects.toThrow(message);
  });
});

describe("a vector index", () => {
  test("contains the documents stored before it, and leaves nothing when it is removed", async () => {
    useSchema(data.db, defineSchema({ foods: foods() }));
    storeFoods(20);
    await expect(find({ vector: [1, 0, 0, 0, 0] })).rejects.toThrow("not found");
    const prepared = data.db.prepareSchema(schemaJson(schema));
    expect(prepared.indexesAdded).toEqual([
      {
        table: "foods",
        type: "vector",
        name: "by_embedding",
        vectorField: "embedding",
        dimensions: DIMENSIONS,
        filterFields: ["cuisine", "tags.kind"],
      },
    ]);
    data.db.applySchema(prepared);
    data.db.flush();
    expect(await find({ vector: [1, 0, 0, 0, 0], limit: 100 })).toHaveLength(20);
    expect(await find({ vector: [1, 0, 0, 0, 0], limit: 100, expressions: eq("cuisine", "thai") })).toHaveLength(6);
    data.reopen();
    expect(await find({ vector: [1, 0, 0, 0, 0], limit: 100 })).toHaveLength(20);
    const removed = data.db.prepareSchema(null);
    expect(removed.indexesRemoved).toMatchObject([{ table: "foods", type: "vector", name: "by_embedding" }]);
    data.db.applySchema(removed);
    data.db.flush();
    expect(data.db.prepareSchema(null)).toMatchObject({ indexesAdded: [], indexesRemoved: [] });
    useSchema(data.db, schema);
    expect(await find({ vector: [1, 0, 0, 0, 0], limit: 100 })).toHaveLength(20);
    data.db.close();
    expect(checkIntegrity(data.dir)).toEqual([]);
  });

  test("is undone with a batch that cannot be written", async () => {
    useSchema(data.db, defineSchema({ foods: foods() }));
    storeFoods(4);
    const sql: unknown = Reflect.get(data.db, "sql");
    if (!(sql instanceof DatabaseSync)) throw new TypeError("The connection is not where this test looks for it.");
    const allowPages = (more: number) =>
      sql.exec(`PRAGMA max_page_count = ${Number(sql.prepare("PRAGMA page_count").get()?.["page_count"]) + more}`);
    data.db.applySchema(data.db.prepareSchema(schemaJson(schema)));
    allowPages(20);
    expect(() => data.db.settings.set("large", "x".repeat(500_000))).toThrow("Writing failed");
    expect(() => data.db.flush()).toThrow("Writing failed");
    allowPages(10_000);
    await expect(find({ vector: [1, 0, 0, 0, 0] })).rejects.toThrow("not found");
    add({ name: "later", embedding: [1, 0, 0, 0, 0] });
    useSchema(data.db, schema);
    expect(await find({ vector: [1, 0, 0, 0, 0] })).toHaveLength(5);
    data.db.close();
    expect(checkIntegrity(data.dir)).toEqual([]);
  });

  test("keeps no bytes of a deleted vector on the disk", { tags: "@vector-erased" }, () => {
    const vectors = vectorsFrom(numbersFrom(23), 400);
    const ids = add(...vectors.map((embedding, i) => ({ name: `${i}`, embedding })));
    const [bytes = ""] = [vectors[200] ?? []].map((vector) =>
      Buffer.from(Float32Array.from(unitVector(vector) ?? []).buffer).toString("latin1"),
    );
    const holds = () =>
      readdirSync(data.dir, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .some(({ name }) => readFileSync(join(data.dir, name)).toString("latin1").includes(bytes));
    expect(holds()).toBe(true);
    mutate(data.db, (tx) => tx.remove({ id: ids[200] ?? "" }));
    for (let due = data.db.checkpoint(); due;) due = data.db.clearDeleted();
    expect(holds()).toBe(false);
  });

  test("with wrong vectors or filters is found by the check", { tags: "@vector-check" }, () => {
    storeFoods(6);
    data.db.close();
    const change = (statement: string): string[] => {
      const sql = openFile(data.dir);
      const name = String(sql.prepare("SELECT name FROM sqlite_schema WHERE name GLOB 'vector_*[0-9]'").get()?.["name"]);
      sql.exec("BEGIN");
      sql.exec(statement.replaceAll("vectors", name));
      sql.exec("COMMIT");
      sql.close();
      return checkIntegrity(data.dir);
    };
    expect(change("SELECT 1")).toEqual([]);
    expect(change("UPDATE vectors SET vector = zeroblob(20) WHERE row = (SELECT min(row) FROM vectors)")).toEqual([
      expect.stringMatching(/^Document \w+: vector index by_embedding lacks its vector or its filters\.$/),
    ]);
    expect(change("INSERT INTO vectors SELECT 1000 + row, vector FROM vectors LIMIT 1")).toContain(
      "Vector index foods.by_embedding has 7 vectors and 12 filters for 6 documents.",
    );
    expect(change("DELETE FROM vectors WHERE row > 1000; DELETE FROM vectors_filters WHERE mark GLOB 'f1*'")).toContain(
      "Vector index foods.by_embedding has 6 vectors and 6 filters for 6 documents.",
    );
    data.db = openDatabase(data.dir);
  });
});

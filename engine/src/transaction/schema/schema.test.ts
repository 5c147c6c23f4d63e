import { defineSchema, defineTable } from "convex/server";
import { v, type Validator } from "convex/values";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Json } from "../../values/types.ts";
import { checkIntegrity } from "../integrity/integrity.ts";
import { Schema } from "./schema.ts";
import { collect, eq, mutate, names, range, schemaJson, search, testDatabase, useSchema, type TestDatabase } from "../testing.ts";

let data: TestDatabase;
beforeEach(() => {
  data = testDatabase();
});
afterEach(() => data[Symbol.dispose]());

const named = defineTable({ name: v.string() });
const vectorIndex = (part: object): object => ({ indexDescriptor: "by", vectorField: "a", dimensions: 3, filterFields: [], ...part });

describe("a schema", () => {
  test("is rejected, naming table, document and field, if data does not match", () => {
    useSchema(data.db, defineSchema({ projects: named }));
    const id = mutate(data.db, (tx) => tx.insert("projects", { name: "a" }));
    const strict = defineSchema({ projects: defineTable({ name: v.string(), rank: v.number() }).index("by_rank", ["rank"]) });
    expect(() => useSchema(data.db, strict)).toThrow(
      `Document with ID "${id}" in table "projects" does not match the schema: Object is missing the required field \`rank\``,
    );
    mutate(data.db, (tx) => tx.insert("projects", { name: "b" }));
    expect(() => mutate(data.db, (tx) => tx.insert("projects", { name: "c", rank: 1 }))).toThrow(
      'Failed to insert or update a document in table "projects" because it does not match the schema: Object contains extra field `rank`',
    );
  });

  test("is checked again when documents were written after it was prepared", () => {
    const prepared = data.db.prepareSchema(schemaJson(defineSchema({ projects: named })));
    mutate(data.db, (tx) => tx.insert("projects", { title: "a" }));
    expect(() => data.db.applySchema(prepared)).toThrow("does not match the schema");
  });

  test("reports progress for each document checked and indexed", () => {
    let progress = 0;
    const indexed = defineTable({ name: v.string() }).index("by_name", ["name"]);
    using counted = testDatabase({ onProgress: () => void progress++ });
    mutate(counted.db, (tx) => ["a", "b", "c"].map((name) => tx.insert("projects", { name })));
    const prepared = counted.db.prepareSchema(schemaJson(defineSchema({ projects: indexed })));
    expect(progress).toBe(3);
    counted.db.applySchema(prepared);
    expect(progress).toBe(6);
  });

  test("only builds indexes when validation is off", () => {
    useSchema(data.db, defineSchema({ projects: named.index("by_name", ["name"]) }, { schemaValidation: false }));
    mutate(data.db, (tx) => tx.insert("projects", { name: 1 }));
    mutate(data.db, (tx) => tx.insert("projects", { title: "x" }));
    expect(names(collect(data.db.beginQuery(), range("projects.by_name")))).toEqual([null, 1]);
  });

  test("adds, changes and removes indexes of stored documents", () => {
    const { db } = data;
    mutate(db, (tx) => {
      for (const [name, list] of [
        ["b", "x"],
        ["a", "y"],
        ["c", "x"],
      ] as const)
        tx.insert("rows", { name, list });
    });
    const rows = defineTable({ name: v.string(), list: v.string() });
    const first = db.prepareSchema(schemaJson(defineSchema({ rows: rows.index("by_name", ["name"]) })));
    expect(first.indexesAdded).toEqual([{ table: "rows", type: "database", name: "by_name", fields: ["name"] }]);
    expect(first.indexesRemoved).toEqual([]);
    db.applySchema(first);
    expect(names(collect(db.beginQuery(), range("rows.by_name")))).toEqual(["a", "b", "c"]);

    const second = db.prepareSchema(
      schemaJson(defineSchema({ rows: defineTable({ name: v.string(), list: v.string() }).index("by_name", ["list", "name"]) })),
    );
    expect(second.indexesAdded).toEqual([{ table: "rows", type: "database", name: "by_name", fields: ["list", "name"] }]);
    expect(second.indexesRemoved).toEqual([{ table: "rows", type: "database", name: "by_name", fields: ["name"] }]);
    db.applySchema(second);
    expect(names(collect(db.beginQuery(), range("rows.by_name", [eq("list", "x")])))).toEqual(["b", "c"]);

    expect(db.prepareSchema(second.schema)).toMatchObject({ indexesAdded: [], indexesRemoved: [] });
    useSchema(db, null);
    expect(() => collect(db.beginQuery(), range("rows.by_name"))).toThrow("Index rows.by_name not found.");
    db.close();
    expect(checkIntegrity(data.dir)).toEqual([]);
  });

  test("is undone when its batch is not flushed", () => {
    const { db } = data;
    mutate(db, (tx) => tx.insert("projects", { name: "a" }));
    db.applySchema(db.prepareSchema(schemaJson(defineSchema({ projects: named.index("by_name2", ["name"]) }))));
    expect(names(collect(db.beginQuery(), range("projects.by_name2")))).toEqual(["a"]);
    db.flush();
    expect(names(collect(data.reopen().beginQuery(), range("projects.by_name2")))).toEqual(["a"]);
  });

  test("resolves ids of tables, including new ones", () => {
    const schema = defineSchema({ users: defineTable({}), posts: defineTable({ author: v.id("users") }) });
    useSchema(data.db, schema);
    mutate(data.db, (tx) => {
      const author = tx.insert("users", {});
      const post = tx.insert("posts", { author });
      expect(() => tx.insert("posts", { author: post })).toThrow(`Found ID "${post}" from table \`posts\``);
      expect(() => tx.insert("posts", { author: "me" })).toThrow("Value does not match validator.\nPath: .author");
    });
  });

  test.each([
    [{ indexes: [{ indexDescriptor: "by_id", fields: ["a"] }] }, "reserved name"],
    [{ indexes: [{ indexDescriptor: "1st", fields: ["a"] }] }, 'Invalid index name: "1st"'],
    [{ indexes: [{ indexDescriptor: "by", fields: [] }] }, "must have at least one field"],
    [{ indexes: [{ indexDescriptor: "by", fields: ["a", "a"] }] }, 'has the field "a" twice'],
    [{ indexes: [{ indexDescriptor: "by", fields: ["_id"] }] }, 'cannot have the system field "_id"'],
    [{ indexes: Array.from({ length: 33 }, (_, i) => ({ indexDescriptor: `by_${i}`, fields: ["a"] })) }, "has more than 32 indexes"],
    [{ vectorIndexes: [vectorIndex({ dimensions: 1 })] }, "must have an integer of dimensions from 2 to 4096; received 1."],
    [{ vectorIndexes: [vectorIndex({ dimensions: 4097 })] }, "from 2 to 4096; received 4097."],
    [{ vectorIndexes: [vectorIndex({ dimensions: 2.5 })] }, "from 2 to 4096; received 2.5."],
    [{ vectorIndexes: [vectorIndex({ filterFields: Array.from({ length: 17 }, (_, i) => `f${i}`) })] }, "more than 16 filter fields"],
    [{ vectorIndexes: [vectorIndex({ filterFields: ["a", "a"] })] }, 'has the filter field "a" twice'],
    [{ vectorIndexes: [vectorIndex({ filterFields: ["a..b"] })] }, 'has the invalid field path "a..b"'],
    [{ vectorIndexes: [vectorIndex({ vectorField: "" })] }, 'has the invalid field path ""'],
    [{ vectorIndexes: Array.from({ length: 5 }, (_, i) => vectorIndex({ indexDescriptor: `by_${i}` })) }, "has more than 4 vector indexes"],
    [
      { indexes: [{ indexDescriptor: "by", fields: ["a"] }], vectorIndexes: [vectorIndex({ indexDescriptor: "by" })] },
      'has two indexes named "by"',
    ],
    [{ vectorIndexes: [vectorIndex({ indexDescriptor: "by_id" })] }, "reserved name"],
    [{ tableName: "_mine" }, 'Invalid table name: "_mine"'],
    [{ documentType: undefined }, "Malformed schema"],
  ] satisfies [object, string][])("is rejected with %j", (part, message) => {
    const table = { tableName: "rows", indexes: [], searchIndexes: [], vectorIndexes: [], documentType: { type: "any" }, ...part };
    const json: Json = JSON.parse(JSON.stringify({ tables: [table], schemaValidation: true }));
    expect(() => data.db.prepareSchema(json)).toThrow(message);
  });

  describe("with a vector index of a field", { tags: "@vector-schema" }, () => {
    const prepare = (field: Validator<unknown, "required", string>) => {
      const index = { vectorField: "nested.field" as never, dimensions: 3 };
      const nested = v.union(v.object({ field }), v.object({ size: v.number() }));
      return data.db.prepareSchema(schemaJson(defineSchema({ rows: defineTable({ nested }).vectorIndex("by", index) })));
    };

    test.each([
      ["v.array(v.float64())", v.array(v.float64())],
      ["an optional array", v.optional(v.array(v.float64()))],
      ["a union with an array", v.union(v.null(), v.array(v.float64()))],
      ["v.any()", v.any()],
    ])("is accepted for %s", (_type, field) => {
      expect(prepare(field as never).indexesAdded).toMatchObject([{ name: "by", vectorField: "nested.field" }]);
    });

    test.each([
      ["v.array(v.int64())", v.array(v.int64())],
      ["v.array(v.string())", v.array(v.string())],
      ["v.number()", v.number()],
      ["a union without an array", v.union(v.null(), v.string())],
    ])("is rejected for %s", (_type, field) => {
      expect(() => prepare(field as never)).toThrow(
        'Vector index "rows.by" needs the field "nested.field" to be v.array(v.float64()), or a union with it.',
      );
    });
  });

  test("with a vector index of a missing field is rejected", () => {
    const rows = defineTable({ a: v.array(v.float64()) }).vectorIndex("by", { vectorField: "b" as never, dimensions: 3 });
    expect(() => data.db.prepareSchema(schemaJson(defineSchema({ rows })))).toThrow('needs the field "b" to be v.array(v.float64())');
  });

  test("counts vector indexes towards the limit of indexes", () => {
    const indexes = Array.from({ length: 30 }, (_, i) => ({ indexDescriptor: `by_${i}`, fields: ["a"] }));
    const vectorIndexes = ["x", "y", "z"].map((indexDescriptor) => vectorIndex({ indexDescriptor }));
    const table = { tableName: "rows", indexes, searchIndexes: [], vectorIndexes, documentType: { type: "any" } };
    expect(() => data.db.prepareSchema(JSON.parse(JSON.stringify({ tables: [table] })))).toThrow("has more than 32 indexes");
  });

  test("rebuilds a vector index whose dimensions change", () => {
    const rows = (dimensions: number) =>
      defineSchema({ rows: defineTable({ list: v.array(v.float64()) }).vectorIndex("by", { vectorField: "list", dimensions }) });
    useSchema(data.db, rows(2));
    mutate(data.db, (tx) =>
      [
        [1, 2],
        [1, 2, 3],
      ].map((list) => tx.insert("rows", { list })),
    );
    expect(data.db.prepareSchema(schemaJson(rows(3)))).toMatchObject({
      indexesAdded: [{ type: "vector", dimensions: 3 }],
      indexesRemoved: [{ type: "vector", dimensions: 2 }],
    });
    useSchema(data.db, rows(3));
    data.db.close();
    expect(checkIntegrity(data.dir)).toEqual([]);
  });

  test("still opens with more indexes than allowed if an earlier build stored it", () => {
    const indexes = Array.from({ length: 33 }, (_, i) => ({ indexDescriptor: `by_${i}`, fields: ["a"] }));
    const table = { tableName: "rows", indexes, searchIndexes: [], documentType: { type: "any" } };
    expect(new Schema({ tables: [table] }, { tableOf: () => null }).tables.get("rows")?.indexes).toHaveLength(33);
  });

  test("fills a staged index, which queries can use once it is no longer staged", { tags: "@staged-indexes" }, async () => {
    const rows = (staged: boolean) =>
      defineSchema({
        rows: defineTable({ name: v.string(), list: v.array(v.float64()) })
          .index("by_name", { fields: ["name"], staged } as never)
          .searchIndex("words", { searchField: "name", staged } as never)
          .vectorIndex("by_list", { vectorField: "list", dimensions: 2, staged } as never),
      });
    const queries = [
      async () => names(collect(data.db.beginQuery(), range("rows.by_name"))),
      async () => names(collect(data.db.beginQuery(), search("rows.words", "name", "b"))),
      async () => {
        const query = { indexName: "rows.by_list", vector: [1, 1] };
        return data.db.vectorSlice({ component: "", query, at: null, after: 0, floor: null })?.results.length;
      },
    ];
    const staged = ["by_name", "words", "by_list"].map((name) => ({ table: "rows", name, staged: true }));
    const refused = async () => {
      for (const query of queries) await expect(query()).rejects.toThrow(/^Index rows\.\w+ is staged\. Remove `staged`/);
    };
    mutate(data.db, (tx) => tx.insert("rows", { name: "b", list: [1, 2] }));
    const first = data.db.prepareSchema(schemaJson(rows(true)));
    expect(first).toMatchObject({ indexesAdded: staged, indexesRemoved: [], indexesEnabled: [], indexesDisabled: [] });
    data.db.applySchema(first);
    data.db.flush();
    await refused();
    mutate(data.db, (tx) => tx.insert("rows", { name: "a b", list: [2, 1] }));
    data.reopen();
    await refused();

    const second = data.db.prepareSchema(schemaJson(rows(false)));
    expect(second).toMatchObject({ indexesAdded: [], indexesRemoved: [], indexesDisabled: [] });
    expect(second.indexesEnabled.map(({ name, staged: isStaged }) => [name, isStaged])).toEqual([
      ["by_name", undefined],
      ["words", undefined],
      ["by_list", undefined],
    ]);
    data.db.applySchema(second);
    data.db.flush();
    expect(await Promise.all(queries.map((query) => query()))).toEqual([["a b", "b"], expect.arrayContaining(["b", "a b"]), 2]);

    expect(data.db.prepareSchema(schemaJson(rows(true)))).toMatchObject({ indexesAdded: [], indexesDisabled: staged, indexesEnabled: [] });
    useSchema(data.db, rows(true));
    await refused();
    expect(data.db.prepareSchema(null)).toMatchObject({ indexesRemoved: staged });
    data.db.close();
    expect(checkIntegrity(data.dir)).toEqual([]);
  });

  test("rejects a staged index with the name of another index", () => {
    const rows = defineTable({ a: v.string(), b: v.string() })
      .index("by", ["a"])
      .index("by", { fields: ["b"], staged: true });
    expect(() => data.db.prepareSchema(schemaJson(defineSchema({ rows })))).toThrow('Table "rows" has two indexes named "by".');
  });

  test("drops a search index with its words", () => {
    const { db } = data;
    const searched = defineTable({ name: v.string() }).searchIndex("words", { searchField: "name" });
    mutate(db, (tx) => tx.insert("projects", { name: "hello" }));
    useSchema(db, defineSchema({ projects: searched }));
    expect(names(collect(db.beginQuery(), search("projects.words", "name", "hello")))).toEqual(["hello"]);
    useSchema(db, defineSchema({ projects: named }));
    expect(() => collect(db.beginQuery(), search("projects.words", "name", "hello"))).toThrow("Search index projects.words not found.");
    useSchema(db, defineSchema({ projects: searched }));
    expect(names(collect(db.beginQuery(), search("projects.words", "name", "hello")))).toEqual(["hello"]);
    db.close();
    expect(checkIntegrity(data.dir)).toEqual([]);
  });
});

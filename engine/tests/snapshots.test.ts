import { createHash } from "node:crypto";
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPromise } from "yauzl";
import { ZipFile } from "yazl";
import { startDeployment } from "../src/deployment.ts";
import { bundleSources } from "../src/functions/bundles/bundle-fixture.ts";
import { app, components, source } from "../src/functions/components/component-fixture.ts";
import { checkData } from "../src/check/check-data.ts";
import { pushBundle } from "./deployed.ts";
import {
  ADMIN_KEY,
  convex,
  createProject,
  removeFolder,
  startConvex,
  startEngine,
  temporaryFolder,
  type EngineProcess,
  type Target,
} from "./harness.ts";

const DATA = source(`
  export const fill = mutation({ args: {}, handler: async (ctx) => {
    const first = await ctx.db.insert("values", { big: 9007199254740993n, bytes: new Uint8Array([0, 1, 255]).buffer, text: "Ünïcode \\u2028 \\"quoted\\"\\n" });
    await ctx.db.insert("values", { special: [NaN, Infinity, -Infinity, -0], nested: { list: [null, true, { deep: -1n }] }, first });
    await ctx.db.insert("notes", { text: "found by its words" });
    await ctx.db.insert("checked", { n: 1, of: first });
  } });
  export const store = action({ args: { text: v.string(), type: v.string() }, handler: async (ctx, { text, type }) =>
    await ctx.storage.store(new Blob([text], { type })) });
  export const read = action({ args: { id: v.string() }, handler: async (ctx, { id }) => { const blob = await ctx.storage.get(id); return blob && [await blob.text(), blob.type]; } });
  export const search = query({ args: {}, handler: async (ctx) =>
    (await ctx.db.query("notes").withSearchIndex("search_text", (q) => q.search("text", "words")).collect()).length });
  export const count = query({ args: { table: v.string() }, handler: async (ctx, { table }) => (await ctx.db.query(table).collect()).length });
  export const byNumber = query({ args: { n: v.number() }, handler: async (ctx, { n }) =>
    await ctx.db.query("checked").withIndex("by_n", (q) => q.eq("n", n)).collect() });
  export const add = mutation({ args: { n: v.number() }, handler: async (ctx, { n }) => { await ctx.db.insert("checked", { n }); } });
`);
const SCHEMA = source(`export default defineSchema({
  notes: defineTable({ text: v.string() }).searchIndex("search_text", { searchField: "text" }),
  checked: defineTable({ n: v.number(), of: v.optional(v.id("values")), label: v.optional(v.string()) }).index("by_n", ["n"]),
  values: defineTable(v.any()),
});`);
const OTHER_SCHEMA = source(`export default defineSchema({
  other: defineTable(v.any()),
  values: defineTable(v.any()),
  checked: defineTable({ n: v.number(), of: v.optional(v.id("values")), label: v.optional(v.string()) }).index("by_n", ["n"]),
  notes: defineTable({ text: v.string() }).searchIndex("search_text", { searchField: "text" }),
});`);

const folders: string[] = [];
const engines: EngineProcess[] = [];
let project: string;

beforeAll(() => {
  project = createProject();
});
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.stop()));
  for (const folder of [...folders, project]) removeFolder(folder);
});

type Started = EngineProcess & { dataDir: string; client: ConvexHttpClient };

async function started(schema = SCHEMA): Promise<Started> {
  const dataDir = temporaryFolder("snapshots");
  folders.push(dataDir);
  const engine = await startEngine(dataDir, ADMIN_KEY, undefined, ["--no-scheduled-functions"]);
  engines.push(engine);
  await pushBundle(engine, await bundleSources({ ...app, "data.ts": DATA, "schema.ts": schema }, components));
  return { ...engine, dataDir, client: new ConvexHttpClient(engine.url, { logger: false }) };
}

const pathOf = (name: string): string => join(project, name);
const run = (target: Target, ...args: string[]) => convex(project, target, args);

async function exported(target: Target, name: string, ...args: string[]): Promise<Map<string, string>> {
  const result = await run(target, "export", "--path", name, ...args);
  expect(result, result.stderr).toMatchObject({ code: 0 });
  return entriesOf(pathOf(name));
}

async function entriesOf(path: string): Promise<Map<string, string>> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
  const entries = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk);
    entries.set(entry.fileName, Buffer.concat(chunks).toString());
  }
  zip.close();
  return entries;
}

/** Leaves out what must differ: the names of files in addresses, the numbers of empty tables, and a table of the other schema. */
function comparable(entries: Map<string, string>): Record<string, string> {
  return Object.fromEntries(
    [...entries].flatMap(([path, text]) =>
      path.endsWith("_tables/documents.jsonl") || path.startsWith("other/") ? [] : [[path, text.replaceAll(/,"internalId":"[^"]*"/g, "")]],
    ),
  );
}

async function writeZip(name: string, files: Record<string, string>): Promise<string> {
  const zip = new ZipFile();
  for (const [path, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), path);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(pathOf(name)));
  return name;
}

const count = (target: Started, table: string): Promise<number> => target.client.query(anyApi.data!.count!, { table });

describe("npx convex export and import", { tags: "slow", timeout: 180_000 }, () => {
  it("restores documents, files and components in an empty deployment", { tags: "@snapshot-round-trip" }, async () => {
    const from = await started();
    await from.client.mutation(anyApi.data!.fill!, {});
    await from.client.mutation(anyApi.app!.write!, { mount: "first", name: "add", args: { text: "in a component" } });
    await from.client.mutation(anyApi.app!.write!, {
      mount: "outer",
      module: "outer",
      name: "add",
      args: { text: "in a nested component" },
    });
    const stored: string = await from.client.action(anyApi.data!.store!, { text: "a stored file", type: "image/png" });
    await from.client.action(anyApi.data!.store!, { text: "", type: "text/plain" });
    const inComponent: { id: string } = await from.client.action(anyApi.app!.run!, { mount: "first", name: "store", args: {} });

    const tables = await exported(from, "tables.zip");
    expect([...tables.keys()].filter((path) => path.includes("_storage"))).toEqual([]);
    const first = await exported(from, "first.zip", "--include-file-storage");
    expect(first.get(`_storage/${stored}.png`)).toBe("a stored file");
    expect(first.get(`_components/first/_storage/${inComponent.id}.txt`)).toBe("in a component");
    expect(first.get("_components/first/notes/documents.jsonl")).toContain("in a component");
    expect(first.get("_components/outer/_components/notes/notes/documents.jsonl")).toContain("in a nested component");
    expect(first.get("values/generated_schema.jsonl")).toBe('"uniform"\n');
    expect(first.get("values/documents.jsonl")?.trim().split("\n")).toHaveLength(2);
    const { sha256 } = JSON.parse(
      first
        .get("_storage/documents.jsonl")
        ?.split("\n")
        .find((line) => line.includes(stored)) ?? "",
    );
    expect(sha256).toBe(createHash("sha256").update("a stored file").digest("base64"));

    const to = await started(OTHER_SCHEMA);
    const live = new ConvexClient(to.url);
    const seen: unknown[] = [];
    live.onUpdate(anyApi.data!.count!, { table: "values" }, (value) => seen.push(value));
    await expect.poll(() => seen).toEqual([0]);
    const imported = await run(to, "import", "first.zip");
    expect(imported, imported.stderr).toMatchObject({ code: 0 });
    expect(imported.stderr).toContain("Added 9 documents");
    await expect.poll(() => seen).toEqual([0, 2]);
    await live.close();
    expect(comparable(await exported(to, "second.zip", "--include-file-storage"))).toEqual(comparable(first));
    expect(await to.client.query(anyApi.data!.search!, {})).toBe(1);
    expect(await to.client.query(anyApi.data!.byNumber!, { n: 1 })).toHaveLength(1);
    expect(await to.client.action(anyApi.data!.read!, { id: stored })).toEqual(["a stored file", "image/png"]);
    expect(await to.client.query(anyApi.app!.read!, { mount: "first", name: "texts", args: {} })).toEqual(["in a component"]);
    expect((await run(to, "run", "--component", "first", "notes:texts")).stdout).toContain("in a component");
    const inline = await run(to, "run", "--component", "first", "--inline-query", '(await ctx.db.query("notes").collect()).length');
    expect(inline.stdout.trim()).toBe("1");
    await to.client.mutation(anyApi.data!.add!, { n: 2 });
    expect(await count(to, "checked")).toBe(2);

    const again = await run(to, "import", "first.zip");
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('Table "_storage" already has 2 documents. Pass --append to add to them, or --replace to delete them.');
    expect((await run(to, "import", "--replace", "--yes", "first.zip")).code).toBe(0);
    expect(await count(to, "checked")).toBe(1);
    expect(await to.client.action(anyApi.data!.read!, { id: stored })).toEqual(["a stored file", "image/png"]);

    await expect(startEngine(to.dataDir, ADMIN_KEY)).rejects.toThrow("Another process is using the data");
    await Promise.all([to.stop(), from.stop()]);
    expect(await checkData(to.dataDir)).toMatchObject({ problems: [], storedFiles: 3 });
    expect(readdirSync(to.dataDir)).not.toEqual(expect.arrayContaining(["exports", "imports"]));
  });

  it("imports JSON lines, a JSON array and CSV into one table", { tags: "@import-formats" }, async () => {
    const to = await started();
    writeFileSync(pathOf("rows.jsonl"), '{"n":1,"label":"one"}\n\n{"n":2}\n');
    const first = await run(to, "import", "--table", "checked", "rows.jsonl");
    expect(first, first.stderr).toMatchObject({ code: 0 });
    expect(first.stderr).toContain('Added 2 documents to table "checked".');
    expect((await to.client.query(anyApi.data!.byNumber!, { n: 1 }))[0]).toMatchObject({ label: "one" });

    writeFileSync(pathOf("rows.json"), '[{"n":3},{"n":4}]');
    const refused = await run(to, "import", "--table", "checked", "rows.json");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Table "checked" already has 2 documents');
    expect((await run(to, "import", "--table", "checked", "--append", "rows.json")).code).toBe(0);
    expect(await count(to, "checked")).toBe(4);

    writeFileSync(pathOf("rows.csv"), '\ufeffn,label\n5,"a, ""quoted"" cell"\n6,\n7,0x10\n');
    const replaced = await run(to, "import", "--table", "checked", "--replace", "--yes", "rows.csv");
    expect(replaced.stderr).toContain("checked: 3 documents, after deleting 4 documents");
    expect(replaced.code).toBe(0);
    expect(await count(to, "checked")).toBe(3);
    expect((await to.client.query(anyApi.data!.byNumber!, { n: 5 }))[0]).toMatchObject({ label: 'a, "quoted" cell' });
    expect((await to.client.query(anyApi.data!.byNumber!, { n: 7 }))[0]).toMatchObject({ label: "0x10" });

    const component = await run(
      to,
      "import",
      "--table",
      "notes",
      "--component",
      "first",
      await withRows("notes.jsonl", '{"text":"imported"}\n'),
    );
    expect(component, component.stderr).toMatchObject({ code: 0 });
    expect(await to.client.query(anyApi.app!.read!, { mount: "first", name: "texts", args: {} })).toEqual(["imported"]);

    const all = await run(to, "import", "--replace-all", "--yes", await writeZip("all.zip", { "values/documents.jsonl": '{"a":1}\n' }));
    expect(all, all.stderr).toMatchObject({ code: 0 });
    expect(all.stderr).toContain("first/notes: deletes 1 document");
    expect([await count(to, "checked"), await count(to, "values")]).toEqual([0, 1]);
    expect(await to.client.query(anyApi.app!.read!, { mount: "first", name: "texts", args: {} })).toEqual([]);
    await to.stop();
    expect((await checkData(to.dataDir)).problems).toEqual([]);
  });

  it("refuses bad input and changes nothing", { tags: "@import-refusals", timeout: 400_000 }, async () => {
    const to = await started();
    await to.client.mutation(anyApi.data!.fill!, {});
    const id: string = await to.client.action(anyApi.data!.store!, { text: "kept", type: "text/plain" });
    const before = comparable(await exported(to, "before.zip", "--include-file-storage"));
    const line = (values: object): string => `${JSON.stringify(values)}\n`;
    const valuesId = (JSON.parse(before["values/documents.jsonl"]?.split("\n")[0] ?? "") as { _id: string })._id;
    const otherId = "_".padEnd(32, "0");

    const cases: [string, string[]][] = [
      ["The file is not a ZIP file", [await withRows("none.zip", "not a zip file, but long enough to be searched for one")]],
      ["The ZIP file has no table", [await writeZip("empty.zip", { "readme.txt": "" })]],
      ['Invalid table name: "a b"', [await writeZip("name.zip", { "a b/documents.jsonl": line({ n: 1 }) })]],
      [
        '"_scheduled_functions" is not a table that can be imported',
        [await writeZip("system.zip", { "_scheduled_functions/documents.jsonl": "" })],
      ],
      [
        "checked/documents.jsonl, line 2 is not valid JSON",
        [await writeZip("json.zip", { "checked/documents.jsonl": `${line({ n: 1 })}{"n":` })],
      ],
      [
        "line 1: The document does not match the schema: Value does not match validator.",
        [await writeZip("schema.zip", { "checked/documents.jsonl": line({ n: "one" }) })],
      ],
      [
        `_storage/documents.jsonl, line 1: The archive has no file _storage/${id}`,
        [await writeZip("file.zip", { "_storage/documents.jsonl": line({ _id: id }) })],
      ],
      [
        "does not match its size or sha256",
        [await writeZip("sum.zip", { "_storage/documents.jsonl": line({ _id: id, size: 5 }), [`_storage/${id}.txt`]: "kept" })],
      ],
      [
        "differs from the imported file",
        [await writeZip("content.zip", { "_storage/documents.jsonl": line({ _id: id }), [`_storage/${id}.txt`]: "changed" })],
      ],
      ['belong to table "values" of this deployment', [await writeZip("number.zip", { "fresh/documents.jsonl": line({ _id: valuesId }) })]],
      [
        `The ID "${valuesId}" occurs twice`,
        [await writeZip("twice.zip", { "values/documents.jsonl": line({ _id: valuesId }) + line({ _id: valuesId }) })],
      ],
      [
        "is of an older format",
        [await writeZip("older.zip", { "values/documents.jsonl": "", "values/generated_schema.jsonl": '"{\\"n\\": int64}"\n' })],
      ],
      ["`_id` is not an ID", ["--table", "values", await withRows("id.jsonl", line({ _id: otherId }))]],
      ['Invalid field name "_own"', ["--table", "values", await withRows("field.jsonl", line({ _own: 1 }))]],
      ["The file must be a JSON array of objects", ["--table", "values", await withRows("object.json", "{}")]],
      ["element 2 is not a JSON object", ["--table", "values", await withRows("elements.json", "[{},3]")]],
      ["The file is not valid CSV: Invalid Record Length", ["--table", "values", await withRows("broken.csv", "a,b\n1,2,3\n")]],
      ['The header has the column "a" twice', ["--table", "values", await withRows("header.csv", "a,a\n1,2\n")]],
      ['Table "_storage" is a system table', ["--table", "_storage", "header.csv"]],
      ['Invalid table name: "a-b"', ["--table", "a-b", await withRows("row.jsonl", "{}\n")]],
      ['This deployment has no component "missing"', ["--table", "values", "--component", "missing", "row.jsonl"]],
    ];
    for (const [message, args] of cases) {
      const result = await run(to, "import", "--replace", "--yes", ...args);
      expect(result.stderr, message).toContain(message);
      expect(result.code).toBe(1);
    }
    expect(comparable(await exported(to, "after.zip", "--include-file-storage"))).toEqual(before);
    expect(existsSync(join(to.dataDir, "imports"))).toBe(true);
    expect(readdirSync(join(to.dataDir, "imports"))).toEqual([]);
  });

  it.each([0, 60, 150, 400])(
    "imports all or nothing when it is killed %i ms after the start",
    { tags: "@import-killed" },
    async (delayMs) => {
      const documents = 20_000;
      await withRows("many.jsonl", Array.from({ length: documents }, (_, n) => `{"n":${n},"label":"row ${n}"}\n`).join(""));
      const killed = await started();
      const command = await startConvex(project, killed, ["import", "--table", "checked", "many.jsonl"]);
      let output = "";
      command.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
      await expect.poll(() => output, { interval: 5 }).toContain(`checked: ${documents} documents`);
      await sleep(delayMs);
      await killed.stop("SIGKILL");
      command.kill();
      const again = await startEngine(killed.dataDir, ADMIN_KEY);
      engines.push(again);
      const found: number = await new ConvexHttpClient(again.url, { logger: false }).query(anyApi.data!.count!, { table: "checked" });
      expect([0, documents]).toContain(found);
      await again.stop();
      expect((await checkData(killed.dataDir)).problems).toEqual([]);
      expect(existsSync(join(killed.dataDir, "imports"))).toBe(false);
    },
  );

  it("refuses both without the admin key", async () => {
    const deployment = await startDeployment({ dataDir: temporaryFolder("snapshot-key"), port: 0, sitePort: 0, adminKey: ADMIN_KEY });
    const target = { url: deployment.url, adminKey: `test|${"0".repeat(64)}` };
    writeFileSync(pathOf("key.jsonl"), "{}\n");
    mkdirSync(pathOf("out"), { recursive: true });
    for (const args of [
      ["export", "--path", "out"],
      ["import", "--table", "values", "key.jsonl"],
    ]) {
      const result = await run(target, ...args);
      expect(result.code).toBe(1);
      expect(result.stderr).toMatch(/admin key/);
    }
    expect(readdirSync(pathOf("out"))).toEqual([]);
    const written = await run(deployment, "export", "--path", "out");
    expect(written, written.stderr).toMatchObject({ code: 0 });
    expect(readdirSync(pathOf("out"))).toEqual([expect.stringMatching(/^snapshot_\d+\.zip$/)]);
    expect(
      readFileSync(pathOf(`out/${readdirSync(pathOf("out"))[0]}`))
        .subarray(0, 2)
        .toString(),
    ).toBe("PK");
    await deployment.close();
  });
});

async function withRows(name: string, text: string): Promise<string> {
  writeFileSync(pathOf(name), text);
  return name;
}

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { downloadZip } from "client-zip";
import { afterAll, beforeAll, expect, it } from "vitest";
import { differencesOf, sumTables, type TableSums } from "./table-sums.ts";

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "atelier-sums-"));
});
afterAll(() => rm(dir, { recursive: true }));

async function sumsOf(tables: Record<string, string[]>): Promise<TableSums> {
  const path = join(dir, "snapshot.zip");
  const entries = Object.entries(tables).map(([name, lines]) => ({
    name: `${name}/documents.jsonl`,
    input: lines.map((line) => `${line}\n`).join(""),
  }));
  await writeFile(path, new Uint8Array(await downloadZip(entries).arrayBuffer()));
  return sumTables(path);
}

it("ignores the order of documents and fields, and how numbers are written", async () => {
  const one = await sumsOf({ users: ['{"_id":"a","n":1,"nested":{"x":[1,null],"y":"z"}}', '{"_id":"b"}'], empty: [] });
  const other = await sumsOf({ users: ['{"_id":"b"}', '{"nested":{"y":"z","x":[1.0,null]},"n":1.0,"_id":"a"}'] });
  expect(differencesOf(one, other)).toEqual([]);
});

it.each([
  ["a changed value", { users: ['{"_id":"a","n":2}'] }, "The documents of table users differ from the source."],
  ["a missing document", { users: [] }, "Table users has 0 documents instead of 1."],
  ["an additional table", { users: ['{"_id":"a","n":1}'], tags: ["{}"] }, "Table tags has 1 documents instead of 0."],
  ["another component", { "_components/c/users": ['{"_id":"a","n":1}'] }, "Table c/users has 1 documents instead of 0."],
])("reports %s", async (_what, tables, message) => {
  const source = await sumsOf({ users: ['{"_id":"a","n":1}'] });
  expect(differencesOf(source, await sumsOf(tables))).toContain(message);
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { expect, test } from "vitest";
import type { Json } from "../../values/types.ts";
import { openDatabase } from "../database.ts";
import { idOf } from "../document.ts";
import { checkIntegrity } from "./integrity.ts";
import { collect, range, schemaJson } from "../testing.ts";

const ROUNDS = Number(process.env["CRASH_ROUNDS"] ?? 5);

const schema = defineSchema({
  rows: defineTable({ name: v.string(), n: v.number(), round: v.number() })
    .index("by_n", ["n"])
    .searchIndex("by_name", { searchField: "name", filterFields: ["round"] }),
});

const writer = (dir: string): string => `
  import { writeSync } from "node:fs";
  import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, "../database.ts"))};
  const db = openDatabase(${JSON.stringify(dir)});
  db.applySchema(db.prepareSchema(${JSON.stringify(schemaJson(schema))}));
  db.flush();
  const ids = [];
  const round = Number(process.argv[2]);
  for (let n = 1; ; n++) {
    const tx = db.beginMutation();
    ids.push(tx.insert("rows", { name: "row number " + n, n, round }));
    if (n % 3 === 0) tx.shallowMerge({ id: ids[n - 2], value: { n: -ids.length, name: "moved " + n } });
    if (n % 5 === 0) tx.remove({ id: ids[n - 5] });
    db.commit(tx, { sessionId: "round " + round, requestId: n, result: "null" });
    if (Math.random() < 0.1) {
      db.flush();
      writeSync(1, n + "\\n");
    }
  }
`;

test(`keeps exactly the flushed data after SIGKILL, ${ROUNDS} times`, { tags: "slow", timeout: 60_000 * ROUNDS }, async () => {
  const dir = mkdtempSync(join(tmpdir(), "engine-crash-"));
  try {
    const script = join(dir, "writer.ts");
    writeFileSync(script, writer(dir));
    for (let round = 1; round <= ROUNDS; round++) {
      const child = spawn(process.execPath, [script, String(round)], { stdio: ["ignore", "pipe", "pipe"] });
      let message = "";
      let failed = "";
      child.stdout.on("data", (chunk) => (message += chunk));
      child.stderr.on("data", (chunk) => (failed += chunk));
      await Promise.race([once(child.stdout, "data"), once(child, "close")]);
      setTimeout(() => child.kill("SIGKILL"), 50 + Math.random() * 400);
      await once(child, "close");
      expect(failed).toBe("");

      const acknowledged = Number(message.split("\n").at(-2));
      expect(acknowledged).toBeGreaterThan(0);
      expect(checkIntegrity(dir)).toEqual([]);
      const db = openDatabase(dir);
      const session = `round ${round}`;
      let last = acknowledged;
      while (db.recorded(session, last + 1)) last++;
      for (let n = 1; n <= last; n++) expect(db.recorded(session, n)).toBeDefined();
      const rows = collect(db.beginQuery(), range("rows.by_n", [], "desc", [{ limit: 1 }]));
      expect(rows).toMatchObject([{ round: expect.any(Number) }]);
      const ofRound: Json = { filter: { $eq: [{ $field: "round" }, { $literal: round }] } };
      let count = 0;
      const tx = db.beginQuery();
      const query = tx.queryStream(range("rows.by_n", [], null, [ofRound]));
      while (tx.queryStreamNext(query).endsWith('"done":false}')) count++;
      expect(count).toBe(last - Math.floor(last / 5));
      const clear = db.beginMutation();
      for (const row of collect(clear, range("rows.by_n", [], null, [{ limit: 5_000 }]))) clear.remove({ id: idOf(row) });
      db.commit(clear);
      db.close();
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
});

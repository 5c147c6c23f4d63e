import { statSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "@atelier/engine/testing/database";
import type { Database, Transaction } from "@atelier/engine/testing/database-types";
import { removeFolder, temporaryFolder } from "../deployment.ts";
import { atMost, percentile, rounded, type Figure } from "../report.ts";

const ROWS = 200_000;
const AT_ONCE = 1_000;
const KEPT_EVERY = 10;
const TEXT = "some text ".repeat(100);
const MIB = 1024 ** 2;

/** Deletes nine tenths of a database, and writes between the steps that return its space. */
export async function compaction(): Promise<Figure[]> {
  const dir = temporaryFolder("compaction");
  const db = openDatabase(dir);
  const size = () => statSync(join(dir, "deployment.sqlite3")).size / MIB;
  try {
    const ids = inBatches(db, Array.from({ length: ROWS }), (tx) => tx.insert("rows", { text: TEXT }));
    for (let isDue = db.checkpoint(); isDue;) isDue = db.clearDeleted();
    inBatches(
      db,
      ids.filter((_, row) => row % KEPT_EVERY !== 0),
      (tx, id) => tx.remove({ id }),
    );
    db.checkpoint();
    db.clearDeleted();
    const before = size();

    const steps: number[] = [];
    const writes: number[] = [];
    for (let isDue = db.checkpoint(); isDue;) {
      const started = performance.now();
      isDue = db.clearDeleted();
      const between = performance.now();
      inBatches(db, [null], (tx) => tx.insert("others", { text: TEXT }));
      steps.push(between - started);
      writes.push(performance.now() - between);
    }
    return [
      { name: "file after the deletion", value: `${rounded(before)} MiB` },
      atMost("file after the compaction ÷ before", size() / before, 0.2, ""),
      { name: "steps", value: rounded(steps.length) },
      { name: "step, p99", value: `${percentile(steps, 0.99).toFixed(1)} ms` },
      atMost("longest step", Math.max(...steps), 50, "ms"),
      { name: "write between two steps, p99", value: `${percentile(writes, 0.99).toFixed(1)} ms` },
    ];
  } finally {
    db.close();
    removeFolder(dir);
  }
}

function inBatches<T, R>(db: Database, values: T[], change: (tx: Transaction, value: T) => R): R[] {
  const results: R[] = [];
  for (let from = 0; from < values.length; from += AT_ONCE) {
    const tx = db.beginMutation();
    for (const value of values.slice(from, from + AT_ONCE)) results.push(change(tx, value));
    db.commit(tx);
    db.flush();
  }
  return results;
}

import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openFile } from "./file.ts";
import { FORMAT } from "./format.ts";

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "engine-file-"));
  path = join(dir, "deployment.sqlite3");
});
afterEach(() => rmSync(dir, { recursive: true }));

function executeSql(statements: string): void {
  const sql = new DatabaseSync(path);
  sql.exec(statements);
  sql.close();
}

describe("the data file", () => {
  test("has durable settings", () => {
    const sql = openFile(dir);
    const setting = (name: string) => Object.values(sql.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(setting("journal_mode")).toBe("wal");
    expect(setting("synchronous")).toBe(2);
    expect(setting("locking_mode")).toBe("exclusive");
    expect(setting("user_version")).toBe(FORMAT);
    sql.close();
  });

  test("is rejected and unchanged if its format is newer", () => {
    openFile(dir).close();
    executeSql(`PRAGMA user_version = ${FORMAT + 1}`);
    expect(() => openFile(dir)).toThrow(`has format ${FORMAT + 1}; this version reads up to format ${FORMAT}`);
    executeSql(`PRAGMA user_version = ${FORMAT}`);
    openFile(dir).close();
  });

  test("is upgraded with its contents from an older format", () => {
    openFile(dir).close();
    executeSql(
      "DROP TABLE answers; DROP TABLE entries; DROP TABLE documents; DROP TABLE indexes; DROP TABLE tables; DROP TABLE settings; DROP TABLE clock; CREATE TABLE kept (a); PRAGMA user_version = 0",
    );
    const sql = openFile(dir);
    const tables = sql
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all()
      .map((row) => row["name"]);
    expect(tables).toEqual(["answers", "clock", "documents", "entries", "indexes", "kept", "settings", "tables"]);
    sql.close();
  });

  test("is rejected if it belongs to another application", () => {
    executeSql("CREATE TABLE other (a)");
    expect(() => openFile(dir)).toThrow("not one of an embedded deployment");
    writeFileSync(path, "no database at all, but text that is long enough to be read as a header of one hundred bytes or more, surely");
    rmSync(`${path}-wal`, { force: true });
    expect(() => openFile(dir)).toThrow("is not a SQLite file");
  });

  test("is locked by one process until it is killed", { tags: "slow" }, async () => {
    const code = `import { openFile } from ${JSON.stringify(join(import.meta.dirname, "file.ts"))}; openFile(${JSON.stringify(dir)});`;
    const holder = join(dir, "holder.ts");
    writeFileSync(holder, `${code} process.send("open"); setInterval(() => {}, 1000);`);
    const child = fork(holder, { stdio: "ignore", execArgv: [] });
    await once(child, "message");
    expect(() => openFile(dir)).toThrow(`Another process is using the data in ${dir}`);
    writeFileSync(join(dir, "second.ts"), code);
    const second = spawnSync(process.execPath, [join(dir, "second.ts")], { encoding: "utf8" });
    expect(second.status).toBe(1);
    expect(second.stderr).toContain("Only one process can use it");
    child.kill("SIGKILL");
    await once(child, "exit");
    openFile(dir).close();
  });
});

import { execFile, execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { canMount } from "../../tests/harness/can-mount.ts";
import { FILE_NAME, FORMAT } from "@atelier/engine/database-file";
import { startEngine, ADMIN_KEY } from "@atelier/engine/testing/harness";
import { log } from "../logging/log.ts";
import { StartError } from "./embedded.ts";
import { completeRollBack, listSnapshots, removeOldSnapshots, rollBack, snapshotBeforeUpdate } from "./snapshots.ts";

log.level = "silent";
let dataDir: string;
const database = () => join(dataDir, "convex", FILE_NAME);

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "atelier-snapshots-"));
});
const mounts: string[] = [];
afterEach(async () => {
  for (const path of mounts.splice(0)) execFileSync("umount", ["--lazy", path]);
  await rm(dataDir, { recursive: true, maxRetries: 5 });
});

async function write(value: string, { format = FORMAT, dir = dataDir } = {}): Promise<void> {
  await mkdir(join(dir, "convex"), { recursive: true });
  const sql = new DatabaseSync(join(dir, "convex", FILE_NAME));
  sql.exec(`PRAGMA journal_mode = WAL; PRAGMA user_version = ${format}; CREATE TABLE IF NOT EXISTS rows (value TEXT)`);
  sql.prepare("INSERT INTO rows VALUES (?)").run(value);
  sql.close();
}

function valuesIn(path: string): unknown[] {
  const sql = new DatabaseSync(path, { readOnly: true });
  const rows = sql.prepare("SELECT value FROM rows").all();
  sql.close();
  return rows.map(({ value }) => value);
}

const take = (options: Partial<Parameters<typeof snapshotBeforeUpdate>[0]> = {}) =>
  snapshotBeforeUpdate({ dataDir, changesFunctions: true, version: "1.2.3", enabled: true, log, ...options });

describe("a snapshot before an update", () => {
  it.each([
    ["other functions", { changesFunctions: true }, FORMAT, 1],
    ["an older storage format", { changesFunctions: false }, FORMAT - 1, 1],
    ["no change", { changesFunctions: false }, FORMAT, 0],
    ["data of a newer version, which is not opened", { changesFunctions: true }, FORMAT + 1, 0],
    ["UPDATE_SNAPSHOTS=false", { enabled: false }, FORMAT, 0],
  ])("with %s", async (_what, options, format, count) => {
    await write("kept", { format });
    await take(options);
    expect(await listSnapshots(dataDir)).toHaveLength(count);
  });

  it("is not taken without data", async () => {
    await take();
    expect(await readdir(dataDir)).toEqual([]);
  });

  it("contains what was stored, keeps the last three, and is named in the log", async () => {
    const logged = vi.spyOn(log, "info").mockImplementation(() => {});
    for (const value of ["one", "two", "three", "four"]) {
      await write(value);
      await take();
    }
    const snapshots = await listSnapshots(dataDir);
    const folders = snapshots.map(({ name }) => join(dataDir, "snapshots", name));
    expect(folders.map((folder) => valuesIn(join(folder, FILE_NAME)).length)).toEqual([4, 3, 2]);
    expect(snapshots[0]?.version).toBe("1.2.3");
    expect((await stat(folders[0] ?? "")).mode & 0o777).toBe(0o700);
    expect(logged).toHaveBeenLastCalledWith(expect.anything(), expect.stringContaining(`npm run rollback -- ${snapshots[0]?.name}`));
    logged.mockRestore();
  });

  it("waits for the deployment of a killed server", async () => {
    const engine = await startEngine(join(dataDir, "convex"), ADMIN_KEY);
    const taken = take();
    await engine.stop("SIGTERM");
    await taken;
    expect(await listSnapshots(dataDir)).toHaveLength(1);
  });

  it("has no version if its description is damaged", async () => {
    await write("kept");
    await take();
    const [snapshot] = await listSnapshots(dataDir);
    await writeFile(join(dataDir, "snapshots", snapshot?.name ?? "", "snapshot.json"), "");
    await take();
    expect((await listSnapshots(dataDir)).map(({ version }) => version)).toEqual(["1.2.3", null]);
  });

  it("is removed after 30 days", async () => {
    await write("kept");
    await take();
    await removeOldSnapshots(dataDir, Date.now() + 29 * 86_400_000);
    expect(await listSnapshots(dataDir)).toHaveLength(1);
    await removeOldSnapshots(dataDir, Date.now() + 31 * 86_400_000);
    expect(await listSnapshots(dataDir)).toEqual([]);
  });

  it.runIf(canMount())("refuses the start without free space, changes nothing, and names the setting", async () => {
    const disk = join(dataDir, "disk");
    await mkdir(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk]);
    mounts.push(disk);
    await write("kept", { dir: disk });
    const refused = take({ dataDir: disk });
    await expect(refused).rejects.toThrow(StartError);
    await expect(refused).rejects.toThrow(/MB are needed.*UPDATE_SNAPSHOTS=false/);
    expect(await readdir(join(disk, "snapshots"))).toEqual([]);
    expect(valuesIn(join(disk, "convex", FILE_NAME))).toEqual(["kept"]);
  });
});

function runScript(args: string[], variables: Record<string, string> = {}): Promise<{ code: number; output: string }> {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, ...variables };
  return new Promise((done) => {
    execFile(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], { env }, (error, stdout, stderr) =>
      done({ code: error ? 1 : 0, output: stdout + stderr }),
    );
  });
}

describe("npm run rollback", () => {
  const script = join(import.meta.dirname, "../commands/rollback.ts");
  const run = (...args: string[]) => runScript([script, ...args]);

  it("restores a snapshot that the app can open, then the newer database", { timeout: 60_000 }, async () => {
    await (await startEngine(join(dataDir, "convex"), ADMIN_KEY)).stop("SIGTERM");
    await take();
    const before = await readFile(database());
    const [snapshot] = await listSnapshots(dataDir);
    const changed = new DatabaseSync(database());
    changed.exec("CREATE TABLE later (value TEXT)");
    changed.close();
    expect(await run()).toEqual({ code: 0, output: expect.stringContaining(`${snapshot?.name}  version 1.2.3`) });
    expect(await run("another")).toMatchObject({ code: 1, output: expect.stringContaining("There is no snapshot another") });

    const engine = await startEngine(join(dataDir, "convex"), ADMIN_KEY);
    expect(await run(snapshot?.name ?? "")).toMatchObject({
      code: 1,
      output: expect.stringContaining("Another process is using the data"),
    });
    await engine.stop("SIGTERM");
    expect(await run(snapshot?.name ?? "")).toMatchObject({ code: 0, output: expect.stringContaining("Start version 1.2.3 now") });
    const [record = ""] = await readdir(join(dataDir, "operations"));
    const left = JSON.parse(await readFile(join(dataDir, "operations", record), "utf8"));
    expect(left, "a record for the audit log").toMatchObject({ action: "database.rolledBack", name: snapshot?.name });
    expect(await readFile(database())).toEqual(before);
    await (await startEngine(join(dataDir, "convex"), ADMIN_KEY)).stop("SIGTERM");
    const replaced = (await listSnapshots(dataDir))[0]?.name ?? "";
    expect((await rollBack(dataDir, replaced, null)).replaced).not.toBe(replaced);
    expect((await readFile(database())).includes("CREATE TABLE later")).toBe(true);
  });
});

describe("a rollback that is killed", () => {
  const preload = new URL("../../tests/harness/preloads/kill-at-write.ts", import.meta.url).href;
  const script = join(import.meta.dirname, "../commands/rollback.ts");
  const LATER = "CREATE TABLE later";
  const killed = (name: string, at: number) => runScript(["--import", preload, script, name], { KILL_AT_WRITE: `${at}` });

  it.each([
    ["the next start", (_name: string) => completeRollBack(dataDir)],
    ["the repeated command", (name: string) => runScript([script, name])],
  ])("at any step is completed by %s", { timeout: 300_000, tags: ["@killed-rollback", "slow"] }, async (what, complete) => {
    await (await startEngine(join(dataDir, "convex"), ADMIN_KEY)).stop("SIGTERM");
    await mkdir(join(dataDir, "convex", "files"), { recursive: true });
    await writeFile(join(dataDir, "convex", "files", "stored"), "a stored file");
    await take();
    const [snapshot] = await listSnapshots(dataDir);
    const name = snapshot?.name ?? "";
    const earlier = await readFile(database());
    const changed = new DatabaseSync(database());
    changed.exec(`${LATER} (value TEXT)`);
    changed.close();
    const original = `${dataDir}-original`;
    await cp(dataDir, original, { recursive: true });
    const outcomes = new Set<string>();
    try {
      for (let at = 1; (await killed(name, at)).code !== 0; at++) {
        await complete(name);
        const [replaced] = await listSnapshots(dataDir);
        const kept = await readFile(join(dataDir, "snapshots", replaced?.name ?? "", FILE_NAME));
        outcomes.add(JSON.stringify({ isRestored: (await readFile(database())).equals(earlier), isKept: kept.includes(LATER) }));
        await (await startEngine(join(dataDir, "convex"), ADMIN_KEY)).stop("SIGTERM");
        await rm(dataDir, { recursive: true });
        await cp(original, dataDir, { recursive: true });
      }
    } finally {
      await rm(original, { recursive: true });
    }
    const restored = JSON.stringify({ isRestored: true, isKept: true });
    const unchanged = JSON.stringify({ isRestored: false, isKept: false });
    expect([...outcomes]).toEqual(what === "the next start" ? [unchanged, restored] : [restored]);
  });
});

it("replaces a damaged database together with its log", async () => {
  await write("kept");
  await take();
  const [snapshot] = await listSnapshots(dataDir);
  await writeFile(database(), "not a database any more");
  await writeFile(`${database()}-wal`, "nor a log");
  const { replaced } = await rollBack(dataDir, snapshot?.name ?? "", null);
  expect(await readdir(join(dataDir, "convex"))).toEqual([FILE_NAME]);
  expect(valuesIn(database())).toEqual(["kept"]);
  expect(await readFile(join(dataDir, "snapshots", replaced, FILE_NAME), "utf8")).toBe("not a database any more");
});

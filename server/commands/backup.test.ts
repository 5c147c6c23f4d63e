import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { canMount } from "../../tests/harness/can-mount.ts";
import { pushFixture } from "@atelier/engine/testing/deployed";
import { ADMIN_KEY, createIssuer, type EngineProcess, startEngine } from "@atelier/engine/testing/harness";

const STORED = 8;
const root = mkdtempSync(join(tmpdir(), "atelier-data-"));
const dataDir = join(root, "data");
const files = anyApi["files"]!;
const messages = anyApi["messages"]!;
let engine: EngineProcess;
let project: string;
let folder: string;
let tests = 0;

beforeAll(async () => {
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "secrets.json"), JSON.stringify({ secret: "s".repeat(32), engineAdminKey: ADMIN_KEY }));
  engine = await startEngine(join(dataDir, "convex"), ADMIN_KEY);
  project = await pushFixture(engine, await createIssuer());
  const client = new ConvexHttpClient(engine.url, { logger: false });
  await client.mutation(messages["send"]!, { channel: "kept", body: "a message" });
  for (let each = 0; each < STORED; each += 1)
    await fetch(await client.mutation(files["uploadUrl"]!, {}), { method: "POST", body: `stored file ${each}` });
}, 60_000);
afterAll(async () => {
  await engine.stop("SIGKILL");
  rmSync(root, { recursive: true, force: true });
  rmSync(project, { recursive: true, force: true });
});
beforeEach(() => {
  folder = join(root, `test-${(tests += 1)}`);
  mkdirSync(folder);
});
const mounts: string[] = [];
afterEach(() => {
  for (const path of mounts.splice(0)) execFileSync("umount", ["--lazy", path]);
});

type Ended = { code: number; output: string };

const KILL_AT_WRITE = new URL("../../tests/harness/preloads/kill-at-write.ts", import.meta.url).href;

function run(script: string, args: string[], dir = dataDir, killAt?: number): Promise<Ended> {
  const options = ["--disable-warning=ExperimentalWarning", ...(killAt === undefined ? [] : ["--import", KILL_AT_WRITE])];
  return new Promise((done) => {
    execFile(
      process.execPath,
      [...options, join(import.meta.dirname, `${script}.ts`), ...args],
      { cwd: folder, env: { PATH: process.env.PATH, DATA_DIR: dir, KILL_AT_WRITE: `${killAt}` } },
      (error, stdout, stderr) => done({ code: error ? 1 : 0, output: stdout + stderr }),
    );
  });
}

async function backUp(...options: string[]): Promise<string> {
  const to = join(folder, "copy");
  expect(await run("backup", [to, ...options])).toMatchObject({ code: 0 });
  return to;
}

const stored = (dir: string) => readdirSync(join(dir, "convex", "files"));
const image = (dir: string) => join(dir, "convex", "files", stored(dir)[0] ?? "");
const tree = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1))
    .toSorted();

function flip(path: string): void {
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

async function restored(dir: string): Promise<void> {
  const copy = await startEngine(join(dir, "convex"), ADMIN_KEY);
  const sent = await new ConvexHttpClient(copy.url, { logger: false }).query(messages["list"]!, { channel: "kept" });
  expect([sent.length, copy.errors()]).toEqual([1, ""]);
  expect(await copy.stop()).toBe(0);
  expect(stored(dir)).toEqual(stored(dataDir));
}

describe("npm run backup", { timeout: 60_000 }, () => {
  it("copies all files without --link", async () => {
    const inode = (dir: string) => stored(dir).map((name) => statSync(join(dir, "convex", "files", name)).ino);
    const to = await backUp();
    expect(inode(to).filter((each) => inode(dataDir).includes(each))).toEqual([]);
    rmSync(to, { recursive: true });
    expect(inode(await backUp("--link"))).toEqual(inode(dataDir));
  });

  it("rejects a target folder that is not empty", async () => {
    const to = join(folder, "taken");
    mkdirSync(to);
    writeFileSync(join(to, "mine"), "mine");
    expect(await run("backup", [to])).toMatchObject({ code: 1, output: expect.stringContaining("already exists") });
    expect(tree(to)).toEqual(["mine"]);
  });

  it("replaces the folder of an interrupted backup", { tags: "slow" }, async () => {
    const to = join(folder, "copy");
    const child = spawn(process.execPath, [join(import.meta.dirname, "backup.ts"), to], {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir },
      stdio: "ignore",
    });
    await expect.poll(() => existsSync(`${to}.partial`), { interval: 1 }).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    rmSync(to, { recursive: true, force: true });
    mkdirSync(join(`${to}.partial`, "convex"), { recursive: true });
    mkdirSync(join(to, "convex.partial", "files"), { recursive: true });
    await backUp();
    expect(existsSync(`${to}.partial`)).toBe(false);
    expect(await run("check-data", [to])).toMatchObject({ code: 0 });
  });

  it("writes the last commit's timestamp next to the database", async () => {
    const to = await backUp();
    expect(Number(readFileSync(join(to, "convex", "last-commit"), "utf8"))).toBeGreaterThan(0);
  });
});

describe("records for the audit log", { timeout: 60_000 }, () => {
  const recordsIn = (dir: string) =>
    readdirSync(join(dir, "operations")).map((name) => JSON.parse(readFileSync(join(dir, "operations", name), "utf8")));

  it("are left by backups and restores", async () => {
    rmSync(join(dataDir, "operations"), { recursive: true, force: true });
    const from = await backUp();
    expect(recordsIn(dataDir)).toEqual([{ action: "backup.written", name: "copy", at: expect.any(Number) }]);
    const to = join(folder, "restored");
    expect(await run("restore", [from], to)).toMatchObject({ code: 0 });
    expect(recordsIn(to)).toEqual([{ action: "backup.restored", name: "copy", at: expect.any(Number) }]);
  });
});

describe("npm run restore", { timeout: 60_000 }, () => {
  it("restores everything and leaves the backup unchanged", { tags: "slow" }, async () => {
    const from = await backUp();
    const before = tree(from);
    const to = join(folder, "restored");
    expect(await run("restore", [from], to)).toMatchObject({ code: 0 });
    expect(tree(from)).toEqual(before);
    expect(Number(readFileSync(join(to, "convex", "last-commit"), "utf8"))).toBeGreaterThan(0);
    await restored(to);
  });

  it("is completed by the same command after a kill at any step", { tags: ["slow", "@killed-restore"], timeout: 300_000 }, async () => {
    const from = await backUp();
    for (let at = 1; ; at++) {
      const to = join(folder, `restored-${at}`);
      const { code } = await run("restore", [from], to, at);
      if (code === 0) break;
      expect(await run("restore", [from], to), `killed at write ${at}`).toMatchObject({ code: 0 });
      expect(existsSync(join(to, "secrets.json"))).toBe(true);
      expect(await run("check-data", [to])).toMatchObject({ code: 0 });
      rmSync(to, { recursive: true });
      expect(at).toBeLessThan(60);
    }
  });

  it.runIf(canMount())("restores from read-only media", { tags: "slow" }, async () => {
    const from = await backUp();
    const media = join(folder, "media");
    mkdirSync(media);
    execFileSync("mount", ["--bind", from, media]);
    mounts.push(media);
    execFileSync("mount", ["-o", "remount,ro,bind", media]);
    expect(() => writeFileSync(join(media, "trial"), "")).toThrow(/EROFS/);
    const to = join(folder, "restored");
    expect(await run("restore", [media], to)).toMatchObject({ code: 0 });
    await restored(to);
  });

  it.each<[string, (from: string) => void, RegExp]>([
    [
      "half of its images are missing",
      (from) =>
        stored(from)
          .slice(STORED / 2)
          .forEach((name) => rmSync(join(from, "convex", "files", name))),
      /is missing/,
    ],
    ["an image is shorter", (from) => truncateSync(image(from), 5), /has 5 bytes instead of 13/],
    ["an image has a wrong byte", (from) => flip(image(from)), /does not match its sha256/],
    [
      "the database has a wrong byte",
      (from) => flip(join(from, "convex", "deployment.sqlite3")),
      /deployment\.sqlite3 does not match its sha256/,
    ],
    [
      "the keys have a wrong byte",
      (from) => writeFileSync(join(from, "secrets.json"), readFileSync(join(from, "secrets.json"), "utf8").replace("sss", "sts")),
      /secrets\.json does not match/,
    ],
    ["the database is missing", (from) => rmSync(join(from, "convex", "deployment.sqlite3")), /deployment\.sqlite3 is missing/],
  ])("rejects a backup when %s, before it replaces anything", async (_what, damage, message) => {
    const from = await backUp();
    damage(from);
    const to = join(folder, "restored");
    expect(await run("restore", [from], to)).toEqual({ code: 1, output: expect.stringMatching(message) });
    expect(tree(to)).toEqual([]);
  });

  it("restores a damaged backup with --accept-damaged", { tags: "slow" }, async () => {
    const from = await backUp();
    flip(image(from));
    const to = join(folder, "restored");
    expect(await run("restore", [from, "--accept-damaged"], to)).toEqual({
      code: 0,
      output: expect.stringContaining("does not match its sha256"),
    });
    await restored(to);
  });
});

describe.runIf(canMount())("with a full disk", { timeout: 60_000 }, () => {
  it.each([4, 256])("backup reports the space needed and that no data is lost, with %d KiB free", { tags: "slow" }, async (kib) => {
    const disk = smallDisk(kib);
    const resting = join(folder, "resting");
    cpSync(await backUp(), resting, { recursive: true });
    const before = tree(resting);
    for (const dir of [dataDir, resting]) {
      const to = join(disk, "backups", "copy");
      const { code, output } = await run("backup", [to], dir);
      expect({ code, output }).toEqual({
        code: 1,
        output: expect.stringContaining(
          `${to} cannot be written, because its disk is full (ENOSPC), so no backup was made. It needs about `,
        ),
      });
      expect(output).toContain(`${dir} is unchanged, and the incomplete copy is removed.`);
      expect(output).not.toMatch(/\n\s+at |Error/);
      expect(tree(disk)).toEqual([]);
    }
    expect(tree(resting).filter((path) => !path.startsWith("operations/"))).toEqual(["convex/backup.lock", ...before]);
  });

  it("restore reports the space needed and that no data is lost", { tags: "slow" }, async () => {
    const from = await backUp();
    const to = smallDisk(64);
    const { code, output } = await run("restore", [from], to);
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining(`${to} cannot be written, because its disk is full (ENOSPC), so nothing was restored.`),
    });
    expect([tree(to), tree(from).length > 0]).toEqual([[], true]);
  });

  it("backup works while the data's disk is full", { tags: "slow" }, async () => {
    const disk = smallDisk(4096);
    cpSync(await backUp(), disk, { recursive: true });
    const full = await startEngine(join(disk, "convex"), ADMIN_KEY);
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, "ballast"), Buffer.alloc(bavail * bsize));
    for (const isRunning of [true, false]) {
      if (!isRunning) await full.stop("SIGKILL");
      const to = join(folder, `of-full-${isRunning}`);
      expect(await run("backup", [to], disk)).toEqual({ code: 0, output: expect.any(String) });
      expect(await run("check-data", [to])).toMatchObject({ code: 0 });
    }
  });
});

function smallDisk(kib: number): string {
  const disk = join(folder, "disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", disk]);
  mounts.push(disk);
  return disk;
}

describe("npm run check-data", { timeout: 60_000 }, () => {
  it("rejects data that the app is using", async () => {
    expect(await run("check-data", [])).toEqual({ code: 1, output: expect.stringContaining("Another process is using the data") });
  });

  it("accepts intact data, and moves damaged images with --set-aside", { tags: "slow" }, async () => {
    const dir = join(folder, "data");
    cpSync(await backUp(), dir, { recursive: true });
    expect(await run("check-data", [], dir)).toEqual({
      code: 0,
      output: expect.stringContaining(`its indexes and ${STORED} stored files`),
    });
    flip(image(dir));
    const found = await run("check-data", [], dir);
    expect(found).toEqual({
      code: 1,
      output: expect.stringMatching(/Problems in \S+ \(1\):\n.*does not match its sha256[\s\S]*restore the last backup/),
    });
    expect(await run("check-data", ["--set-aside"], dir)).toMatchObject({ code: 1 });
    expect([stored(dir).length, readdirSync(join(dir, "convex", "damaged")).length]).toEqual([STORED - 1, 1]);
  });
});

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { canMount } from "../../tests/harness/can-mount.ts";
import { openDatabase } from "@atelier/engine/testing/database";
import { pushFixture } from "@atelier/engine/testing/deployed";
import { ADMIN_KEY, createIssuer, type EngineProcess, startEngine } from "@atelier/engine/testing/harness";
import { messagesIn, runBackupCommand } from "../../tests/harness/backups.ts";
import { type Backup, listBackups, openBackup } from "./backup-records.ts";
import { checkBackups } from "./check-backups.ts";
import { folderTarget } from "./targets/folder-target.ts";
import { type BackupRun, runBackup } from "./run-backup.ts";
import { takeBackup } from "./take-backup.ts";
import type { Target } from "./targets/target.ts";

const root = mkdtempSync(join(tmpdir(), "atelier-backups-"));
const dataDir = join(root, "data");
const files = anyApi["files"]!;
const messages = anyApi["messages"]!;
const STORED = 6;
const keep = { days: 7, weeks: 4, months: 12 };
const NO_KEYS = { recipients: [], passphrase: null, identities: [] };
const NO_DECRYPTION = { identities: [], decrypts: () => false };
let engine: EngineProcess;
let project: string;
let to: string;
let tests = 0;
const mounts: string[] = [];

beforeAll(async () => {
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "secrets.json"), JSON.stringify({ secret: "s".repeat(32), engineAdminKey: ADMIN_KEY }));
  engine = await startEngine(join(dataDir, "convex"), ADMIN_KEY);
  project = await pushFixture(engine, await createIssuer());
  await send("first");
  for (let each = 0; each < STORED; each += 1) await upload(`stored file ${each} ${"x".repeat(5000)}`);
});
afterAll(async () => {
  await engine.stop("SIGKILL");
  rmSync(root, { recursive: true, force: true });
  rmSync(project, { recursive: true, force: true });
});
beforeEach(() => {
  to = join(root, `backups-${(tests += 1)}`);
  mkdirSync(to);
});
afterEach(() => {
  for (const path of mounts.splice(0)) execFileSync("umount", ["--lazy", path]);
});

const client = () => new ConvexHttpClient(engine.url, { logger: false });
const send = (body: string, channel = "kept") => client().mutation(messages["send"]!, { channel, body }, { skipQueue: true });
const upload = async (body: string) => {
  const answer = await fetch(await client().mutation(files["uploadUrl"]!, {}), { method: "POST", body });
  const { storageId }: { storageId: string } = await answer.json();
  return storageId;
};

const render = async () => ({ problems: [], rendered: 0 });
const run = (options: Partial<Parameters<typeof runBackup>[0]> = {}): Promise<BackupRun> =>
  runBackup({ dataDir, settings: { to, s3: null, keys: NO_KEYS, keep }, env: {}, render, ...options });

const tree = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1))
    .toSorted();
const parts = (dir = to) => tree(dir).filter((name) => /^(?:objects|backups|proofs)\//.test(name));

function emptyFolder(name: string): string {
  const path = join(root, `${name}-${tests}`);
  mkdirSync(path);
  return path;
}

const command = (script: "restore" | "check-data", args: string[], into: string, uid?: number) =>
  runBackupCommand(script, args, into, { uid });

describe("a scheduled backup", () => {
  it("stores each file once, and is restored and compared", async () => {
    const first = await run();
    expect(first).toMatchObject({ problems: [], removed: 0 });
    expect(first.newObjects).toBeGreaterThan(STORED);
    const before = new Map(parts().map((name) => [name, statSync(join(to, name)).ino]));
    await send("second");
    await upload("a new file");
    const second = await run();
    expect(second.problems).toEqual([]);
    expect(second.newObjects).toBeLessThan(first.newObjects);
    for (const [name, inode] of before) expect([name, statSync(join(to, name)).ino]).toEqual([name, inode]);
    expect(tree(to).filter((name) => !parts().includes(name))).toEqual(["backup.lock"]);
    expect(statSync(join(to, "objects")).mode & 0o077).toBe(0);
    expect(await checkBackups(folderTarget(to))).toMatchObject({ problems: [], backups: 2 });
  });

  it("is consistent while files are uploaded and deleted", async () => {
    const stopping = new AbortController();
    const written: number[] = [];
    const writer = (async () => {
      for (let n = 0; !stopping.signal.aborted; n += 1) {
        const id = await upload(`short-lived ${tests} ${n}`);
        await client().mutation(files["remove"]!, { id });
        await send(`${n}`);
        written.push(n);
      }
    })();
    await expect.poll(() => written.length).toBeGreaterThan(2);
    for (let each = 0; each < 3; each += 1) expect((await run()).problems).toEqual([]);
    stopping.abort();
    await writer;
  });

  it("is taken without a running deployment", async () => {
    await run();
    const rest = emptyFolder("rest");
    expect(await command("restore", [to], rest)).toMatchObject({ code: 0 });
    const other = emptyFolder("other");
    expect((await run({ dataDir: rest, settings: { to: other, s3: null, keys: NO_KEYS, keep } })).problems).toEqual([]);
    expect(tree(rest).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it("is refused in a folder with the backups of another deployment", async () => {
    await run();
    const other = emptyFolder("other");
    writeFileSync(join(other, "secrets.json"), JSON.stringify({ engineAdminKey: ADMIN_KEY }));
    openDatabase(join(other, "convex")).close();
    await expect(run({ dataDir: other })).rejects.toThrow("has the backups of another deployment");
    expect((await listBackups(folderTarget(to))).length).toBe(1);
  });

  it("is refused while another one uses the folder, and when the folder is missing", async () => {
    const unlock = await folderTarget(to).lock();
    await expect(run()).rejects.toThrow(`Another backup uses ${to}`);
    await unlock();
    rmSync(to, { recursive: true });
    await expect(run()).rejects.toThrow(`${to} cannot be used`);
    expect(existsSync(to)).toBe(false);
  });

  it("names a stored file that is damaged in the data, and stores the others", async () => {
    const dir = emptyFolder("damaged");
    await run();
    expect(await command("restore", [to], dir)).toMatchObject({ code: 0 });
    const [name = ""] = readdirSync(join(dir, "convex", "files"));
    writeFileSync(join(dir, "convex", "files", name), "wrong");
    const other = emptyFolder("other");
    const { problems } = await run({ dataDir: dir, settings: { to: other, s3: null, keys: NO_KEYS, keep } });
    expect(problems.join("\n")).toContain(name);
    expect(parts(other).length).toBeGreaterThan(STORED);
  });
});

describe("npm run restore from the folder of scheduled backups", () => {
  it("restores the newest backup, or the one that --backup names", async () => {
    await send("one", "chosen");
    const { name } = await run();
    await send("two", "chosen");
    await run();
    const before = tree(to);
    for (const [args, sent] of [
      [[to], ["one", "two"]],
      [[to, "--backup", name], ["one"]],
    ] as const) {
      const into = emptyFolder(`restored-${sent.length}`);
      expect(await command("restore", [...args], into)).toMatchObject({ code: 0 });
      expect(messagesIn(into, "chosen")).toEqual(sent);
      expect(readdirSync(join(into, "convex", "files")).length).toBeGreaterThanOrEqual(STORED);
      expect(readFileSync(join(into, "secrets.json"), "utf8")).toBe(readFileSync(join(dataDir, "secrets.json"), "utf8"));
    }
    expect(tree(to)).toEqual(before);
    const wrong = await command("restore", [to, "--backup", "yesterday"], emptyFolder("wrong"));
    expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining(`There is no backup yesterday in ${to}. Available backups:`) });
  });

  it.runIf(process.getuid?.() === 0)("restores as another user, or says who may read the backup", { tags: "slow" }, async () => {
    const NOBODY = 65_534;
    await run();
    chmodSync(root, 0o755);
    const into = emptyFolder("restored");
    chownSync(into, NOBODY, NOBODY);
    chmodSync(to, 0o700);
    const refused = await command("restore", [to], into, NOBODY);
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringContaining(`${to} cannot be read by user ${NOBODY}: it belongs to user 0`),
    });
    expect(refused.output).not.toMatch(/\n\s+at /);
    execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, to]);
    expect(await command("restore", [to], into, NOBODY)).toMatchObject({ code: 0 });
    expect(tree(into).map((name) => statSync(join(into, name)).uid)).toEqual(tree(into).map(() => NOBODY));
    expect(messagesIn(into)).toContain("first");
  });
});

function flip(name: string, place?: number): () => void {
  const path = join(to, name);
  const before = readFileSync(path);
  const changed = Buffer.from(before);
  const at = place ?? Math.floor(Math.random() * before.length);
  changed[at] = (changed[at] ?? 0) ^ (1 << Math.floor(Math.random() * 8));
  writeFileSync(path, changed);
  return () => writeFileSync(path, before);
}

function randomPlace(): { name: string; place: number } {
  const sizes = parts().map((name) => ({ name, size: statSync(join(to, name)).size }));
  let place = Math.floor(Math.random() * sizes.reduce((sum, { size }) => sum + size, 0));
  for (const { name, size } of sizes) {
    if (place < size) return { name, place };
    place -= size;
  }
  throw new Error("The backup is empty.");
}

async function expectFound(name: string, place?: number): Promise<void> {
  const undo = flip(name, place);
  const { problems } = await checkBackups(folderTarget(to));
  expect(problems).toEqual([expect.stringContaining(join(to, name))]);
  undo();
}

describe("a changed byte", () => {
  it("is found in every file of a backup, and the file is named", async () => {
    await run();
    for (const name of parts()) await expectFound(name);
    expect((await checkBackups(folderTarget(to))).problems).toEqual([]);
    flip(randomPlace().name);
    const checked = await command("check-data", [to], root);
    expect(checked).toMatchObject({ code: 1, output: expect.stringContaining("Problems in ") });
  });

  it("is found in 1,000 random places", { tags: "slow", timeout: 600_000 }, async () => {
    await run();
    for (let each = 0; each < 1000; each += 1) {
      const { name, place } = randomPlace();
      await expectFound(name, place);
    }
  });

  // The backups are of data at rest, so that each refers to the same objects.
  it("fails the test of the next backup, and the one after stores the file again", async () => {
    const picks: ((backup: Backup) => string)[] = [
      ({ secrets }) => secrets.sha256,
      ({ database }) => database.blocks[0] ?? "",
      ({ files: stored }) => stored[0]?.[1] ?? "",
    ];
    await run();
    const dir = emptyFolder("rest");
    expect(await command("restore", [to], dir)).toMatchObject({ code: 0 });
    to = emptyFolder("changed");
    const next = () => run({ dataDir: dir });
    for (const pick of picks) {
      const { name } = await next();
      const sha256 = pick((await openBackup(folderTarget(to), name, NO_DECRYPTION)).backup);
      const object = `objects/${sha256.slice(0, 2)}/${sha256}`;
      flip(object);
      expect((await next()).problems.join("\n")).toContain(join(to, object));
      expect(existsSync(join(to, "damaged", sha256))).toBe(true);
      expect(await next()).toMatchObject({ problems: [], newObjects: 1 });
      expect(existsSync(join(to, object))).toBe(true);
    }
  });

  it("fails a restore with the name of the file, unless damage is accepted", async () => {
    const { name } = await run();
    const { files: stored } = (await openBackup(folderTarget(to), name, NO_DECRYPTION)).backup;
    const sha256 = stored[0]?.[1] ?? "";
    const object = `objects/${sha256.slice(0, 2)}/${sha256}`;
    flip(object);
    const into = emptyFolder("restored");
    const refused = await command("restore", [to], into);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("nothing was restored") });
    expect(refused.output).toContain(join(to, object));
    expect(tree(into)).toEqual([]);
    expect(await command("restore", [to, "--accept-damaged"], into)).toMatchObject({ code: 0, output: expect.stringContaining(object) });
    rmSync(into, { recursive: true });
    mkdirSync(into);
    flip(`backups/${name}.json`);
    expect(await command("restore", [to, "--accept-damaged"], into)).toMatchObject({
      code: 1,
      output: expect.stringContaining(join(to, `backups/${name}.json`)),
    });
  });
});

describe("an interrupted backup", () => {
  const interruptedAt = (n: number): { target: Target; isReached: () => boolean } => {
    const target = folderTarget(to);
    let writes = 0;
    const write: Target["write"] = (name, content) => {
      writes += 1;
      if (writes > n) throw new Error("killed");
      return target.write(name, content);
    };
    return { target: { ...target, write }, isReached: () => writes > n };
  };

  it("leaves earlier backups complete, and the next one uses what it stored", async () => {
    for (let n = 0; ; n += 1) {
      await send(`interrupted at ${n}`);
      const { target, isReached } = interruptedAt(n);
      const unlock = await target.lock();
      await takeBackup({ dataDir, target, keys: NO_KEYS, fileBucket: null, version: "0.0.0", log: () => undefined }).catch(() => undefined);
      await unlock();
      expect((await checkBackups(folderTarget(to))).problems).toEqual([]);
      if (!isReached()) break;
    }
    expect(await run()).toMatchObject({ problems: [] });
  });

  it("can be killed at any moment", { tags: "slow", timeout: 600_000 }, async () => {
    const started = performance.now();
    await run();
    const usual = performance.now() - started;
    for (let each = 0; each < 20; each += 1) {
      await send(`before a kill ${each}`);
      await upload(`before a kill ${each} ${"y".repeat(100_000)}`);
      const child = spawn(process.execPath, ["--input-type=module", "--eval", RUN], {
        env: { PATH: process.env.PATH, RUN_DATA: dataDir, RUN_TO: to },
        stdio: "ignore",
      });
      const exited = once(child, "exit");
      await sleep(Math.random() * (usual + 600));
      child.kill("SIGKILL");
      await exited;
      expect((await checkBackups(folderTarget(to))).problems).toEqual([]);
    }
    expect(await run()).toMatchObject({ problems: [] });
    const into = emptyFolder("restored");
    expect(await command("restore", [to], into)).toMatchObject({ code: 0 });
  });
});

const RUN = `
  import { runBackup } from ${JSON.stringify(new URL("run-backup.ts", import.meta.url).href)};
  const { RUN_DATA: dataDir, RUN_TO: to } = process.env;
  const render = async () => ({ problems: [], rendered: 0 });
  await runBackup({ dataDir, settings: { to, s3: null, keys: { recipients: [], passphrase: null, identities: [] }, keep: { days: 7, weeks: 4, months: 12 } }, env: {}, render });
`;

describe.runIf(canMount())("a full disk", () => {
  it("is named, leaves earlier backups complete, and is no problem once it has space", async () => {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=48m", "tmpfs", to]);
    mounts.push(to);
    expect((await run()).problems).toEqual([]);
    for (const kib of [0, 40, 400, 1500]) {
      await send(`on a full disk ${kib}`);
      await upload(`on a full disk ${kib} ${"z".repeat(300_000)}`);
      execFileSync("sh", ["-c", `dd if=/dev/zero of=ballast bs=4k 2>/dev/null; truncate --size=-${kib}K ballast`], { cwd: to });
      const failed = await run().catch((error: unknown) => String(error));
      const reason = typeof failed === "string" ? failed : failed.problems.join("\n");
      expect([kib, reason]).toEqual([kib, expect.stringContaining(`${to} cannot be used, because its disk is full (ENOSPC)`)]);
      expect((await checkBackups(folderTarget(to))).problems).toEqual([]);
      rmSync(join(to, "ballast"));
    }
    expect((await run()).problems).toEqual([]);
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "@atelier/engine/testing/database";
import { pushFixture } from "@atelier/engine/testing/deployed";
import { ADMIN_KEY, createIssuer, type EngineProcess, startEngine } from "@atelier/engine/testing/harness";
import { messagesIn, runBackupCommand } from "../../../tests/harness/backups.ts";
import { type S3Server, startS3Server } from "../../../tests/harness/services/s3.ts";
import { backupName, listBackups, openBackup } from "../backup-records.ts";
import { bucketTarget } from "./bucket-target.ts";
import { checkBackups } from "../check-backups.ts";
import { type BackupRun, runBackup } from "../run-backup.ts";
import { DamageError } from "../objects/verified.ts";

const root = mkdtempSync(join(tmpdir(), "atelier-bucket-"));
const dataDir = join(root, "data");
const files = anyApi["files"]!;
const messages = anyApi["messages"]!;
const STORED = 6;
const keep = { days: 7, weeks: 4, months: 12 };
const NO_KEYS = { recipients: [], passphrase: null, identities: [] };
const NO_DECRYPTION = { identities: [], decrypts: () => false };
let engine: EngineProcess;
let project: string;
let server: S3Server;
let to: string;
let tests = 0;

beforeAll(async () => {
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "secrets.json"), JSON.stringify({ secret: "s".repeat(32), engineAdminKey: ADMIN_KEY }));
  [engine, server] = await Promise.all([startEngine(join(dataDir, "convex"), ADMIN_KEY), startS3Server({ pageSize: 5 })]);
  project = await pushFixture(engine, await createIssuer());
  await send("first");
  for (let each = 0; each < STORED; each += 1) await upload(`stored file ${each} ${"x".repeat(5000)}`);
});
afterAll(async () => {
  await Promise.all([engine.stop("SIGKILL"), server.stop()]);
  for (const path of [root, project]) rmSync(path, { recursive: true, force: true });
});
beforeEach(() => void (to = `s3://${server.bucket}/test-${(tests += 1)}`));
afterEach(async () => {
  await server.fail();
  await server.command({ do: "gone", gone: false });
});

const client = () => new ConvexHttpClient(engine.url, { logger: false });
const send = (body: string) => client().mutation(messages["send"]!, { channel: "kept", body }, { skipQueue: true });
async function upload(body: string): Promise<void> {
  const answer = await fetch(await client().mutation(files["uploadUrl"]!, {}), { method: "POST", body });
  expect(answer.status).toBe(200);
}

const render = async () => ({ problems: [], rendered: 0 });
const run = (options: Partial<Parameters<typeof runBackup>[0]> = {}): Promise<BackupRun> =>
  runBackup({ dataDir, settings: { to, s3: server.s3, keys: NO_KEYS, keep }, env: {}, render, ...options });
const target = (options: Partial<Parameters<typeof bucketTarget>[0]> = {}) =>
  bucketTarget({ location: to, s3: server.s3, workDir: join(root, "work"), firstPauseMs: 1, ...options });

type Listed = { key: string; size: number };
const stored = async (): Promise<Listed[]> => {
  const prefix = `${to.slice(`s3://${server.bucket}/`.length)}/`;
  const { objects } = await server.command({ do: "list" });
  return objects.filter(({ key }) => key.startsWith(prefix));
};
const addressOf = (key: string): string => `s3://${server.bucket}/${key}`;

function emptyFolder(name: string): string {
  const path = join(root, `${name}-${tests}`);
  mkdirSync(path);
  return path;
}

const command = (script: "restore" | "check-data", args: string[], into: string, uid?: number) =>
  runBackupCommand(script, args, into, { env: server.env, uid });

describe("a backup in a bucket", () => {
  it("stores each file once, and is restored and compared", async () => {
    const first = await run();
    expect(first).toMatchObject({ problems: [], removed: 0 });
    expect(first.newObjects).toBeGreaterThan(STORED);
    await send("second");
    await upload("a new file");
    await server.command({ do: "forget" });
    const second = await run();
    expect(second.problems).toEqual([]);
    expect(second.newObjects).toBeLessThan(first.newObjects);
    const { requests } = await server.command({ do: "list" });
    expect(requests.filter(({ method, key }) => method === "PUT" && key.includes("/objects/")).length).toBe(second.newObjects);
    expect(await checkBackups(target())).toMatchObject({ problems: [], backups: 2 });
    expect((await stored()).map(({ key }) => key).filter((key) => !/\/(?:objects|backups|proofs)\//.test(key))).toEqual([]);
    expect(existsSync(join(dataDir, "backup.partial"))).toBe(false);
  });

  it("is restored on another machine by another user", { tags: "slow" }, async () => {
    await send("restored");
    const { name } = await run();
    await send("later");
    await run();
    const NOBODY = process.getuid?.() === 0 ? 65_534 : undefined;
    const into = emptyFolder("restored");
    if (NOBODY !== undefined) for (const path of [root, into]) chownSync(path, NOBODY, NOBODY);
    expect(await command("restore", [to, "--backup", name], into, NOBODY)).toMatchObject({ code: 0 });
    expect(messagesIn(into)).toContain("restored");
    expect(messagesIn(into)).not.toContain("later");
    expect(readdirSync(join(into, "convex", "files")).length).toBeGreaterThanOrEqual(STORED);
    expect(readFileSync(join(into, "secrets.json"), "utf8")).toBe(readFileSync(join(dataDir, "secrets.json"), "utf8"));
    expect(statSync(join(into, "secrets.json")).uid).toBe(NOBODY ?? process.getuid?.());
    expect(await command("check-data", [to], into)).toMatchObject({ code: 0, output: expect.stringContaining("Checked: 2 backups") });
  });

  it("is refused in a bucket with the backups of another deployment", async () => {
    await run();
    const other = emptyFolder("other");
    writeFileSync(join(other, "secrets.json"), JSON.stringify({ engineAdminKey: ADMIN_KEY }));
    openDatabase(join(other, "convex")).close();
    await expect(run({ dataDir: other })).rejects.toThrow(`${to}/ has the backups of another deployment`);
    expect((await listBackups(target())).length).toBe(1);
  });

  it("is refused while another machine takes one, until its lease ends", async () => {
    const other = target({ workDir: join(root, "other-machine") });
    const unlock = await other.lock();
    await expect(run()).rejects.toThrow("Another machine takes a backup to");
    await server.command({ do: "age", ms: 11 * 60_000 });
    expect((await run()).problems).toEqual([]);
    await unlock();
    await expect(
      target({ workDir: join(dataDir, "backup.partial") })
        .lock()
        .then((release) => release()),
    ).resolves.toBeUndefined();
  });

  it("removes old backups and the objects that only they need", async () => {
    await run();
    const before = await stored();
    const { name } = await run();
    const old = backupName(new Date(Date.now() - 400 * 24 * 60 * 60_000));
    const all = target();
    const unlock = await all.lock();
    for (const folder of ["backups", "proofs"]) await all.write(`${folder}/${old}.json`, all.read(`${folder}/${name}.json`));
    await all.write(`objects/ff/${"f".repeat(64)}`, [Buffer.from("needed by no backup")]);
    await unlock();
    expect(await run({ settings: { to, s3: server.s3, keys: NO_KEYS, keep: { days: 1, weeks: 0, months: 0 } } })).toMatchObject({
      removed: 1,
      problems: [],
    });
    const names = (await stored()).map(({ key }) => key);
    expect(names.filter((key) => key.includes(old) || key.endsWith("f".repeat(64)))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(before.map(({ key }) => key)));
  });
});

describe("a bucket", () => {
  it("delays a backup, but not deletions, when it is slow", async () => {
    await server.fail({ kind: "slow", bytesPerSecond: 400_000 });
    const running = run();
    const id = await (async () => {
      const answer = await fetch(await client().mutation(files["uploadUrl"]!, {}), { method: "POST", body: "deleted meanwhile" });
      const { storageId }: { storageId: string } = await answer.json();
      return storageId;
    })();
    await client().mutation(files["remove"]!, { id });
    expect((await running).problems).toEqual([]);
  });

  it.each([
    ["full", { kind: "status", on: "PUT", key: "/objects/", status: 403, code: "QuotaExceeded" }, "it is full (QuotaExceeded)"],
    ["forbidden", { kind: "status", status: 403, code: "AccessDenied" }, "this key may not use it (AccessDenied)"],
  ] as const)("that is %s is named, leaves earlier backups complete, and is no problem later", async (_name, fault, reason) => {
    await run();
    await send(`before a failure ${tests}`);
    await server.fail(fault);
    const error = await run().catch(String);
    expect(error).toBe(`Error: ${to} cannot be used, because ${reason}.`);
    expect(readdirSync(dataDir).toSorted()).toEqual(["convex", "secrets.json"]);
    await server.fail();
    expect((await checkBackups(target())).problems).toEqual([]);
    expect((await run()).problems).toEqual([]);
  });

  it("is named in the message and not created if it does not exist", async () => {
    await server.command({ do: "gone", gone: true });
    await expect(run()).rejects.toThrow(`${to} cannot be used, because the bucket does not exist (NoSuchBucket).`);
    const restored = await command("restore", [to], emptyFolder("restored"));
    expect(restored).toMatchObject({ code: 1, output: "The bucket cannot be used, because the bucket does not exist (NoSuchBucket).\n" });
    for (const secret of [server.s3.accessKeyId, server.s3.secretAccessKey]) expect(restored.output).not.toContain(secret);
  });

  it("gets a complete backup although it loses connections and answers 503", async () => {
    await server.fail(
      { kind: "drop", on: "PUT", key: "/objects/", times: 1 },
      { kind: "status", on: "PUT", key: "/objects/", times: 1 },
      { kind: "drop-answer", on: "PUT", key: "/objects/", times: 1 },
      { kind: "cut", on: "GET", key: "/objects/", times: 3 },
      { kind: "status", on: "PUT", key: "/backups/", times: 1 },
    );
    expect((await run()).problems).toEqual([]);
  });

  it("fails the test of a backup with wrong bytes; the object is stored again", async () => {
    const { name } = await run();
    const sha256 = (await openBackup(target(), name, NO_DECRYPTION)).backup.files[0]?.[1] ?? "";
    const object = `objects/${sha256.slice(0, 2)}/${sha256}`;
    await server.fail({ kind: "wrong", on: "GET", key: object });
    const { problems } = await run();
    expect(problems).toEqual([expect.stringContaining(`${to}/${object} (stored file`)]);
    await server.fail();
    expect((await stored()).map(({ key }) => addressOf(key))).toEqual(expect.arrayContaining([`${to}/damaged/${sha256}`]));
    const again = await run();
    expect(again.problems).toEqual([]);
    expect((await stored()).map(({ key }) => addressOf(key))).toContain(`${to}/${object}`);
  });
});

async function expectFound({ key, size }: Listed): Promise<void> {
  const change = { do: "flip", key, at: Math.floor(Math.random() * size), mask: 1 << Math.floor(Math.random() * 8) } as const;
  await server.command(change);
  expect((await checkBackups(target())).problems).toEqual([expect.stringContaining(addressOf(key))]);
  await server.command(change);
}

describe("a changed byte in a bucket", () => {
  it("is found in every object, and the object is named", async () => {
    await run();
    for (const each of await stored()) await expectFound(each);
    expect((await checkBackups(target())).problems).toEqual([]);
  });

  it("is found in 1,000 random places", { tags: "slow", timeout: 900_000 }, async () => {
    await run();
    const all = await stored();
    for (let each = 0; each < 1000; each += 1) await expectFound(all[Math.floor(Math.random() * all.length)] ?? { key: "", size: 0 });
  });

  it("makes a restore fail that names the object, unless it is accepted", async () => {
    const { name } = await run();
    const sha256 = (await openBackup(target(), name, NO_DECRYPTION)).backup.files[0]?.[1] ?? "";
    const key = `${to.slice(`s3://${server.bucket}/`.length)}/objects/${sha256.slice(0, 2)}/${sha256}`;
    await server.command({ do: "flip", key, at: 3, mask: 4 });
    const into = emptyFolder("restored");
    const refused = await command("restore", [to], into);
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining("nothing was restored") });
    expect(refused.output).toContain(addressOf(key));
    expect(readdirSync(into)).toEqual([]);
    expect(await command("restore", [to, "--accept-damaged"], into)).toMatchObject({
      code: 0,
      output: expect.stringContaining(addressOf(key)),
    });
  });
});

describe("an interrupted backup to a bucket", () => {
  it("is continued after each request that failed", async () => {
    await run();
    for (let n = 1; ; n += 1) {
      await send(`interrupted at ${n}`);
      await upload(`interrupted at ${n}`);
      await server.fail(
        ...(n > 1 ? [{ kind: "slow" as const, key: "/(?:objects|backups|proofs)/", on: "PUT" as const, times: n - 1 }] : []),
        { kind: "status", status: 403, code: "AccessDenied", key: "/(?:objects|backups|proofs)/", on: "PUT" },
      );
      const outcome = await run().catch(String);
      await server.fail();
      expect((await checkBackups(target())).problems).toEqual([]);
      if (typeof outcome !== "string") break;
    }
    expect((await run()).problems).toEqual([]);
  });

  it("survives a kill at any moment", { tags: "slow", timeout: 600_000 }, async () => {
    const started = performance.now();
    await run();
    const usual = performance.now() - started;
    for (let each = 0; each < 20; each += 1) {
      await send(`before a kill ${each}`);
      await upload(`before a kill ${each} ${"y".repeat(100_000)}`);
      const child: ChildProcess = spawn(process.execPath, ["--input-type=module", "--eval", RUN], {
        env: { PATH: process.env.PATH, RUN_SETTINGS: JSON.stringify({ dataDir, settings: { to, s3: server.s3, keys: NO_KEYS, keep } }) },
        stdio: "ignore",
      });
      const exited = once(child, "exit");
      await sleep(Math.random() * (usual + 600));
      child.kill("SIGKILL");
      await exited;
      expect((await checkBackups(target())).problems).toEqual([]);
    }
    expect((await run()).problems).toEqual([]);
    expect(await command("restore", [to], emptyFolder("restored"))).toMatchObject({ code: 0 });
  });

  it("continues a large object in the middle, and removes one with wrong content", async () => {
    const content = randomBytes(100_000);
    const parts = target({ partBytes: 16_384 });
    const unlock = await parts.lock();
    try {
      await server.fail(
        { kind: "slow", on: "PUT", key: "large", times: 4 },
        { kind: "status", status: 403, code: "AccessDenied", on: "PUT", key: "large" },
      );
      await expect(parts.write("objects/large", [content])).rejects.toThrow("AccessDenied");
      await server.fail();
      await server.command({ do: "forget" });
      await parts.write("objects/large", [content]);
      const { requests, uploads } = await server.command({ do: "list" });
      expect(requests.filter(({ query }) => query.includes("partNumber=")).length).toBe(3);
      expect(uploads).toBe(0);
      expect((await buffer(parts.read("objects/large"))).equals(content)).toBe(true);
      const damaged = async function* () {
        yield content;
        throw new DamageError("damaged");
      };
      await expect(parts.write("objects/other", damaged())).rejects.toThrow("damaged");
      expect(await server.command({ do: "list" })).toMatchObject({ uploads: 0 });
      expect((await stored()).map(({ key }) => key).filter((key) => key.includes("other"))).toEqual([]);
    } finally {
      await unlock();
    }
  });

  it("leaves no parts that the service charges for after a week", async () => {
    const parts = target({ partBytes: 16_384 });
    const unlock = await parts.lock();
    await server.fail({ kind: "status", status: 403, code: "AccessDenied", on: "PUT", key: "large" });
    await expect(parts.write("objects/large", [randomBytes(50_000)])).rejects.toThrow("AccessDenied");
    await server.fail();
    await unlock();
    expect((await server.command({ do: "list" })).uploads).toBe(1);
    await server.command({ do: "age", ms: 8 * 24 * 60 * 60_000 });
    await (
      await parts.lock()
    )();
    expect((await server.command({ do: "list" })).uploads).toBe(0);
  });
});

const RUN = `
  import { runBackup } from ${JSON.stringify(new URL("../run-backup.ts", import.meta.url).href)};
  await runBackup({ ...JSON.parse(process.env.RUN_SETTINGS), env: {}, render: async () => ({ problems: [], rendered: 0 }) });
`;

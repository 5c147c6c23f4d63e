import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { Decrypter, generateHybridIdentity, generateX25519Identity, identityToRecipient } from "age-encryption";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pushFixture } from "@atelier/engine/testing/deployed";
import { ADMIN_KEY, createIssuer, type EngineProcess, startEngine } from "@atelier/engine/testing/harness";
import { messagesIn, runBackupCommand } from "../../tests/harness/backups.ts";
import { type S3Server, startS3Server } from "../../tests/harness/services/s3.ts";
import { openBackup } from "./backup-records.ts";
import { checkBackups } from "./check-backups.ts";
import { type BackupKeys, openEncryption } from "./objects/encrypted-objects.ts";
import { folderTarget } from "./targets/folder-target.ts";
import { openTarget } from "./targets/open-target.ts";
import { type BackupRun, runBackup } from "./run-backup.ts";
import type { Target } from "./targets/target.ts";
import { DamageError } from "./objects/verified.ts";

const root = mkdtempSync(join(tmpdir(), "atelier-encrypted-"));
const dataDir = join(root, "data");
const files = anyApi["files"]!;
const messages = anyApi["messages"]!;
const PASSPHRASE = "correct horse battery staple";
const NO_KEYS: BackupKeys = { recipients: [], passphrase: null, identities: [] };
const keep = { days: 7, weeks: 4, months: 12 };
const MARK = "a sentence that must not be readable";
let engine: EngineProcess;
let project: string;
let server: S3Server;
let identity: string;
let recipient: string;
let tests = 0;

beforeAll(async () => {
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, "secrets.json"), JSON.stringify({ secret: "s".repeat(32), engineAdminKey: ADMIN_KEY }));
  [engine, server, identity] = await Promise.all([
    startEngine(join(dataDir, "convex"), ADMIN_KEY),
    startS3Server({ pageSize: 5 }),
    generateX25519Identity(),
  ]);
  recipient = await identityToRecipient(identity);
  project = await pushFixture(engine, await createIssuer());
  await send(MARK);
  for (let each = 0; each < 3; each += 1) await upload(`${MARK} ${each} ${"x".repeat(5000)}`);
});
afterAll(async () => {
  await Promise.all([engine.stop("SIGKILL"), server.stop()]);
  for (const path of [root, project]) rmSync(path, { recursive: true, force: true });
});
beforeEach(() => void (tests += 1));

const client = () => new ConvexHttpClient(engine.url, { logger: false });
const send = (body: string) => client().mutation(messages["send"]!, { channel: "kept", body }, { skipQueue: true });
async function upload(body: string): Promise<void> {
  const answer = await fetch(await client().mutation(files["uploadUrl"]!, {}), { method: "POST", body });
  expect(answer.status).toBe(200);
}

function emptyFolder(name: string): string {
  const path = join(root, `${name}-${tests}`);
  mkdirSync(path, { recursive: true });
  return path;
}

const PLACES = ["folder", "bucket"] as const;
const placeOf = (kind: (typeof PLACES)[number]): string => (kind === "folder" ? emptyFolder("to") : `s3://${server.bucket}/test-${tests}`);

const render = async () => ({ problems: [], rendered: 0 });
const run = (to: string, keys: Partial<BackupKeys>): Promise<BackupRun> =>
  runBackup({ dataDir, settings: { to, s3: server.s3, keys: { ...NO_KEYS, ...keys }, keep }, env: {}, render });
const targetOf = (to: string): Target => openTarget({ to, s3: server.s3, keys: NO_KEYS }, join(root, "work"));

async function contentsOf(target: Target): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const folder of ["objects", "backups", "proofs", "keys"])
    for (const name of (await target.list(folder)).keys()) found.set(name, await buffer(target.read(name)));
  return found;
}

const command = (script: "restore" | "check-data", args: string[], into: string, env: Record<string, string>) =>
  runBackupCommand(script, args, into, { env: { ...server.env, ...env } });

describe.each(PLACES)("a backup to recipients in a %s", (kind) => {
  it("is unreadable, stores each file once, and is tested without the identity", async () => {
    const to = placeOf(kind);
    const first = await run(to, { recipients: [recipient] });
    expect(first.problems).toEqual([]);
    const stored = await contentsOf(targetOf(to));
    for (const [name, content] of stored) expect([name, content.includes(MARK), content.includes(ADMIN_KEY)]).toEqual([name, false, false]);
    await upload(`one more ${tests}`);
    const second = await run(to, { recipients: [recipient] });
    expect(second.problems).toEqual([]);
    expect(second.newObjects).toBeLessThan(first.newObjects);
    const later = await contentsOf(targetOf(to));
    for (const [name, content] of stored) expect([name, later.get(name)?.equals(content)]).toEqual([name, true]);
    expect(await checkBackups(targetOf(to))).toMatchObject({ problems: [], backups: 2 });
    expect(readdirSync(dataDir).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it("is restored with an identity of one recipient, and names a missing or wrong one", async () => {
    const to = placeOf(kind);
    const other = await generateX25519Identity();
    await run(to, { recipients: [await identityToRecipient(await generateX25519Identity()), recipient] });
    const into = emptyFolder("restored");
    const missing = await command("restore", [to], into, {});
    expect(missing).toMatchObject({
      code: 1,
      output: expect.stringMatching(/is encrypted\. Set BACKUP_IDENTITY, BACKUP_IDENTITY_FILE or BACKUP_PASSPHRASE\.\n$/),
    });
    const wrong = await command("restore", [to], into, { BACKUP_IDENTITY: other });
    expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining("None of the keys decrypts") });
    expect(wrong.output).not.toContain(other);
    expect(readdirSync(into)).toEqual([]);
    const keyFile = join(root, `key-${tests}.txt`);
    writeFileSync(keyFile, `# created: 2026-11-27T00:00:00Z\n# public key: ${recipient}\n${identity}\n`);
    expect(await command("restore", [to], into, { BACKUP_IDENTITY_FILE: keyFile })).toMatchObject({ code: 0 });
    expect(messagesIn(into)).toContain(MARK);
    expect(readFileSync(join(into, "secrets.json"), "utf8")).toBe(readFileSync(join(dataDir, "secrets.json"), "utf8"));
    expect(await command("check-data", [], into, {})).toMatchObject({ code: 0 });
  });

  it("names an object with a changed byte, without and with the identity", async () => {
    const to = placeOf(kind);
    await run(to, { recipients: [recipient] });
    const target = targetOf(to);
    for (const [name, content] of await contentsOf(target)) {
      const undo = await flip(to, name, Math.floor(Math.random() * content.length));
      expect((await checkBackups(target)).problems).toEqual([expect.stringContaining(target.describe(name))]);
      await undo();
    }
    const [name = ""] = (await target.list("objects")).keys();
    await flip(to, name, 300);
    const restored = await command("restore", [to], emptyFolder("restored"), { BACKUP_IDENTITY: identity });
    expect(restored).toMatchObject({ code: 1, output: expect.stringContaining(target.describe(name)) });
  });

  it("fails its test when an object is damaged; the next backup stores it again", async () => {
    const to = placeOf(kind);
    const { name } = await run(to, { recipients: [recipient] });
    const { backup, reader } = await openBackup(targetOf(to), name, { identities: [identity], decrypts: () => true });
    const [, sha256 = "", size = 0] = backup.files[0] ?? [];
    const object = reader.nameOf({ sha256, size }) ?? "";
    await flip(to, object, 400);
    const { problems } = await run(to, { recipients: [recipient] });
    expect(problems.join("\n")).toContain(targetOf(to).describe(object));
    expect((await run(to, { recipients: [recipient] })).problems).toEqual([]);
    expect(await command("restore", [to], emptyFolder("restored"), { BACKUP_IDENTITY: identity })).toMatchObject({ code: 0 });
  });
});

async function flip(to: string, name: string, at: number): Promise<() => Promise<void>> {
  const change = async (): Promise<void> => {
    if (to.startsWith("s3:")) return void (await server.command({ do: "flip", key: `test-${tests}/${name}`, at, mask: 8 }));
    const content = readFileSync(join(to, name));
    content[at] = (content[at] ?? 0) ^ 8;
    writeFileSync(join(to, name), content);
  };
  await change();
  return change;
}

describe("a backup with a passphrase", () => {
  it("is tested and restored with it, and refuses another one", { timeout: 240_000 }, async () => {
    const to = placeOf("folder");
    const keys = { passphrase: PASSPHRASE };
    const first = await run(to, keys);
    const second = await run(to, keys);
    expect([first.problems, second.problems]).toEqual([[], []]);
    expect(second.newObjects).toBeLessThan(first.newObjects);
    expect((await folderTarget(to).list("keys")).size).toBe(1);
    await expect(run(to, { passphrase: "another passphrase" })).rejects.toThrow("BACKUP_PASSPHRASE is wrong");
    const into = emptyFolder("restored");
    const wrong = await command("restore", [to], into, { BACKUP_PASSPHRASE: "another passphrase" });
    expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining("BACKUP_PASSPHRASE is wrong: it does not open the keys in") });
    expect(wrong.output).not.toContain("another passphrase");
    expect(await command("restore", [to], into, { BACKUP_PASSPHRASE: PASSPHRASE })).toMatchObject({ code: 0 });
    expect(messagesIn(into)).toContain(MARK);
    const [name = ""] = (await folderTarget(to).list("keys")).keys();
    await flip(to, name, 100);
    expect((await checkBackups(folderTarget(to))).problems).toEqual([expect.stringContaining(join(to, name))]);
  });
});

describe("encrypted objects", () => {
  const secret = "deployment";
  const open = (target: Target, recipients: string[]) => openEncryption({ target, keys: { ...NO_KEYS, recipients }, secret });
  const idOf = (content: Buffer, sha256: string) => ({ sha256, size: content.length });

  it("are stored again for other recipients, and have names that do not reveal them", async () => {
    const target = folderTarget(emptyFolder("objects"), join(root, "work"));
    const unlock = await target.lock();
    const content = Buffer.from("content");
    const id = idOf(content, "a".repeat(64));
    const other = await identityToRecipient(await generateX25519Identity());
    const { writer, nameOf } = await open(target, [recipient]);
    await writer.write(id, [content]);
    expect(nameOf(id)).not.toContain("a".repeat(32));
    expect((await open(target, [recipient])).writer.has(id)).toBe(true);
    expect((await open(target, [recipient, other])).writer.has(id)).toBe(false);
    expect((await openEncryption({ target, keys: { ...NO_KEYS, recipients: [recipient] }, secret: "other" })).writer.has(id)).toBe(false);
    await unlock();
  });

  it.each(["age1…", "age1pq1…"])("are streamed above the memory limit, and age itself decrypts them for %s", async (kind) => {
    const key = kind === "age1…" ? identity : await generateHybridIdentity();
    const target = folderTarget(emptyFolder("objects"), join(root, "work"));
    const unlock = await target.lock();
    const content = randomBytes(9_000_000);
    const id = idOf(content, "b".repeat(64));
    const { writer, nameOf } = await open(target, [await identityToRecipient(key)]);
    await writer.write(id, [content.subarray(0, 5_000_000), content.subarray(5_000_000)]);
    expect(readdirSync(target.scratch)).toEqual([]);
    const decrypter = new Decrypter();
    decrypter.addIdentity(key);
    const decrypted = await decrypter.decrypt(await buffer(target.read(nameOf(id) ?? "")));
    expect(Buffer.from(decrypted).equals(content)).toBe(true);
    await unlock();
  });

  it("are not stored when their source is damaged", async () => {
    const target = folderTarget(emptyFolder("objects"), join(root, "work"));
    const unlock = await target.lock();
    const { writer } = await open(target, [recipient]);
    for (const size of [10, 9_000_000]) {
      const damaged = (async function* () {
        yield Buffer.alloc(size);
        throw new DamageError("damaged here");
      })();
      await expect(writer.write({ sha256: "c".repeat(64), size }, damaged)).rejects.toThrow("damaged here");
    }
    expect((await target.list("objects")).size).toBe(0);
    await unlock();
  });
});

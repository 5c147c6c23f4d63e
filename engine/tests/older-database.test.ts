import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ConvexHttpClient } from "convex/browser";
import { anyApi } from "convex/server";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { writeLastCommit } from "../src/storage/last-commit.ts";
import { pushFixture } from "./deployed.ts";
import { ADMIN_KEY, createIssuer, removeFolder, startEngine, temporaryFolder, type EngineProcess } from "./harness.ts";

const STORED = 191;
const files = anyApi["files"]!;
const folders: string[] = [];
let data: string;
let engine: EngineProcess | null = null;

beforeEach(() => {
  folders.push((data = temporaryFolder("older")));
});
afterEach(async () => {
  await engine?.stop("SIGKILL");
  folders.splice(0).forEach(removeFolder);
});

const database = () => join(data, "deployment.sqlite3");
const stored = () => readdirSync(join(data, "files"));
const quarantined = () => (existsSync(join(data, "quarantine")) ? readdirSync(join(data, "quarantine"), { recursive: true }) : []);

async function start(...args: string[]): Promise<EngineProcess> {
  engine = await startEngine(data, ADMIN_KEY, undefined, args);
  return engine;
}

async function store(count: number): Promise<string[]> {
  const client = new ConvexHttpClient(engine?.url ?? "", { logger: false });
  const url: string = await client.mutation(files["uploadUrl"]!, {});
  const storeOne = async (_: unknown, each: number): Promise<string> => {
    const response = await fetch(url, { method: "POST", body: `file ${each}` });
    const { storageId }: { storageId: string } = await response.json();
    return storageId;
  };
  return Promise.all(Array.from({ length: count }, storeOne));
}

async function acceptedTime(): Promise<string> {
  const refusal = await start().then(
    () => "",
    (error: unknown) => String(error),
  );
  return /ACCEPT_OLDER_DATABASE=(\S+)/.exec(refusal)?.[1] ?? "";
}

let template: string | null = null;
afterAll(() => template !== null && removeFolder(template));

async function filled(): Promise<void> {
  if (template === null) {
    folders.push(await pushFixture(await start(), await createIssuer()));
    await store(STORED);
    if ((await engine?.stop()) !== 0) throw new Error(engine?.errors());
    template = temporaryFolder("older-template");
    cpSync(data, template, { recursive: true });
  }
  rmSync(data, { recursive: true });
  cpSync(template, data, { recursive: true });
  expect(stored()).toHaveLength(STORED);
}

function removeDatabase(): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(database() + suffix, { force: true });
}

function emptyDatabase(): void {
  removeDatabase();
  const sql = new DatabaseSync(database());
  sql.exec("CREATE TABLE t (x); DROP TABLE t");
  sql.close();
}

it.each([
  ["is missing", removeDatabase, /deployment\.sqlite3 is missing, but .*files contains stored files/],
  ["has no bytes", () => truncateSync(database()), /deployment\.sqlite3 is empty, but/],
  ["has no tables", emptyDatabase, /deployment\.sqlite3 is empty, but/],
])("refuses to start when the database %s", { tags: "slow" }, async (_what, damage, message) => {
  await filled();
  cpSync(database(), join(data, "kept"));
  damage();
  await expect(start()).rejects.toThrow(message);
  await expect(start()).rejects.toThrow(/start with ACCEPT_OLDER_DATABASE=20\S+Z \(engine: --accept-older-database TIME\)/);
  expect(stored()).toHaveLength(STORED);
  removeDatabase();
  renameSync(join(data, "kept"), database());
  await start();
  expect(await engine?.stop()).toBe(0);
  expect(stored()).toHaveLength(STORED);
});

it("refuses to start with a database that is older than the stored files", { tags: "slow" }, async () => {
  await filled();
  cpSync(database(), join(data, "older"));
  await start();
  await store(3);
  expect(await engine?.stop()).toBe(0);
  renameSync(join(data, "older"), database());
  await expect(start()).rejects.toThrow(
    /is older than the stored files beside it: its newest commit is of 20.*T.*Z, but this deployment stored a commit at 20/,
  );
  expect(stored()).toHaveLength(STORED + 3);
});

it("quarantines files without a row once accepted, and restores them with rows", { tags: "slow" }, async () => {
  await filled();
  cpSync(database(), join(data, "older"));
  cpSync(database(), join(data, "oldest"));
  await start();
  await store(3);
  expect(await engine?.stop()).toBe(0);
  renameSync(database(), join(data, "newer"));
  renameSync(join(data, "older"), database());
  const accepted = await acceptedTime();
  await start("--accept-older-database", accepted);
  await expect.poll(() => stored().length).toBe(STORED);
  await expect.poll(() => engine?.errors()).toContain("ACCEPT_OLDER_DATABASE was needed for this start");
  await store(1);
  expect(await engine?.stop()).toBe(0);

  cpSync(database(), join(data, "current"));
  renameSync(join(data, "oldest"), database());
  await expect(start("--accept-older-database", accepted)).rejects.toThrow(/is older than the stored files/);
  renameSync(join(data, "current"), database());
  await start("--accept-older-database", accepted);
  await expect.poll(() => engine?.errors()).toContain("ACCEPT_OLDER_DATABASE has no effect");
  expect(await engine?.stop()).toBe(0);
  expect(stored()).toHaveLength(STORED + 1);
  expect(quarantined().filter((name) => String(name).includes("-"))).toHaveLength(1 + 3);

  renameSync(join(data, "newer"), database());
  await start("--accept-older-database", await acceptedTime());
  await expect.poll(() => stored().length).toBe(STORED + 3);
});

it("keeps and logs more unreferenced files than a crash leaves", async () => {
  await filled();
  const strays = Array.from({ length: 11 }, (_, each) => `stray-${each}`);
  for (const each of strays) writeFileSync(join(data, "files", each), each);
  await start();
  await expect
    .poll(() => engine?.errors())
    .toContain(`11 of ${STORED + 11} stored files have no row in the database: too many to be left by a crash`);
  expect(stored()).toHaveLength(STORED + 11);
  expect(engine?.errors()).toMatch(/start with ACCEPT_OLDER_DATABASE=20\S+Z/);
  expect(await engine?.stop()).toBe(0);
  rmSync(join(data, "files", "stray-0"));
  await start();
  await expect.poll(() => engine?.errors()).toContain(`10 of ${STORED + 10} stored files have no row in the database: moved to`);
  expect(stored()).toHaveLength(STORED);
});

it("starts without a last commit timestamp, as in an earlier version's data", async () => {
  await filled();
  rmSync(join(data, "last-commit"));
  await start();
  await expect.poll(() => existsSync(join(data, "last-commit"))).toBe(true);
});

it("starts in a folder that contains only the last commit timestamp", async () => {
  writeLastCommit(data, 1n);
  await start();
  await expect.poll(() => readFileSync(join(data, "last-commit"), "utf8")).not.toBe("1\n");
});

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { log } from "../logging/log.ts";
import { backupName, writeProof, writeBackup } from "./backup-records.ts";
import { isDue, isOverdue } from "./backup-status.ts";
import { folderTarget } from "./targets/folder-target.ts";
import { removeOldBackups } from "./retention.ts";
import { type Backups, scheduleBackups } from "./schedule-backups.ts";
import type { WorkerMessage } from "./worker.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const keep = { days: 1, weeks: 0, months: 0 };
const NO_KEYS = { recipients: [], passphrase: null, identities: [] };
let to: string;
let backups: Backups | null = null;

beforeEach(() => {
  to = mkdtempSync(join(tmpdir(), "atelier-schedule-"));
  mkdirSync(join(to, "partial"));
  for (const level of ["info", "warn", "error"] as const) vi.spyOn(log, level).mockImplementation(() => undefined);
});
afterEach(async () => {
  await backups?.close();
  backups = null;
  rmSync(to, { recursive: true });
});

async function store(age: number, problems: string[] | null): Promise<string> {
  const target = folderTarget(to);
  const at = new Date(Date.now() - age);
  const name = backupName(at);
  const hash = "0".repeat(64);
  await writeBackup(
    target,
    name,
    {
      format: 1,
      takenAt: at.toISOString(),
      version: "0.0.0",
      deployment: hash,
      latest: "1",
      secrets: { sha256: hash, size: 0 },
      database: { size: 0, blocks: [] },
      tables: {},
      files: [],
    },
    null,
  );
  if (problems) await writeProof(target, name, { testedAt: at.toISOString(), problems, pages: 0 });
  return name;
}

function schedule(outcomes: (() => Promise<WorkerMessage>)[]): {
  runs: () => number;
  recorded: { name: string | null; isProven: boolean }[];
} {
  let runs = 0;
  const recorded: { name: string | null; isProven: boolean }[] = [];
  const onOutcome = (outcome: (typeof recorded)[number]) => void recorded.push(outcome);
  const run = async () => {
    runs += 1;
    return (await outcomes[runs - 1]?.()) ?? { failure: "not expected" };
  };
  backups = scheduleBackups({ settings: { to, s3: null, keys: NO_KEYS, schedule: "@daily", keep }, log, onOutcome, run, firstDelayMs: 0 });
  return { runs: () => runs, recorded };
}

const passed = async (): Promise<WorkerMessage> => ({
  run: { name: await store(0, []), problems: [], newObjects: 1, newBytes: 1, pages: 1, removed: 0, seconds: 1 },
});

it("takes a backup at once when there is none, and reports its passed test", async () => {
  const { recorded } = schedule([passed]);
  expect([backups?.isProven(), backups?.ageSeconds()]).toEqual([false, Infinity]);
  await vi.waitFor(() => expect(backups?.isProven()).toBe(true), 10_000);
  expect(backups?.warning()).toBeNull();
  expect(recorded).toEqual([{ name: expect.any(String), isProven: true }]);
  expect(backups?.ageSeconds()).toBeLessThan(60);
  expect(log.info).toHaveBeenCalledWith(expect.objectContaining({ pages: 1 }), "a backup was taken, restored and compared");
});

it("takes no backup after a restart when the last one is current", async () => {
  await store(1000, []);
  const { runs } = schedule([]);
  await vi.waitFor(() => expect(backups?.isProven()).toBe(true), 10_000);
  expect(runs()).toBe(0);
});

it.each<[string, () => Promise<WorkerMessage>, string, string]>([
  ["was not taken", async () => ({ failure: "its disk is full" }), "the last backup failed", "no backup was taken"],
  [
    "failed its test",
    async () => ({
      run: {
        name: await store(0, ["objects/ab is missing."]),
        problems: ["objects/ab is missing."],
        newObjects: 1,
        newBytes: 1,
        pages: 0,
        removed: 0,
        seconds: 1,
      },
    }),
    "the last backup failed its test",
    "a backup failed its test: it may not be complete when it is needed",
  ],
])("warns without names of files when a backup %s, and logs the reason", async (_what, outcome, warning, logged) => {
  const { recorded } = schedule([outcome]);
  await vi.waitFor(() => expect(log.error).toHaveBeenCalledWith(expect.anything(), logged), 10_000);
  await vi.waitFor(() => expect(backups?.warning()).toBe(warning), 10_000);
  expect(backups?.isProven()).toBe(false);
  expect(recorded[0]).toMatchObject({ isProven: false });
});

it("is due at a scheduled time, after a failed test and after an interruption", () => {
  const at = (age: number) => backupName(new Date(Date.now() - age));
  const proof = { testedAt: "2026-11-26T00:00:00.000Z", problems: Array<string>(), pages: 1 };
  const failed = { ...proof, problems: ["x"] };
  const due = (age: number, tested: typeof proof | null) =>
    isDue("@daily", { newest: { name: at(age), proof: tested }, newestProven: null }, Date.now());
  expect([due(DAY, proof), due(0, failed), due(0, null), due(0, proof)]).toEqual([true, true, true, false]);
  expect(isDue("@daily", { newest: null, newestProven: null }, Date.now())).toBe(true);
});

it("is overdue after two times of the schedule", () => {
  const name = backupName(new Date("2026-11-24T02:00:10.000Z"));
  const overdue = (now: string) => isOverdue("0 2 * * *", name, Date.parse(now));
  expect([overdue("2026-11-26T01:59:00.000Z"), overdue("2026-11-26T02:01:00.000Z")]).toEqual([false, true]);
});

it("never removes the last backup that passed its test", async () => {
  const proven = await store(40 * DAY, []);
  const failed = await store(3 * DAY, ["x"]);
  const newest = await store(0, ["x"]);
  const target = folderTarget(to);
  expect(await removeOldBackups(target, keep)).toBe(1);
  const names = [...(await target.list("backups")).keys()];
  expect(names.map((path) => path.slice(8, -5))).toEqual(expect.arrayContaining([proven, newest]));
  expect(names.join("\n")).not.toContain(failed);
});

it("removes nothing when a backup that stays cannot be read", async () => {
  await store(40 * DAY, []);
  const damaged = await store(0, []);
  const target = folderTarget(to);
  await target.write(`backups/${damaged}.json`, [Buffer.from("damaged")]);
  await expect(removeOldBackups(target, keep)).rejects.toThrow(`${damaged}.json does not match its sha256`);
  expect((await target.list("backups")).size).toBe(2);
});

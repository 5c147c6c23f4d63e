import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FILE_NAME } from "@atelier/engine/database-file";
import { MIN_FREE_BYTES } from "../deployment/data-dir.ts";
import { stageData } from "./stage-data.ts";

const { disk } = vi.hoisted(() => ({ disk: { hasLinks: true } }));
vi.mock(import("node:fs/promises"), async (load) => {
  const original = await load();
  const link: typeof original.link = (from, to) =>
    disk.hasLinks ? original.link(from, to) : Promise.reject(Object.assign(new Error("no links"), { code: "EPERM" }));
  return { ...original, link };
});

const DATABASE_BYTES = 1_000_000;
const FILE_BYTES = 2_000_000;
let root: string;
let filesDir: string;
let to: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "atelier-stage-"));
  [filesDir, to] = [join(root, "files"), join(root, "staged")];
  mkdirSync(filesDir);
  writeFileSync(join(root, FILE_NAME), Buffer.alloc(DATABASE_BYTES));
  for (const name of ["a", "b", "c"]) writeFileSync(join(filesDir, name), Buffer.alloc(FILE_BYTES));
  disk.hasLinks = true;
});
afterEach(() => rmSync(root, { recursive: true }));

const stage = (freeBytes: () => Promise<number>) => stageData({ databaseDir: root, filesDir, secrets: Buffer.from("{}"), to, freeBytes });
const stagedFiles = () => readdirSync(join(to, "files"));
const spaceFor = (bytes: number) => async () => MIN_FREE_BYTES + bytes;

it("needs space for two copies of the database, and none for linked files", async () => {
  await expect(stage(spaceFor(2 * DATABASE_BYTES - 1))).rejects.toThrow(
    "DATA_DIR has too little space to prepare the backup: 137 MB are needed, and 136 MB are free.",
  );
  expect(readdirSync(to)).toEqual(["files"]);
  expect(stagedFiles()).toEqual([]);
  await stage(spaceFor(2 * DATABASE_BYTES));
  expect(stagedFiles()).toHaveLength(3);
});

it("copies files without hard links only while the server keeps its free space", { tags: "@backup-disk-limit" }, async () => {
  disk.hasLinks = false;
  const left = () => spaceFor(3 * DATABASE_BYTES - stagedFiles().length * FILE_BYTES)();
  await expect(stage(left)).rejects.toThrow("DATA_DIR has too little space to prepare the backup");
  expect(stagedFiles().length).toBeLessThan(3);
  await stage(spaceFor(DATABASE_BYTES + 3 * FILE_BYTES));
  expect(stagedFiles()).toHaveLength(3);
});

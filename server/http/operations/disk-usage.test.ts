import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FILE_NAME } from "@atelier/engine/database-file";
import { diskUsage } from "./disk-usage.ts";

let dataDir: string;
beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), "atelier-disk-"))));
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

describe("diskUsage", () => {
  it("counts the database and the files in quarantine", async () => {
    const day = join(dataDir, "convex", "quarantine", "2026-11-26");
    mkdirSync(day, { recursive: true });
    writeFileSync(join(day, "one"), "12345");
    writeFileSync(join(day, "two"), "678");
    writeFileSync(join(dataDir, "convex", FILE_NAME), "database");
    writeFileSync(join(dataDir, "convex", `${FILE_NAME}-wal`), "log");
    const usage = await diskUsage(dataDir, true);
    expect(usage).toMatchObject({ databaseBytes: 11, quarantine: { files: 2, bytes: 8 } });
    expect(usage.freeBytes).toBeGreaterThan(0);
    expect(usage.totalBytes).toBeGreaterThan(usage.freeBytes);
  });

  it("is zero without data, and unknown for a deployment elsewhere", async () => {
    expect(await diskUsage(dataDir, true)).toMatchObject({ databaseBytes: 0, quarantine: { files: 0, bytes: 0 } });
    expect(await diskUsage(dataDir, false)).toMatchObject({ databaseBytes: null, quarantine: null });
  });
});

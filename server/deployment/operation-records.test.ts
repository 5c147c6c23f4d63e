import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { leaveRecord, type OperationRecord, watchRecords } from "./operation-records.ts";

let dataDir: string;
beforeEach(() => (dataDir = mkdtempSync(join(tmpdir(), "atelier-records-"))));
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const left = () => readdirSync(join(dataDir, "operations"));
const log = { warn: vi.fn<(...args: unknown[]) => void>() };

describe("watchRecords", () => {
  it("stores records of earlier and later commands, and removes them", async () => {
    const began = Date.now();
    await leaveRecord(dataDir, { action: "backup.restored", name: "copy" });
    const stored: OperationRecord[] = [];
    const watch = watchRecords({ dataDir, store: async (record) => void stored.push(record), log, pollMs: 5 });
    await vi.waitFor(() => expect(stored).toEqual([{ action: "backup.restored", name: "copy", at: expect.any(Number) }]));
    expect(stored[0]?.at).toBeGreaterThanOrEqual(began);
    await leaveRecord(dataDir, { action: "database.rolledBack" });
    await vi.waitFor(() => expect(stored).toHaveLength(2));
    await vi.waitFor(() => expect(left()).toEqual([]));
    await watch.close();
  });

  it("keeps a record that could not be stored, and stores it later", async () => {
    await leaveRecord(dataDir, { action: "backup.written" });
    const store = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error("unavailable")).mockResolvedValue();
    const watch = watchRecords({ dataDir, store, log, pollMs: 5 });
    await vi.waitFor(() => expect(left()).toEqual([]));
    expect(store).toHaveBeenCalledTimes(2);
    await watch.close();
  });

  it("warns of a damaged record, and ignores other files", async () => {
    await leaveRecord(dataDir, { action: "backup.written" });
    const [name = ""] = left();
    writeFileSync(join(dataDir, "operations", name), "{");
    writeFileSync(join(dataDir, "operations", "notes.txt"), "mine");
    const store = vi.fn<() => Promise<void>>();
    const watch = watchRecords({ dataDir, store, log, pollMs: 5 });
    await vi.waitFor(() => expect(left()).toEqual(["notes.txt"]));
    expect(store).not.toHaveBeenCalled();
    expect(log.warn).toHaveBeenCalledOnce();
    await watch.close();
  });

  it("does not fail when the folder cannot be written", async () => {
    writeFileSync(join(dataDir, "operations"), "a file");
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    await leaveRecord(dataDir, { action: "backup.written" });
    expect(warn).toHaveBeenCalledWith(expect.stringContaining("The audit log will not list this"));
    warn.mockRestore();
  });
});

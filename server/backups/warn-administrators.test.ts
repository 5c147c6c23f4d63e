import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { warnAdministrators } from "./warn-administrators.ts";

const HOUR = 60 * 60_000;
let dataDir: string;
let mailed: (string | null)[];
const error = vi.fn<(...values: unknown[]) => void>();
const mail = async (problem: string | null) => void mailed.push(problem);

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "atelier-warning-"));
  mailed = [];
  error.mockClear();
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dataDir, { recursive: true });
});

it("emails a problem once, daily while it lasts, and its end", { tags: "@mails-backup-warnings" }, async () => {
  const report = warnAdministrators({ dataDir, mail, log: { error } });
  await report(null);
  expect(mailed).toEqual([]);
  await Promise.all([report("failed"), report("failed")]);
  vi.setSystemTime(Date.now() + 23 * HOUR);
  await report("another problem");
  expect(mailed).toEqual(["failed"]);
  vi.setSystemTime(Date.now() + HOUR);
  await report("failed");
  await report(null);
  await report(null);
  expect(mailed).toEqual(["failed", "failed", null]);
});

it("repeats no email after a restart", async () => {
  await warnAdministrators({ dataDir, mail, log: { error } })("failed");
  await warnAdministrators({ dataDir, mail, log: { error } })("failed");
  expect(mailed).toEqual(["failed"]);
  await warnAdministrators({ dataDir, mail, log: { error } })(null);
  expect(mailed).toEqual(["failed", null]);
});

it("tries again after an email could not be queued", async () => {
  const report = warnAdministrators({
    dataDir,
    mail: vi.fn<typeof mail>().mockRejectedValueOnce(new Error("down")).mockImplementation(mail),
    log: { error },
  });
  await report("failed");
  expect([mailed, error.mock.calls.length]).toEqual([[], 1]);
  await report("failed");
  expect(mailed).toEqual(["failed"]);
});

import { expect, it } from "vitest";
import { backupName } from "./backup-records.ts";
import { backupsToRemove } from "./retention.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const now = Date.UTC(2026, 10, 26, 12);
const name = (age: number) => backupName(new Date(now - age));
const hourly = Array.from({ length: 400 * 24 }, (_, hours) => name(hours * HOUR)).toReversed();

const kept = (names: string[], keep: { days: number; weeks: number; months: number }) => {
  const removed = new Set(backupsToRemove(names, keep, now));
  return names.filter((each) => !removed.has(each)).toReversed();
};

it("keeps all of 24 hours, and the last of each day, week and month", () => {
  const names = kept(hourly, { days: 7, weeks: 4, months: 12 });
  expect(names.slice(0, 24)).toEqual(Array.from({ length: 24 }, (_, hours) => name(hours * HOUR)));
  expect(names.slice(24).map((each) => each.slice(0, 13))).toEqual([
    ...["24", "23", "22", "21", "20", "15", "08"].map((day) => `2026-11-${day}T23`),
    "2026-10-31T23",
    "2026-09-30T23",
    "2026-08-31T23",
    "2026-07-31T23",
    "2026-06-30T23",
    "2026-05-31T23",
    "2026-04-30T23",
    "2026-03-31T23",
    "2026-02-28T23",
    "2026-01-31T23",
    "2025-12-31T23",
  ]);
});

it("counts periods that have backups, however old they are", () => {
  const yearly = [3, 2, 1].map((years) => name(years * 365 * DAY));
  expect(kept(yearly, { days: 2, weeks: 0, months: 0 })).toEqual([name(365 * DAY), name(2 * 365 * DAY)]);
});

it("always keeps the newest", () => {
  expect(kept([name(3 * DAY), name(2 * DAY)], { days: 0, weeks: 0, months: 0 })).toEqual([name(2 * DAY)]);
});

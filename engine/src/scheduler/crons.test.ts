import { describe, expect, test } from "vitest";
import type { Json } from "../values/types.ts";
import { nextMatch, parseCronExpression } from "./cron-expression.ts";
import { firstRun, nextRun, parseSchedule, type Schedule } from "./crons.ts";

const at = (text: string): number => Date.parse(text);
const iso = (ms: number): string => new Date(ms).toISOString();

describe("cron expressions", () => {
  test.each([
    ["* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00.000Z"],
    ["* * * * *", "2026-01-01T00:00:59.999Z", "2026-01-01T00:01:00.000Z"],
    ["*/15 * * * *", "2026-01-01T00:14:30Z", "2026-01-01T00:15:00.000Z"],
    ["5 4 * * *", "2026-01-01T04:05:00Z", "2026-01-02T04:05:00.000Z"],
    ["0 22 * * 1-5", "2026-01-02T22:00:00Z", "2026-01-05T22:00:00.000Z"],
    ["0 0 * * 7", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00.000Z"],
    ["0 0 * * SUN", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00.000Z"],
    ["0 0 1 jan *", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00.000Z"],
    ["0 0 31 * *", "2026-01-31T00:00:00Z", "2026-03-31T00:00:00.000Z"],
    ["0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00.000Z"],
    ["0 0 L * *", "2026-02-01T00:00:00Z", "2026-02-28T00:00:00.000Z"],
    ["0 0 L-3 * *", "2026-02-01T00:00:00Z", "2026-02-25T00:00:00.000Z"],
    ["0 0 l-30 * *", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00.000Z"],
    ["0 22-2 * * *", "2026-01-01T22:00:00Z", "2026-01-01T23:00:00.000Z"],
    ["0 22-2 * * *", "2026-01-02T00:00:00Z", "2026-01-02T01:00:00.000Z"],
    ["0 22-2 * * *", "2026-01-02T02:00:00Z", "2026-01-02T22:00:00.000Z"],
    ["0 21-3/2 * * *", "2026-01-01T23:00:00Z", "2026-01-02T01:00:00.000Z"],
    ["0 0 * * FRI-MON", "2026-01-02T00:00:00Z", "2026-01-03T00:00:00.000Z"],
    ["0 0 * * FRI-MON", "2026-01-04T00:00:00Z", "2026-01-05T00:00:00.000Z"],
    ["0 0 * * FRI-MON", "2026-01-05T00:00:00Z", "2026-01-09T00:00:00.000Z"],
    ["0 0 * * SAT-TUE/2", "2026-01-03T00:00:00Z", "2026-01-05T00:00:00.000Z"],
    ["0 0 1 NOV-FEB *", "2026-02-01T00:00:00Z", "2026-11-01T00:00:00.000Z"],
    ["0 0 13 * 5", "2026-01-03T00:00:00Z", "2026-01-09T00:00:00.000Z"],
    ["10-12,50 1 * * *", "2026-01-01T01:12:00Z", "2026-01-01T01:50:00.000Z"],
    ["1-10/4 * * * *", "2026-01-01T00:01:00Z", "2026-01-01T00:05:00.000Z"],
    ["0 0 LW * *", "2026-01-01T00:00:00Z", "2026-01-30T00:00:00.000Z"],
    ["0 0 LW * *", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00.000Z"],
    ["0 0 15W * *", "2026-02-01T00:00:00Z", "2026-02-16T00:00:00.000Z"],
    ["0 0 15w * *", "2026-08-01T00:00:00Z", "2026-08-14T00:00:00.000Z"],
    ["0 0 1W * *", "2026-07-31T00:00:00Z", "2026-08-03T00:00:00.000Z"],
    ["0 0 31W * *", "2026-05-01T00:00:00Z", "2026-05-29T00:00:00.000Z"],
    ["0 0 31W * *", "2026-06-01T00:00:00Z", "2026-07-31T00:00:00.000Z"],
    ["0 0 * * 5L", "2026-01-01T00:00:00Z", "2026-01-30T00:00:00.000Z"],
    ["0 0 * * FRIL", "2026-01-30T00:00:00Z", "2026-02-27T00:00:00.000Z"],
    ["0 0 * * 5#2", "2026-01-01T00:00:00Z", "2026-01-09T00:00:00.000Z"],
    ["0 0 * * sun#5", "2026-01-01T00:00:00Z", "2026-03-29T00:00:00.000Z"],
    ["0 0 13 * 5L", "2026-01-13T00:00:00Z", "2026-01-30T00:00:00.000Z"],
    ["@daily", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00.000Z"],
  ])("%s after %s is %s", (expression, after, expected) => {
    expect(iso(nextMatch(parseCronExpression(expression), at(after)))).toBe(expected);
  });

  test.each([
    "",
    "* * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * * 13 *",
    "* * * * 8",
    "* * * * 5#6",
    "* * * * 5#0",
    "* * 32W * *",
    "* * 0W * *",
    "* * * * FRX#1",
    "a * * * *",
    "* * L-0 * *",
    "* * L-31 * *",
    "* * L- * *",
    "* * L,3 * *",
    "* L * * *",
    "*/0 * * * *",
    "1/2/3 * * * *",
  ])("%j cannot be read", (expression) => {
    expect(() => parseCronExpression(expression)).toThrow(/Invalid cron expression/);
  });

  test("rejects a date that never occurs", () => {
    expect(() => nextMatch(parseCronExpression("0 0 30 2 *"), 0)).toThrow(/never|no date/);
    expect(() => parseSchedule({ type: "cron", cron: "0 0 31 4 *" })).toThrow(/no date/);
  });
});

describe("schedules", () => {
  const now = at("2026-03-04T05:06:07Z"); // a Wednesday
  test.each<[Schedule, string]>([
    [{ type: "hourly", minuteUTC: 5 }, "2026-03-04T06:05:00.000Z"],
    [{ type: "daily", hourUTC: 5, minuteUTC: 30 }, "2026-03-04T05:30:00.000Z"],
    [{ type: "daily", hourUTC: 5, minuteUTC: 0 }, "2026-03-05T05:00:00.000Z"],
    [{ type: "weekly", dayOfWeek: "monday", hourUTC: 1, minuteUTC: 2 }, "2026-03-09T01:02:00.000Z"],
    [{ type: "monthly", day: 31, hourUTC: 0, minuteUTC: 0 }, "2026-03-31T00:00:00.000Z"],
    [{ type: "interval", seconds: 90 }, "2026-03-04T05:06:07.000Z"],
  ])("%j first runs at %s", (schedule, expected) => {
    expect(iso(firstRun("job", schedule, now))).toBe(expected);
  });

  test("assigns each job a fixed minute if it names none", () => {
    const minute = (name: string): number => new Date(firstRun(name, { type: "hourly" }, now)).getUTCMinutes();
    expect(minute("a")).toBe(minute("a"));
    expect(new Set(["a", "b", "c", "d", "e"].map(minute)).size).toBeGreaterThan(1);
  });

  test("an interval keeps its schedule and repeats no missed runs", () => {
    const schedule: Schedule = { type: "interval", minutes: 10 };
    expect(nextRun("job", schedule, now, now + 1) - now).toBe(600_000);
    expect(nextRun("job", schedule, now, now + 35 * 60_000) - now).toBe(40 * 60_000);
    expect(nextRun("job", schedule, now, now - 5) - now).toBe(600_000);
  });

  test("an invalid schedule is rejected", () => {
    const none: Json[] = [null, {}, { type: "yearly" }, { type: "interval", seconds: 0 }];
    for (const json of none) expect(() => parseSchedule(json)).toThrow(Error);
  });

  test.each(["@daily", " @hourly", "0 0 ? * 1", "0 0 * * 7", "0 0 * * 1,7", "0 0 * * 5-7", "0 0 * * 7/2"])(
    "a push refuses %j, which Convex does not have, but stored crons keep it",
    (cron) => {
      expect(() => parseSchedule({ type: "cron", cron })).toThrow(/Invalid cron expression/);
      expect(nextRun("job", { type: "cron", cron }, now, now)).toBeGreaterThan(now);
    },
  );

  test.each(["*/7 * * * *", "0 0 7 * *", "0 0 * * 1/7", "0 7 * 7 1-5"])("a push accepts %j", (cron) => {
    expect(parseSchedule({ type: "cron", cron })).toEqual({ type: "cron", cron });
  });
});

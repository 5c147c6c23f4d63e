/** Cron schedules in UTC (`src/server/cron.ts` of the client library). A run missed during downtime is repeated once. */
import { createHash } from "node:crypto";
import type { ComponentPath } from "../functions/paths.ts";
import type { FunctionType, Json } from "../values/types.ts";
import { nextMatch, parseCronExpression, refuseForeignForms } from "./cron-expression.ts";

export type Cron = {
  component: ComponentPath;
  name: string;
  path: string;
  args: Json;
  schedule: Schedule;
  next: number;
  type: FunctionType;
};

export type Schedule =
  | { type: "interval"; seconds?: number; minutes?: number; hours?: number }
  | { type: "hourly"; minuteUTC?: number }
  | { type: "daily"; hourUTC: number; minuteUTC?: number }
  | { type: "weekly"; dayOfWeek: string; hourUTC: number; minuteUTC?: number }
  | { type: "monthly"; day: number; hourUTC: number; minuteUTC?: number }
  | { type: "cron"; cron: string };

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

export function firstRun(name: string, schedule: Schedule, now: number): number {
  return schedule.type === "interval" ? now : nextRun(name, schedule, now, now);
}

export function nextRun(name: string, schedule: Schedule, due: number, now: number): number {
  if (schedule.type === "interval") {
    const length = intervalLength(schedule);
    const missed = Math.max(0, Math.floor((now - due) / length));
    return due + (missed + 1) * length;
  }
  return nextMatch(parseCronExpression(expressionOf(name, schedule)), Math.max(now, due));
}

function intervalLength({ seconds = 0, minutes = 0, hours = 0 }: Extract<Schedule, { type: "interval" }>): number {
  const length = seconds * SECOND + minutes * MINUTE + hours * HOUR;
  if (!(length > 0)) throw new Error("Interval must be an integer greater than 0");
  return length;
}

/** Returns the cron expression. Without a minute, a hash of the name spreads the jobs over the hour. */
function expressionOf(name: string, schedule: Exclude<Schedule, { type: "interval" }>): string {
  if (schedule.type === "cron") return schedule.cron;
  const minute = schedule.minuteUTC ?? (createHash("sha256").update(name).digest()[0] ?? 0) % 60;
  switch (schedule.type) {
    case "hourly":
      return `${minute} * * * *`;
    case "daily":
      return `${minute} ${schedule.hourUTC} * * *`;
    case "weekly":
      return `${minute} ${schedule.hourUTC} * * ${DAYS.indexOf(schedule.dayOfWeek)}`;
    case "monthly":
      return `${minute} ${schedule.hourUTC} ${schedule.day} * *`;
  }
}

/** @throws for a schedule that is invalid or never runs */
export function parseSchedule(json: Json): Schedule {
  if (!isSchedule(json)) throw new Error(`Unknown cron schedule: ${JSON.stringify(json)}`);
  if (json.type === "cron") refuseForeignForms(json.cron);
  nextRun("", json, 0, 0);
  return json;
}

const KINDS = new Set(["interval", "hourly", "daily", "weekly", "monthly", "cron"]);

function isSchedule(json: unknown): json is Schedule {
  return typeof json === "object" && json !== null && "type" in json && typeof json.type === "string" && KINDS.has(json.type);
}

import type { Settings } from "../transaction/types.ts";
import type { Analysis } from "../functions/types.ts";
import type { Json } from "../values/types.ts";
import { firstRun, parseSchedule, type Cron, type Schedule } from "./crons.ts";

const CRON = "cron/";

type StoredCron = Omit<Cron, "type">;

export function readCrons(settings: Settings): StoredCron[] {
  return settings.list(CRON).map(({ value }): StoredCron => JSON.parse(value));
}

/** Stores the crons of a push. A cron with an unchanged schedule keeps its next run. */
export function deployCrons(settings: Settings, analysis: Analysis, now: number): void {
  const old = new Map(readCrons(settings).map((cron) => [cron.name, cron]));
  for (const [name, { name: path, args, schedule: json }] of Object.entries(analysis.crons)) {
    const schedule = parseSchedule(json);
    const before = old.get(name);
    const next = before && same(before.schedule, schedule) ? before.next : firstRun(name, schedule, now);
    write(settings, { name, path, args: firstOf(args), schedule, next });
    old.delete(name);
  }
  for (const name of old.keys()) settings.delete(CRON + name);
}

export function moveCron(settings: Settings, name: string, due: number, next: number): boolean {
  const cron = readCrons(settings).find((cron) => cron.name === name);
  if (!cron || cron.next !== due) return false;
  write(settings, { ...cron, next });
  return true;
}

function write(settings: Settings, cron: StoredCron): void {
  settings.set(CRON + cron.name, JSON.stringify(cron));
}

const firstOf = (args: Json): Json => (Array.isArray(args) ? (args[0] ?? {}) : args);

const same = (a: Schedule, b: Schedule): boolean => JSON.stringify(a) === JSON.stringify(b);

import { APP, type ComponentPath } from "../functions/paths.ts";
import type { Settings } from "../transaction/types.ts";
import type { Analysis, ModulesAnalysis } from "../functions/types.ts";
import type { Json } from "../values/types.ts";
import { firstRun, parseSchedule, type Cron, type Schedule } from "./crons.ts";

/** Earlier versions, which have no components, read only the crons of the app. */
const CRON = "cron/";
const COMPONENT_CRON = "cron@";

type StoredCron = Omit<Cron, "type">;

export function readCrons(settings: Settings): StoredCron[] {
  return [CRON, COMPONENT_CRON].flatMap((prefix) =>
    settings.list(prefix).map(({ value }): StoredCron => ({ component: APP, ...JSON.parse(value) })),
  );
}

export function deployCrons(settings: Settings, analysis: Analysis, now: number): void {
  const old = new Map(readCrons(settings).map((cron) => [settingOf(cron), cron]));
  const deploy = (component: ComponentPath, crons: ModulesAnalysis["crons"]): void => {
    for (const [name, { name: path, args, schedule: json }] of Object.entries(crons)) {
      const schedule = parseSchedule(json);
      const setting = settingOf({ component, name });
      const before = old.get(setting);
      const next = before && same(before.schedule, schedule) ? before.next : firstRun(name, schedule, now);
      write(settings, { component, name, path, args: firstOf(args), schedule, next });
      old.delete(setting);
    }
  };
  deploy(APP, analysis.crons);
  for (const { path, definition } of analysis.components.mounts) deploy(path, analysis.components.definitions[definition]?.crons ?? {});
  for (const setting of old.keys()) settings.delete(setting);
}

export function moveCron(
  settings: Settings,
  { component, name, due, next }: { component: ComponentPath; name: string; due: number; next: number },
): boolean {
  const cron = readCrons(settings).find((cron) => cron.component === component && cron.name === name);
  if (!cron || cron.next !== due) return false;
  write(settings, { ...cron, next });
  return true;
}

const settingOf = ({ component, name }: Pick<StoredCron, "component" | "name">): string =>
  component === APP ? CRON + name : `${COMPONENT_CRON}${component}/${name}`;

function write(settings: Settings, cron: StoredCron): void {
  settings.set(settingOf(cron), JSON.stringify(cron));
}

const firstOf = (args: Json): Json => (Array.isArray(args) ? (args[0] ?? {}) : args);

const same = (a: Schedule, b: Schedule): boolean => JSON.stringify(a) === JSON.stringify(b);

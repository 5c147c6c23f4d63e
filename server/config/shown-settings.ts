import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import type { ShownSetting } from "../../app/config.ts";

export type SettingsSources = {
  /** `values`: with the contents of secret files. `given`: the environment of the process. `created`: secrets created in DATA_DIR. */
  values: Readonly<Record<string, string | undefined>>;
  given: Readonly<Record<string, string | undefined>>;
  envFile: Readonly<Record<string, string | undefined>>;
  /** All settings with a default, in their order. Providers and issuers have none. */
  defaults: Readonly<Record<string, unknown>>;
  names: readonly string[];
  isSetting: (name: string) => boolean;
  isSecret: (name: string) => boolean;
  created: readonly string[];
};

/** Returns the effective settings and their sources, without the values of secrets. */
export function shownSettings({ values, given, envFile, defaults, names, isSetting, isSecret, created }: SettingsSources): ShownSetting[] {
  const others = Object.keys(values)
    .filter((name) => isSetting(name) && !names.includes(name))
    .toSorted();
  return [...names, ...others].map((name) => {
    const value = values[name];
    const [secret, source] = [isSecret(name), sourceOf(name, { given, envFile, isSet: value !== undefined, created })];
    return { name, value: secret ? null : (value ?? textOf(defaults[name])), isSecret: secret, source };
  });
}

type Found = Pick<SettingsSources, "given" | "envFile" | "created"> & { isSet: boolean };

function sourceOf(name: string, { given, envFile, isSet, created }: Found): ShownSetting["source"] {
  if (!isSet) return created.includes(name) ? "dataDir" : "default";
  if (!given[name]) return "secretFile";
  return envFile[name] === given[name] ? "envFile" : "environment";
}

function textOf(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(",");
  // BACKUP_KEEP: {days: 7, weeks: 4, months: 12} is "7d 4w 12m".
  if (typeof value === "object")
    return Object.entries(value)
      .map(([unit, number]) => `${number}${unit.charAt(0)}`)
      .join(" ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

export async function readEnvFile(path: string): Promise<Record<string, string | undefined>> {
  try {
    return parseEnv(await readFile(path, "utf8"));
  } catch {
    return {};
  }
}

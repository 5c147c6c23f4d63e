/** The deployment's own small values, by name: environment variables and secrets. */
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import type { Database, Settings } from "../transaction/types.ts";

const ENVIRONMENT = "env/";
const SECRET = "secret/";

/** docs.convex.dev/production/environment-variables: at most 100, names of 40 characters, values of 8 KiB. */
const MAX_VARIABLES = 100;
const MAX_VALUE_LENGTH = 8 * 1_024;
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;
/** Set by the deployment itself (docs.convex.dev/production/environment-variables#system-environment-variables). */
const BUILT_IN = new Set(["CONVEX_CLOUD_URL", "CONVEX_SITE_URL"]);

export function readEnvironment(settings: Settings): Record<string, string> {
  return Object.fromEntries(settings.list(ENVIRONMENT).map(({ name, value }) => [name.slice(ENVIRONMENT.length), value]));
}

/** @throws Error naming the variable that cannot be set; then none is changed. */
export function changeEnvironment(settings: Settings, changes: { name: string; value: string | null }[]): Record<string, string> {
  const after = new Map(Object.entries(readEnvironment(settings)));
  for (const { name, value } of changes) {
    if (BUILT_IN.has(name)) throw new Error(`Environment variable ${name} is set by the deployment itself.`);
    if (!NAME.test(name)) {
      throw new Error(
        `Environment variable name ${JSON.stringify(name)} must start with a letter and consist of at most 40 letters, digits and underscores.`,
      );
    }
    if (value === null) after.delete(name);
    else if (value.length > MAX_VALUE_LENGTH)
      throw new Error(`The value of environment variable ${name} is longer than ${MAX_VALUE_LENGTH} characters.`);
    else after.set(name, value);
  }
  if (after.size > MAX_VARIABLES) throw new Error(`A deployment has at most ${MAX_VARIABLES} environment variables.`);
  for (const { name, value } of changes) {
    if (value === null) settings.delete(ENVIRONMENT + name);
    else settings.set(ENVIRONMENT + name, value);
  }
  return Object.fromEntries(after);
}

/** A secret key of the deployment, made when it is first asked for. */
export function secret(database: Database, name: string, bytes: number): Buffer {
  const stored = database.settings.get(SECRET + name);
  if (stored !== undefined) return Buffer.from(stored, "base64");
  const made = randomBytes(bytes);
  database.settings.set(SECRET + name, made.toString("base64"));
  database.flush();
  return made;
}

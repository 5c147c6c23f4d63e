import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import type { Database, Settings } from "../transaction/types.ts";

const ENVIRONMENT = "env/";
const SECRET = "secret/";

/** docs.convex.dev/production/environment-variables: at most 512, names of 256 characters, values of 8 KiB, 512 KiB in total. */
const MAX_VARIABLES = 512;
const MAX_NAME = 256;
const MAX_TOTAL_BYTES = 512 * 1_024;
const MAX_VALUE_BYTES = 8 * 1_024;
const NAME = new RegExp(`^[A-Za-z][A-Za-z0-9_]{0,${MAX_NAME - 1}}$`);
const BUILT_IN = new Set(["CONVEX_CLOUD_URL", "CONVEX_SITE_URL"]);

export function readEnvironment(settings: Settings): Record<string, string> {
  return Object.fromEntries(settings.list(ENVIRONMENT).map(({ name, value }) => [name.slice(ENVIRONMENT.length), value]));
}

export class EnvironmentError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export type EnvironmentChange = { name: string; value: string | null };

export function changedEnvironment(env: Record<string, string>, changes: EnvironmentChange[]): Record<string, string> {
  const after = new Map(Object.entries(env));
  for (const { name, value } of changes) {
    if (BUILT_IN.has(name)) throw new EnvironmentError("EnvironmentVariableReserved", `${name} is set by the deployment itself.`);
    if (!NAME.test(name)) {
      throw new EnvironmentError(
        "EnvironmentVariableNameInvalid",
        `Environment variable name ${JSON.stringify(name)} must start with a letter and consist of at most ${MAX_NAME} letters, digits and underscores.`,
      );
    }
    if (value === null) after.delete(name);
    else if (Buffer.byteLength(value) > MAX_VALUE_BYTES)
      throw new EnvironmentError("EnvironmentVariableTooLarge", `The value of ${name} is larger than ${MAX_VALUE_BYTES} bytes.`);
    else after.set(name, value);
  }
  if (after.size > MAX_VARIABLES)
    throw new EnvironmentError("TooManyEnvironmentVariables", `A deployment has at most ${MAX_VARIABLES} environment variables.`);
  const bytes = [...after].reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value), 0);
  if (bytes > MAX_TOTAL_BYTES)
    throw new EnvironmentError("TooManyEnvironmentVariables", `All environment variables together have at most ${MAX_TOTAL_BYTES} bytes.`);
  return Object.fromEntries(after);
}

export function changeEnvironment(settings: Settings, changes: EnvironmentChange[]): Record<string, string> {
  const after = changedEnvironment(readEnvironment(settings), changes);
  for (const { name, value } of changes) {
    if (value === null) settings.delete(ENVIRONMENT + name);
    else settings.set(ENVIRONMENT + name, value);
  }
  return after;
}

export function secret(database: Database, name: string, bytes: number): Buffer {
  const stored = database.settings.get(SECRET + name);
  if (stored !== undefined) return Buffer.from(stored, "base64");
  const secret = randomBytes(bytes);
  database.settings.set(SECRET + name, secret.toString("base64"));
  database.flush();
  return secret;
}

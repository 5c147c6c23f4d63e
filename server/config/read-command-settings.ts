import type * as z from "zod";
import { ConfigError, problemText } from "./config-error.ts";
import { readSecretFiles } from "./secret-files.ts";
import { secretSettings } from "./settings.ts";

/** Reads only the settings of a command. `problemsOf` returns a sentence for each invalid combination. Throws `ConfigError`. */
export async function readCommandSettings<Schema extends z.ZodObject>(
  env: NodeJS.ProcessEnv,
  schema: Schema,
  problemsOf: (set: z.infer<Schema>) => Promise<string[]>,
): Promise<z.infer<Schema>> {
  const { env: withSecrets, problems } = await readSecretFiles(
    env,
    secretSettings.filter((name) => name in schema.shape),
  );
  const nonEmptyEnv = Object.fromEntries(Object.entries(withSecrets).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = schema.safeParse(nonEmptyEnv);
  if (!parsed.success) problems.push(...parsed.error.issues.map((issue) => problemText(issue, nonEmptyEnv)));
  else problems.push(...(await problemsOf(parsed.data)));
  if (!parsed.success || problems.length > 0) throw new ConfigError([...new Set(problems)]);
  return parsed.data;
}

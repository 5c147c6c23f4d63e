import { readFile } from "node:fs/promises";

const SUFFIX = "_FILE";

/** Replaces each `NAME_FILE` by its file's content as `NAME`, without one line break at its end. `names`: settings that may be files. */
export async function readSecretFiles(
  env: Record<string, string | undefined>,
  names: readonly string[],
): Promise<{ env: Record<string, string | undefined>; problems: string[] }> {
  const read = { ...env };
  const problems: string[] = [];
  for (const name of names) {
    const path = env[name + SUFFIX];
    if (!path) continue;
    delete read[name + SUFFIX];
    if (env[name]) {
      problems.push(`${name} and ${name}${SUFFIX} are both set; expected one of them`);
      continue;
    }
    try {
      read[name] = (await readFile(path, "utf8")).replace(/\r?\n$/, "");
      if (read[name] === "") problems.push(`${name}${SUFFIX} is ${JSON.stringify(path)}; expected a secret in this file, but it is empty`);
    } catch (error) {
      problems.push(`${name}${SUFFIX} is ${JSON.stringify(path)}; expected a readable file, but ${reasonOf(error)}`);
    }
  }
  return { env: read, problems };
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOENT") return "there is no such file (ENOENT)";
  if (code === "EISDIR") return "it is a folder (EISDIR)";
  if (code === "EACCES" || code === "EPERM") return `this user may not read it (${code})`;
  return `it cannot be read (${code || String(error)})`;
}

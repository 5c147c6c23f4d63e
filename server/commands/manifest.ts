import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import * as z from "zod";

const FILE = "manifest.json";
const LISTED = ["secrets.json", "convex/deployment.sqlite3"];
const manifestSchema = z.object({ files: z.record(z.string(), z.object({ size: z.number(), sha256: z.string() })) });

export async function writeManifest(folder: string): Promise<void> {
  const files = Object.fromEntries(await Promise.all(LISTED.map(async (name) => [name, await measure(join(folder, name))] as const)));
  await writeFile(join(folder, FILE), `${JSON.stringify({ files }, null, 2)}\n`, { mode: 0o600, flush: true });
}

export async function manifestProblems(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, FILE), "utf8").catch(() => null);
  if (text === null) return [];
  const parsed = manifestSchema.safeParse(parseJson(text));
  if (!parsed.success) return [`${join(folder, FILE)} cannot be read.`];
  const problems = await Promise.all(
    Object.entries(parsed.data.files).map(async ([name, expected]) => {
      const found = await measure(join(folder, name)).catch(() => null);
      if (!found) return `${name} is missing or cannot be read.`;
      if (found.size !== expected.size) return `${name} has ${found.size} bytes instead of ${expected.size}.`;
      return found.sha256 === expected.sha256 ? null : `The content of ${name} does not match its sha256.`;
    }),
  );
  return problems.filter((problem) => problem !== null);
}

async function measure(path: string): Promise<{ size: number; sha256: string }> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return { size: (await stat(path)).size, sha256: hash.digest("hex") };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

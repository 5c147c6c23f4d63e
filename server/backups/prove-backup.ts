import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { checkCopy } from "@atelier/engine/check-data";
import { openContents } from "@atelier/engine/contents";
import { type Backup, objectName, readBackup } from "./backup-records.ts";
import { type Pages, renderPages } from "./render-pages.ts";
import { restoreBackup } from "./restore-backup.ts";
import type { Target } from "./target.ts";

export type ProveOptions = {
  target: Target;
  name: string;
  /** The data that was sent to a remote target. */
  staged?: string | null;
  env: NodeJS.ProcessEnv;
  render?: typeof renderPages;
};

/** Restores a backup into a separate deployment, compares it, and renders pages from it. Moves damaged objects aside. */
export async function proveBackup({
  target,
  name,
  staged = null,
  env,
  render = renderPages,
}: ProveOptions): Promise<{ problems: string[]; pages: number }> {
  const dataDir = join(target.scratch, "proof");
  const convexDir = join(dataDir, "convex");
  await rm(dataDir, { recursive: true, force: true });
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  try {
    const backup = await readBackup(target, name);
    const secretsPath = join(dataDir, "secrets.json");
    const stagedFiles = staged === null ? undefined : join(staged, "files");
    const { problems, damaged } = await restoreBackup({ target, backup, convexDir, secretsPath, hardLinks: true, stagedFiles });
    const isComplete = problems.length === 0;
    if (isComplete) {
      const checked = await checkRestored(target, backup, convexDir);
      problems.push(...checked.problems);
      damaged.push(...checked.damaged);
    }
    for (const object of damaged) await target.setAside(object);
    const pages: Pages = problems.length === 0 ? await render(dataDir, env) : { problems: [], rendered: 0 };
    return { problems: [...problems, ...pages.problems], pages: pages.rendered };
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function checkRestored(target: Target, backup: Backup, convexDir: string): Promise<{ problems: string[]; damaged: string[] }> {
  const { problems, damagedFiles, latest, storedFiles } = await checkCopy(convexDir);
  const objects = new Map(backup.files.map(([file, sha256]) => [file, objectName(sha256)]));
  const damaged: string[] = [];
  for (const { path, problem } of damagedFiles) {
    const object = objects.get(basename(path));
    if (object === undefined) continue;
    problems[problems.indexOf(problem)] = `${target.describe(object)} is damaged: ${problem}`;
    damaged.push(object);
  }
  if (String(latest) !== backup.latest) problems.push(`The newest commit is ${latest} instead of ${backup.latest}.`);
  if (storedFiles !== backup.files.length) problems.push(`The database has ${storedFiles} files instead of ${backup.files.length}.`);
  if (existsSync(convexDir)) problems.push(...tableProblems(backup, convexDir));
  return { problems, damaged };
}

function tableProblems({ tables }: Backup, convexDir: string): string[] {
  const contents = openContents(convexDir);
  try {
    const restored = contents.tables();
    return [...new Set([...Object.keys(tables), ...Object.keys(restored)])].flatMap((table) => {
      const [expected, found] = [tables[table], restored[table]];
      if (expected?.rows !== found?.rows) return [`Table ${table} has ${found?.rows ?? 0} rows instead of ${expected?.rows ?? 0}.`];
      return expected?.sha256 === found?.sha256 ? [] : [`The rows of table ${table} do not match their sha256.`];
    });
  } finally {
    contents.close();
  }
}

import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { checkCopy, type DamagedFile } from "@atelier/engine/check-data";
import { openContents } from "@atelier/engine/contents";
import type { ObjectReader } from "./objects/backup-objects.ts";
import { type Backup, openBackup } from "./backup-records.ts";
import type { Decryption } from "./objects/encrypted-objects.ts";
import { type Pages, renderPages } from "./render-pages.ts";
import { restoreBackup } from "./restore-backup.ts";
import type { Target } from "./targets/target.ts";

export type ProveOptions = {
  target: Target;
  name: string;
  staged?: string | null;
  decryption: Decryption;
  env: NodeJS.ProcessEnv;
  render?: typeof renderPages;
  writtenBytes?: number;
};

/** Restores a backup into a separate deployment, compares it, and renders pages from it. Moves damaged objects aside. */
export async function proveBackup({
  target,
  name,
  staged = null,
  decryption,
  env,
  render = renderPages,
  writtenBytes,
}: ProveOptions): Promise<{ problems: string[]; pages: number }> {
  const dataDir = join(target.scratch, "proof");
  const convexDir = join(dataDir, "convex");
  await rm(dataDir, { recursive: true, force: true });
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  try {
    const { backup, reader } = await openBackup(target, name, decryption);
    const secretsPath = join(dataDir, "secrets.json");
    const { problems, damaged, compared } = await restoreBackup({
      reader,
      backup,
      convexDir,
      secretsPath,
      hardLinks: true,
      staged,
      ...(writtenBytes !== undefined && { writtenBytes }),
    });
    const isComplete = problems.length === 0;
    if (isComplete) {
      const checked = await checkRestored({ target, reader, backup, convexDir, compared });
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

type RestoredBackup = {
  target: Target;
  reader: ObjectReader;
  backup: Backup;
  convexDir: string;
  compared: ReadonlySet<string>;
};

async function checkRestored({ target, reader, backup, convexDir, compared }: RestoredBackup) {
  const { problems: found, damagedFiles: differing, latest, storedFiles } = await checkCopy(convexDir);
  const isUnwritten = ({ path, isMissing }: DamagedFile) => isMissing && compared.has(basename(path));
  const unwritten = new Set(differing.filter(isUnwritten).map(({ problem }) => problem));
  const problems = found.filter((problem) => !unwritten.has(problem));
  const damagedFiles = differing.filter(({ problem }) => !unwritten.has(problem));
  const objects = new Map(backup.files.map(([file, sha256, size]) => [file, reader.nameOf({ sha256, size })]));
  const damaged: string[] = [];
  for (const { path, problem } of damagedFiles) {
    const object = objects.get(basename(path));
    if (!object) continue;
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

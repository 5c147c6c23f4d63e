/** `npm run backup [-- FOLDER [--link]]`: copies the deployment's data and keys to FOLDER or BACKUP_TO. The app may run. */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { backUp, lockForBackup } from "@atelier/engine/backup";
import { copyDurably, sync } from "@atelier/engine/copy";
import { readFileBucket } from "../config/file-bucket.ts";
import { writeManifest } from "./manifest.ts";
import { formatProblems } from "./problems.ts";
import { writeFailure } from "./write-failure.ts";
import { leaveRecord } from "../deployment/operation-records.ts";
import { createPrivateFiles } from "../deployment/private-folder.ts";

if (existsSync(".env")) process.loadEnvFile(".env");

const dataDir = resolve(process.env["DATA_DIR"] || ".data");
const secrets = join(dataDir, "secrets.json");
const secretsSchema = z.object({ engineAdminKey: z.string() });
const LEFTOVERS = new Set(["convex.partial", "secrets.json.partial"]);

async function main(): Promise<void> {
  createPrivateFiles();
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { link: { type: "boolean", default: false } } });
  const [to] = positionals;
  if (to === undefined) return backUpToTarget();
  const { engineAdminKey: adminKey } = secretsSchema.parse(JSON.parse(await readFile(secrets, "utf8")));
  const target = resolve(to);
  if (!(await isFree(target)))
    throw new Error(`${target} already exists. A backup never overwrites files. Name a folder that does not exist.`);
  const partial = `${target}.partial`;
  const unlock = await lockTarget(target);
  try {
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { mode: 0o700 });
    const { running } = await backUp({
      from: join(dataDir, "convex"),
      to: join(partial, "convex"),
      adminKey,
      hardLinks: values.link,
      fileBucket: await readFileBucket(process.env),
    });
    await copyDurably(secrets, join(partial, "secrets.json"));
    await writeManifest(partial);
    await sync(partial);
    await rm(target, { recursive: true, force: true });
    await rename(partial, target);
    await sync(dirname(target));
    await leaveRecord(dataDir, { action: "backup.written", name: basename(target) });
    console.log(
      `The backup in ${target} is complete${running ? ", as of a moment ago" : ""}. It contains the keys: store it as safely as the data.`,
    );
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    await leaveRecord(dataDir, { action: "backup.failed", name: basename(target) });
    throw await failure(error, target);
  } finally {
    // Removed before the lock is released, because another backup could then hold it.
    await rm(`${target}.lock`, { recursive: true, force: true });
    unlock();
  }
}

async function backUpToTarget(): Promise<void> {
  if (!process.env["BACKUP_TO"]) throw new Error("Name a folder for the backup: npm run backup -- FOLDER. Or set BACKUP_TO.");
  const [{ ensureBuilt }, { readConfig }, { runBackup }] = await Promise.all([
    import("../build/ensure.ts"),
    import("../config/config.ts"),
    import("../backups/run-backup.ts"),
  ]);
  await ensureBuilt();
  const { server } = await readConfig(process.env, { production: true });
  if (!server.backups) return;
  const { name, problems, newBytes, pages } = await runBackup({
    dataDir: server.dataDir,
    settings: server.backups,
    fileBucket: server.engine?.fileBucket ?? null,
    env: process.env,
  });
  await leaveRecord(dataDir, { action: problems.length > 0 ? "backup.failed" : "backup.taken", name });
  if (problems.length > 0) throw new Error(`The backup ${name} failed its test:\n${formatProblems(problems)}`);
  console.log(
    `The backup ${name} in ${server.backups.to} is complete (${(newBytes / 1e6).toFixed(1)} MB new). It was restored and compared, and ${pages} pages were rendered from it.`,
  );
}

async function lockTarget(target: string): Promise<() => void> {
  try {
    await mkdir(dirname(target), { recursive: true });
    return lockForBackup(`${target}.lock`);
  } catch (error) {
    throw await failure(error, target);
  }
}

const failure = (error: unknown, target: string) =>
  writeFailure(error, {
    from: dataDir,
    to: target,
    outcome: "no backup was made",
    advice: "Free some space there, or name a folder on another disk.",
  });

async function isFree(target: string): Promise<boolean> {
  try {
    return (await readdir(target)).every((name) => LEFTOVERS.has(name));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return true;
    throw error;
  }
}

main()
  .catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  })
  // The rendered app has timers, which would keep the process alive.
  .finally(() => process.exit());

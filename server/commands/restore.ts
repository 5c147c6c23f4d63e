/** `npm run restore -- FOLDER [--accept-damaged]`: copies a backup into an empty DATA_DIR. */
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { copyDurably, copyFolder, sync } from "@atelier/engine/copy";
import { checkCopy } from "@atelier/engine/check-data";
import { FILE_NAME } from "@atelier/engine/database-file";
import { writeLastCommit } from "@atelier/engine/last-commit";
import { manifestProblems } from "./manifest.ts";
import { formatProblems } from "./problems.ts";
import { writeFailure } from "./write-failure.ts";

if (existsSync(".env")) process.loadEnvFile(".env");

const dataDir = resolve(process.env["DATA_DIR"] || ".data");
const PARTS = ["convex", "secrets.json"];

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { "accept-damaged": { type: "boolean", default: false } },
  });
  if (positionals[0] === undefined) throw new Error("Name the backup: npm run restore -- FOLDER");
  const from = resolve(positionals[0]);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const existing = (await readdir(dataDir)).filter((name) => PARTS.includes(name));
  if (existing.length > 0)
    throw new Error(
      `${dataDir} already contains data (${existing.join(", ")}). Stop the app, move the data to another folder, then try again. A restore never overwrites files.`,
    );
  await requireBackup(from);
  const { latest, problems } = await checkCopy(join(from, "convex"));
  problems.push(...(await manifestProblems(from)));
  if (latest === null || (problems.length > 0 && !values["accept-damaged"])) {
    const wayOut = latest === null ? "" : "\nTo restore the undamaged files, add --accept-damaged.";
    throw new Error(`${from} is damaged, so nothing was restored:\n${formatProblems(problems)}${wayOut}`);
  }
  // Renamed when complete, so that an app that starts meanwhile finds no partial data.
  const partial = (name: string) => join(dataDir, `${name}.partial`);
  try {
    for (const name of PARTS) await rm(partial(name), { recursive: true, force: true });
    await mkdir(join(partial("convex"), "files"), { recursive: true, mode: 0o700 });
    const [source, copy] = [join(from, "convex"), partial("convex")];
    for (const name of [FILE_NAME, "admin-key"])
      if (existsSync(join(source, name))) await copyDurably(join(source, name), join(copy, name));
    await copyFolder(join(source, "files"), join(copy, "files"));
    writeLastCommit(copy, latest);
    await sync(copy);
    await copyDurably(join(from, "secrets.json"), partial("secrets.json"));
    for (const name of PARTS) await rename(partial(name), join(dataDir, name));
    await sync(dataDir);
  } catch (error) {
    for (const name of PARTS) await rm(partial(name), { recursive: true, force: true });
    throw await writeFailure(error, {
      from,
      to: dataDir,
      outcome: "nothing was restored",
      advice: "Free some space there, or set DATA_DIR to a folder on another disk.",
    });
  }
  if (problems.length > 0) console.warn(`Restored, although the backup is damaged:\n${formatProblems(problems)}`);
  console.log(`Restored the backup ${from} to ${dataDir}.`);
}

async function requireBackup(from: string): Promise<void> {
  try {
    z.object({ secret: z.string(), engineAdminKey: z.string() }).parse(JSON.parse(await readFile(join(from, "secrets.json"), "utf8")));
  } catch (cause) {
    throw new Error(`${from} is not a complete backup of 'npm run backup'.`, { cause });
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

/** `npm run restore -- FOLDER`: puts a backup where the data is kept (DATA_DIR), if there is none. The backup stays as it is. */
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { FILE_NAME } from "../engine/src/storage/file.ts";

if (existsSync(".env")) process.loadEnvFile(".env");

const [given = ""] = process.argv.slice(2);
const from = resolve(given);
const dataDir = resolve(process.env["DATA_DIR"] || ".data");
/** What `npm run backup` writes. */
const PARTS = ["convex", "secrets.json"];

async function main(): Promise<void> {
  if (given === "") throw new Error("Say from where: npm run restore -- FOLDER");
  await check();
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const there = (await readdir(dataDir)).filter((name) => PARTS.includes(name));
  if (there.length > 0)
    throw new Error(
      `There is data in ${dataDir} already (${there.join(", ")}). Stop the app, move it elsewhere, and try again: nothing is ever overwritten.`,
    );
  // Under another name until all of it is there: an app that starts meanwhile must not take half of it for the whole.
  const partial = (name: string) => join(dataDir, `${name}.partial`);
  try {
    for (const name of PARTS) await cp(join(from, name), partial(name), { recursive: true, force: true, preserveTimestamps: true });
    for (const name of PARTS) await rename(partial(name), join(dataDir, name));
  } catch (error) {
    for (const name of PARTS) await rm(partial(name), { recursive: true, force: true });
    throw error;
  }
  console.log(`${dataDir} is as it was when ${from} was made.`);
}

/** That it is a backup, and whole: its keys can be read, and its database finds no fault with itself. */
async function check(): Promise<void> {
  try {
    z.object({ secret: z.string(), engineAdminKey: z.string() }).parse(JSON.parse(await readFile(join(from, "secrets.json"), "utf8")));
    const database = new DatabaseSync(join(from, "convex", FILE_NAME), { readOnly: true });
    const answer: unknown = database.prepare("PRAGMA quick_check").get();
    database.close();
    z.object({ quick_check: z.literal("ok") }).parse({ ...(typeof answer === "object" ? answer : null) });
  } catch (cause) {
    throw new Error(`${from} is no backup that 'npm run backup' has finished.`, { cause });
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

/** `npm run backup -- FOLDER`: copies all data of the embedded deployment, and the keys, while the app runs or not. */
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as z from "zod";
import { backUp } from "../engine/src/backup/back-up.ts";

if (existsSync(".env")) process.loadEnvFile(".env");

const [to = ""] = process.argv.slice(2);
const dataDir = resolve(process.env["DATA_DIR"] || ".data");
const secrets = join(dataDir, "secrets.json");
const kept = z.object({ engineAdminKey: z.string() });

async function main(): Promise<void> {
  if (to === "") throw new Error("Say where to: npm run backup -- FOLDER");
  const { engineAdminKey: adminKey } = kept.parse(JSON.parse(await readFile(secrets, "utf8")));
  const target = resolve(to);
  // The app's folder holds the deployment's: laid out alike, the copy can be put in its place.
  await mkdir(target, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST"
      ? new Error(`${target} exists already: a backup is never written over. Name a folder that is not there.`)
      : error;
  });
  try {
    const { running } = await backUp({ from: join(dataDir, "convex"), to: join(target, "convex"), adminKey });
    await copyFile(secrets, join(target, "secrets.json.partial"));
    await rename(join(target, "secrets.json.partial"), join(target, "secrets.json"));
    console.log(
      `${target} holds everything${running ? ", as it was a moment ago" : ""}. It contains the keys: keep it as safe as the data.`,
    );
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

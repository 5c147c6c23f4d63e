/** `npm run rollback [-- NAME]`: lists the snapshots of the database that updates created, or restores one of them. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { lockFolder } from "@atelier/engine/folder-lock";
import { readPushed } from "../deployment/push.ts";
import { createPrivateFiles } from "../deployment/private-folder.ts";
import { listSnapshots, rollBack } from "../deployment/snapshots.ts";

if (existsSync(".env")) process.loadEnvFile(".env");

const dataDir = resolve(process.env["DATA_DIR"] || ".data");

async function main(): Promise<void> {
  createPrivateFiles();
  const [name] = process.argv.slice(2);
  const snapshots = await listSnapshots(dataDir);
  const described = snapshots.map((each) => `  ${each.name}  ${each.version === null ? "" : `version ${each.version}`}`.trimEnd());
  if (name === undefined)
    return console.log(snapshots.length === 0 ? `${dataDir} has no snapshots.` : `Snapshots, the newest first:\n${described.join("\n")}`);
  const snapshot = snapshots.find((each) => each.name === name);
  if (!snapshot) throw new Error(`There is no snapshot ${name}.\n${described.join("\n")}`.trimEnd());
  const dir = join(dataDir, "convex");
  const unlock = lockFolder(dir);
  if (!unlock) throw new Error(`Another process is using the data in ${dir}. Stop the app first.`);
  try {
    const { replaced } = await rollBack(dataDir, name, (await readPushed(dataDir))?.version ?? null);
    console.log(
      `Restored the database from the snapshot ${name}. Start ${snapshot.version === null ? "the earlier version" : `version ${snapshot.version}`} now. The replaced database was saved as the snapshot ${replaced}.`,
    );
  } finally {
    unlock();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

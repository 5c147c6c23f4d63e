import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openContents } from "@atelier/engine/contents";
import { join } from "node:path";

export type CommandResult = { code: number; output: string };

type CommandOptions = { env?: NodeJS.ProcessEnv; uid?: number | undefined };

export function runBackupCommand(
  script: "restore" | "check-data",
  args: string[],
  dataDir: string,
  { env = {}, uid }: CommandOptions = {},
): Promise<CommandResult> {
  const path = fileURLToPath(new URL(`../../server/commands/${script}.ts`, import.meta.url));
  return new Promise((done) => {
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", path, ...args],
      { cwd: dataDir, env: { PATH: process.env["PATH"], DATA_DIR: dataDir, ...env }, ...(uid !== undefined && { uid, gid: uid }) },
      (error, stdout, stderr) => done({ code: error ? 1 : 0, output: stdout + stderr }),
    );
  });
}

export function messagesIn(dataDir: string, channel = "kept"): unknown[] {
  const contents = openContents(join(dataDir, "convex"));
  try {
    return [...contents.rows("messages")].filter((row) => row["channel"] === channel).map((row) => row["body"]);
  } finally {
    contents.close();
  }
}

import { spawn, type ChildProcess } from "node:child_process";

/** The pipe closes however this process ends. */
const KILL_AT_END_OF_INPUT = 'read -r _; kill -9 "$0"';

/** Kills the child when this process ends. A child in a loop does not notice by itself. Does nothing on Windows. */
export function killOrphan(child: ChildProcess): void {
  if (process.platform === "win32" || child.pid === undefined) return;
  const guard = spawn("/bin/sh", ["-c", KILL_AT_END_OF_INPUT, `${child.pid}`], { stdio: ["pipe", "ignore", "ignore"], env: {} });
  guard.on("error", () => undefined);
  guard.stdin?.on("error", () => undefined);
  guard.unref();
  child.once("exit", () => guard.kill("SIGKILL"));
}

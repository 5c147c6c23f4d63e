import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const START = join(import.meta.dirname, "start.js");

it.runIf(isolates()).each(["SIGTERM", "SIGINT"] as const)("process 1 ends at once at %s while it starts", async (signal) => {
  const dataDir = mkdtempSync(join(tmpdir(), "atelier-early-stop-"));
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: "0", ENGINE_PORT: "0", ENGINE_SITE_PORT: "0" };
  // The kernel drops a signal to process 1 of a namespace unless it has a handler for it.
  const outer = spawn("unshare", ["--pid", "--fork", "--kill-child", process.execPath, START], { env, stdio: ["ignore", "pipe", "pipe"] });
  try {
    let output = "";
    for (const stream of [outer.stdout, outer.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    const exited = once(outer, "exit");
    const inner = await childOf(outer.pid ?? 0);
    const again = setInterval(() => signalTo(inner, signal), 10);
    const [code, endedBy] = await exited;
    clearInterval(again);
    expect(code ?? endedBy).toBeOneOf([0, signal]);
    expect(output).not.toMatch(/deployment is ready|received a stop signal|Atelier is ready/);
  } finally {
    outer.kill("SIGKILL");
    rmSync(dataDir, { recursive: true, force: true });
  }
});

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

async function childOf(pid: number): Promise<number> {
  const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  await expect.poll(children, { interval: 1 }).not.toBe("");
  return Number(children().split(" ")[0]);
}

function isolates(): boolean {
  try {
    execFileSync("unshare", ["--pid", "--fork", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

import { readdir, readFile } from "node:fs/promises";
import type { RunningApp } from "../harness/app.ts";

export type Sample = { at: number; memory: [app: number, deployment: number]; descriptors: number; files: number };

/** The app and the deployment that it started; 0 for one that does not run. */
export function processesOf(app: RunningApp): [app: number, deployment: number] {
  return [app.pid, Number([...app.output().matchAll(/"deploymentPid":(\d+)/g)].at(-1)?.[1] ?? 0)];
}

export async function sample(app: RunningApp, at: number): Promise<Sample> {
  const pids = processesOf(app);
  const [ofApp = 0, ofDeployment = 0] = await Promise.all(pids.map(memoryMiB));
  const descriptors = await Promise.all(pids.map((pid) => countIn(`/proc/${pid}/fd`)));
  const files = await readdir(app.dataDir, { recursive: true }).catch(() => []);
  return { at, memory: [ofApp, ofDeployment], descriptors: descriptors.reduce((sum, each) => sum + each, 0), files: files.length };
}

/** Memory of a process's own in MiB (proc(5), RssAnon). */
async function memoryMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

const countIn = (folder: string): Promise<number> =>
  readdir(folder).then(
    (names) => names.length,
    () => 0,
  );

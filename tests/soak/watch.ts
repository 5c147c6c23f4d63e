import { readdir, readFile } from "node:fs/promises";
import type { RunningApp } from "../harness/app.ts";

/** `cpuMs`: CPU time of both processes since their start. */
export type Sample = { at: number; memory: [app: number, deployment: number]; cpuMs: number; descriptors: number; files: number };

/** The app and the deployment that it started; 0 for one that does not run. */
export function processesOf(app: RunningApp): [app: number, deployment: number] {
  return [app.pid, Number([...app.output().matchAll(/"deploymentPid":(\d+)/g)].at(-1)?.[1] ?? 0)];
}

export async function sample(app: RunningApp, at: number): Promise<Sample> {
  const pids = processesOf(app);
  const [ofApp = 0, ofDeployment = 0] = await Promise.all(pids.map(memoryMiB));
  const descriptors = await Promise.all(pids.map((pid) => countIn(`/proc/${pid}/fd`)));
  const files = await readdir(app.dataDir, { recursive: true }).catch(() => []);
  const cpuMs = (await Promise.all(pids.map(cpuMsOf))).reduce((sum, each) => sum + each, 0);
  return { at, memory: [ofApp, ofDeployment], cpuMs, descriptors: descriptors.reduce((sum, each) => sum + each, 0), files: files.length };
}

/** Memory of a process's own in MiB (proc(5), RssAnon). */
async function memoryMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** proc(5), stat: fields 14 and 15, in hundredths of a second. */
async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.replace(/^.*\) /, "").split(" ");
  return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
}

const countIn = (folder: string): Promise<number> =>
  readdir(folder).then(
    (names) => names.length,
    () => 0,
  );

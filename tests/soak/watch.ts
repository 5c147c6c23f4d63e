import { readdir } from "node:fs/promises";
import type { RunningApp } from "../harness/app.ts";
import { anonymousMiB, cpuMs, processesOf } from "../harness/processes.ts";

export type Sample = { at: number; memory: [app: number, deployment: number]; cpuMs: number; descriptors: number; files: number };

export async function sample(app: RunningApp, at: number): Promise<Sample> {
  const pids = processesOf(app);
  const [ofApp, ofDeployment] = pids.map((pid) => anonymousMiB(pid) ?? 0);
  const descriptors = await Promise.all(pids.map((pid) => countIn(`/proc/${pid}/fd`)));
  const files = await readdir(app.dataDir, { recursive: true }).catch(() => []);
  const spent = pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  return {
    at,
    memory: [ofApp ?? 0, ofDeployment ?? 0],
    cpuMs: spent,
    descriptors: descriptors.reduce((sum, each) => sum + each, 0),
    files: files.length,
  };
}

const countIn = (folder: string): Promise<number> =>
  readdir(folder).then(
    (names) => names.length,
    () => 0,
  );

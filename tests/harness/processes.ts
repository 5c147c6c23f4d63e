import { readdirSync, readFileSync } from "node:fs";
import type { RunningApp } from "./app.ts";

export const deploymentPidIn = (output: string): number => Number([...output.matchAll(/"deploymentPid":(\d+)/g)].at(-1)?.[1]);

export function processesOf(app: RunningApp): [app: number, deployment: number] {
  return [app.pid, deploymentPidIn(app.output()) || (processesBelow(app.pid).find(isDeployment)?.pid ?? 0)];
}

export type Process = { pid: number; command: string };

export const isDeployment = ({ command }: Process): boolean => command.includes("--site-port");

export function processesBelow(pid: number): Process[] {
  const children = Map.groupBy(allPids(), parentOf);
  const below = (of: number): number[] => (children.get(of) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid).map((child) => ({ pid: child, command: readProc(child, "cmdline").replaceAll("\0", " ") }));
}

/** Returns the anonymous memory in MiB (proc(5), RssAnon), without mapped files; null without such a process or without /proc. */
export function anonymousMiB(pid: number | null | undefined): number | null {
  const kib = /RssAnon:\s+(\d+) kB/.exec(readProc(pid, "status"))?.[1];
  return kib === undefined ? null : Number(kib) / 1024;
}

/** Returns how much sooner Linux ends this process when memory is short (proc_pid_oom_score_adj(5), at most 1000). */
export const oomScoreAdjustment = (pid: number): number => Number(readProc(pid, "oom_score_adj"));

/** Returns the CPU time in ms since the start (proc(5), stat: fields 14 and 15, in hundredths of a second); 0 without such a process. */
export function cpuMs(pid: number | null | undefined): number {
  const fields = readProc(pid, "stat")
    .replace(/^.*\) /, "")
    .split(" ");
  return 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
}

function allPids(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

const parentOf = (pid: number): number =>
  Number(
    readProc(pid, "stat")
      .replace(/^.*\) /s, "")
      .split(" ")[1],
  );

function readProc(pid: number | null | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

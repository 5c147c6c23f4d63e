import { readFile } from "node:fs/promises";

/** Linux's USER_HZ, the unit of times in /proc. */
const TICKS_PER_SECOND = 100;
/** Position of utime and stime behind the name of the program in /proc/PID/stat, proc(5). */
const [UTIME, STIME] = [11, 12];

export async function processCpuMs(pid: number): Promise<number | null> {
  const stat = await read(pid, "stat");
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[UTIME]) + Number(fields[STIME])) * 1_000) / TICKS_PER_SECOND;
}

/** Returns the memory of a process without mapped files, or null on systems without /proc. */
export async function processBytes(pid: number): Promise<number | null> {
  const [, kibibytes] = /^RssAnon:\s+(\d+) kB$/m.exec((await read(pid, "status")) ?? "") ?? [];
  return kibibytes === undefined ? null : Number(kibibytes) * 1_024;
}

const read = (pid: number, name: string): Promise<string | null> => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => null);

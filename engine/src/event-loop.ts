import { elapsed } from "./elapsed.ts";

/** `cpuMs`: the process's own CPU time, less than `ms` on a busy machine. */
export type Block = { ms: number; cpuMs: number; ran: string[] };

export function blockText({ ms, cpuMs, ran }: Block): string {
  const during = ran.length > 0 ? `Functions that ended meanwhile: ${ran.join(", ")}` : "No function ended meanwhile";
  return `The event loop was blocked for ${ms} ms (${cpuMs} ms of CPU time). ${during}`;
}

export type LoopWatch = {
  longest(): number;
  blocks(): number;
  stop(): void;
};

const TICK_MS = 100;
const BLOCK_MS = 200;

export function watchEventLoop(onBlock: (block: Block) => void, takeActivities: () => string[], now: () => number = elapsed): LoopWatch {
  let last = now();
  let cpu = process.cpuUsage();
  let longest = 0;
  let blocks = 0;
  const timer = setInterval(() => {
    const ms = now() - last - TICK_MS;
    const ran = takeActivities();
    if (ms > longest) longest = ms;
    const cpuNow = process.cpuUsage();
    if (ms > BLOCK_MS) {
      blocks += 1;
      onBlock({ ms: Math.round(ms), cpuMs: Math.round((cpuNow.user - cpu.user + cpuNow.system - cpu.system) / 1000), ran });
    }
    cpu = cpuNow;
    last = now();
  }, TICK_MS);
  timer.unref();
  return {
    longest: () => longest / 1000,
    blocks: () => blocks,
    stop: () => clearInterval(timer),
  };
}

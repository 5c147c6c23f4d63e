import { rm } from "node:fs/promises";
import { type RunningApp, startApp } from "../../tests/harness/app.ts";
import { fill, YEARS } from "../../tests/soak/fill.ts";
import { cpuMs, processesOf } from "../../tests/harness/processes.ts";
import { atMost, median, rounded, type Figure } from "../report.ts";

const ROUNDS = 5;
const WATCH_MS = 60_000;
const PROBE_MS = 50;

type Start = { firstPage: number; cpu: number };

export async function start(): Promise<Figure[]> {
  const [empty, full] = [await startApp(), await startApp()];
  try {
    await Promise.all([empty.stop(), full.stop()]);
    const before = performance.now();
    fill(full.dataDir, YEARS);
    const filling = performance.now() - before;
    const starts: Record<"empty" | "full", Start[]> = { empty: [], full: [] };
    for (let round = -1; round < ROUNDS; round++) {
      const [one, other] = [await measure(empty), await measure(full)];
      if (round < 0) continue;
      starts.empty.push(one);
      starts.full.push(other);
    }
    const slowest = { empty: await slowestResponseMs(empty), full: await slowestResponseMs(full) };
    const [inEmpty, inFull] = [starts.empty, starts.full].map((all) => median(all.map(({ firstPage }) => firstPage)));
    const cpu = [starts.empty, starts.full].map((all) => `${rounded(median(all.map((each) => each.cpu)))} ms`);
    const { images, rows, cachedFiles, finishedUploads, partialUploads } = YEARS;
    return [
      { name: "images, rows, cached files", value: [images, rows, cachedFiles].map(rounded).join(", ") },
      {
        name: "finished uploads, partial uploads; time to fill",
        value: `${rounded(finishedUploads)}, ${rounded(partialUploads)}; ${rounded(filling / 1000)} s`,
      },
      { name: "first page, empty folder", value: `${rounded(inEmpty ?? NaN)} ms` },
      { name: "first page, full folder", value: `${rounded(inFull ?? NaN)} ms` },
      atMost("first page, full above empty folder", (inFull ?? NaN) - (inEmpty ?? NaN), 300, "ms"),
      { name: "CPU time until the first page (empty, full)", value: cpu.join(", ") },
      { name: "slowest answer of the first minute, empty folder", value: `${rounded(slowest.empty)} ms` },
      atMost("slowest answer of the first minute, full folder", slowest.full, 300, "ms"),
    ];
  } finally {
    await Promise.all([empty, full].map(({ dataDir }) => rm(dataDir, { recursive: true, force: true })));
  }
}

async function measure(app: RunningApp): Promise<Start> {
  const before = performance.now();
  await app.start();
  await (await fetch(`${app.url}/sign-in`)).arrayBuffer();
  const firstPage = performance.now() - before;
  const cpu = processesOf(app).reduce((sum, pid) => sum + cpuMs(pid), 0);
  await app.stop();
  return { firstPage, cpu };
}

async function slowestResponseMs(app: RunningApp): Promise<number> {
  await app.start();
  const page = () => fetch(`${app.url}/sign-in`).then((answer) => answer.arrayBuffer());
  await page();
  let slowest = 0;
  for (const end = performance.now() + WATCH_MS; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, PROBE_MS))) {
    const before = performance.now();
    await page();
    slowest = Math.max(slowest, performance.now() - before);
  }
  await app.stop();
  return slowest;
}

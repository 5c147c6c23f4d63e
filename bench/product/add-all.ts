import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { count } from "../../app/lib/ui/count.ts";

const TIMEOUT_MS = 10 * 60_000;

/** Adds files on a page until all are images. `tasks` are tasks over 50 ms, without the browser's creation of the file list. */
export async function addAll(page: Page, files: string[]): Promise<{ seconds: number; tasks: number; longest: number }> {
  await page.evaluate(() => {
    const tasks: number[] = [];
    let chosenAt = Infinity;
    document.addEventListener("input", () => (chosenAt = performance.now()), { capture: true, once: true });
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) {
        const ours = startTime + duration - Math.max(startTime, chosenAt);
        if (ours > 50) tasks.push(ours);
      }
    }).observe({ type: "longtask" });
    Object.assign(window, { tasks });
  });
  const stop = await profiledPage(page);
  const before = performance.now();
  await page.getByLabel("Add images").setInputFiles(files);
  const isDone = (text: string) => document.querySelector("section[aria-label=Uploads] h2")?.textContent === text;
  await page.waitForFunction(isDone, `${count(files.length, "image", "images")} added`, { timeout: TIMEOUT_MS, polling: 200 });
  const seconds = (performance.now() - before) / 1000;
  await stop();
  const tasks = await page.evaluate((): number[] => Reflect.get(window, "tasks"));
  return { seconds, tasks: tasks.length, longest: Math.max(0, ...tasks) };
}

async function profiledPage(page: Page): Promise<() => Promise<void>> {
  const folder = process.env["BENCH_PROFILE"];
  if (!folder) return () => Promise.resolve();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Profiler.enable");
  await devtools.send("Profiler.start");
  return async () => {
    const { profile } = await devtools.send("Profiler.stop");
    writeFileSync(join(folder, `page-${Date.now()}.cpuprofile`), JSON.stringify(profile));
  };
}

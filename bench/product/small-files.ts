/** Compares a thousand small uploads in a browser with the same uploads by a script with eight connections. */
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import sharp from "sharp";
import { imagesIn, makeDesign } from "../../tests/e2e/support/pictures.ts";
import { startApp } from "../../tests/harness/app.ts";
import { launchOptions } from "../../tests/harness/chromium.ts";
import { type Person, signUp } from "../../tests/harness/people.ts";
import { hydrated, openBrowser } from "../../tests/harness/test.ts";
import { removeFolder, temporaryFolder } from "../deployment.ts";
import { atLeast, atMost, type Figure, ratio } from "../report.ts";
import { count } from "../../app/lib/ui/count.ts";
import { add, browserOf, computedMs, processesOf, profiled, sendAll } from "./uploads.ts";

const SMALL = Number(process.env["BENCH_FILES"] ?? 1000);
const LARGE = Number(process.env["BENCH_LARGE_FILES"] ?? 40);
const CONNECTIONS = 8;
const TIMEOUT_MS = 10 * 60_000;

export async function smallFiles(): Promise<Figure[]> {
  const folder = temporaryFolder("small-files");
  const app = await startApp({ LOG_LEVEL: "warn", ...profiled() });
  const browser = await chromium.launch(await launchOptions());
  try {
    const raw = async (files: string[]) => {
      const person = await signUp(app.url);
      const { designId } = await makeDesign(app, person);
      const session = await browserOf(app, person);
      return sendAll(files, CONNECTIONS, (path) => {
        const bytes = readFileSync(path);
        return add(app, session, designId, { bytes, checksum: createHash("sha256").update(bytes).digest("hex") });
      });
    };
    const inBrowser = async (files: string[]) => {
      const person = await signUp(app.url);
      const { designId, path } = await makeDesign(app, person);
      const page = await openBrowser(browser, app, person);
      await page.goto(path);
      await hydrated(page);
      const added = await addAll(page, files);
      await page.context().close();
      return { ...added, misplaced: misplaced(await namesIn(app, person, designId)) };
    };
    // Each measurement has its own user, so that no file is a duplicate.
    const small = await makeFiles(join(folder, "small"), SMALL, () => picture(26));
    const large = await makeFiles(join(folder, "large"), LARGE, () => picture(1300));
    await raw(small.slice(0, 16));
    const pids = processesOf(app);
    const computed = [computedMs(pids)];
    const rawSmall = await raw(small);
    computed.push(computedMs(pids));
    const ours = await inBrowser(small);
    computed.push(computedMs(pids));
    // CPU time: other load affects it less than seconds.
    const [byScript, byBrowser] = [1, 2].map((at) =>
      (computed[at] ?? []).map((ms, index) => `${((ms - (computed[at - 1]?.[index] ?? 0)) / SMALL).toFixed(1)} ms`).join(" and "),
    );
    const rawLarge = await raw(large);
    const oursLarge = await inBrowser(large);
    const rate = (count: number, seconds: number) => `${(count / seconds).toFixed(1)} a second`;
    return [
      { name: `${SMALL} files of 2 KB, script with ${CONNECTIONS} connections`, value: rate(SMALL, rawSmall) },
      atLeast(`${SMALL} files of 2 KB, browser`, SMALL / ours.seconds, 25, "a second"),
      { name: "2 KB files: browser ÷ script", value: (rawSmall / ours.seconds).toFixed(2) },
      { name: "2 KB files: CPU time per file, script (app, deployment)", value: byScript ?? "" },
      { name: "2 KB files: CPU time per file, browser (app, deployment)", value: byBrowser ?? "" },
      atMost("longest task in the page", ours.longest, 100, "ms"),
      { name: "tasks in the page over 50 ms", value: String(ours.tasks) },
      atMost("files not in the order chosen", ours.misplaced, 0, ""),
      {
        name: `${LARGE} images of 5 MB (script, browser)`,
        value: `${rate(LARGE, rawLarge)}, ${rate(LARGE, oursLarge.seconds)}`,
      },
      ratio("5 MB images: browser ÷ script", rawLarge, oursLarge.seconds, 0.8),
    ];
  } finally {
    await browser.close();
    await app.dispose();
    removeFolder(folder);
  }
}

/** Adds files on a page until all are images. `tasks`: those over 50 ms, without the browser's own creation of the file list. */
async function addAll(page: Page, files: string[]): Promise<{ seconds: number; tasks: number; longest: number }> {
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
  // Finding it by its role would take a tenth of the page's time.
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

async function makeFiles(folder: string, count: number, make: () => Promise<Buffer>): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const paths: string[] = [];
  for (let n = 0; n < count; n++) {
    const path = join(folder, `${String(n).padStart(4, "0")}.png`);
    writeFileSync(path, await make());
    paths.push(path);
  }
  return paths;
}

/** A square of random pixels: 26 wide has 2 KB, 1300 wide 5 MB. */
const picture = (width: number) =>
  sharp(randomBytes(3 * width * width), { raw: { width, height: width, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();

const namesIn = async (app: Awaited<ReturnType<typeof startApp>>, person: Person, designId: Parameters<typeof imagesIn>[2]) =>
  (await imagesIn(app, person, designId)).map(({ name }) => name);

function misplaced(names: string[]): number {
  return names.filter((name, index) => index > 0 && name < (names[index - 1] ?? "")).length;
}

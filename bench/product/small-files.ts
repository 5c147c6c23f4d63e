import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import sharp from "sharp";
import { imagesIn, makeDesign } from "../../tests/e2e/support/pictures.ts";
import { startApp } from "../../tests/harness/app.ts";
import { launchOptions } from "../../tests/harness/chromium.ts";
import { type Person, signUp } from "../../tests/harness/people.ts";
import { cpuMs, processesOf } from "../../tests/harness/processes.ts";
import { hydrated, openBrowser } from "../../tests/harness/test.ts";
import { removeFolder, temporaryFolder } from "../deployment.ts";
import { atLeast, atMost, type Figure, ratio } from "../report.ts";
import { count } from "../../app/lib/ui/count.ts";
import { grainyPhotograph, withComment } from "../photograph.ts";
import { add, browserOf, profiled, sendAll } from "./uploads.ts";

const SMALL = Number(process.env["BENCH_FILES"] ?? 1000);
const LARGE = Number(process.env["BENCH_LARGE_FILES"] ?? 40);
const LARGE_ROUNDS = 2;
const PHOTOGRAPH_BYTES = 5_000_000;
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
    const noise = await makeFiles(join(folder, "noise"), LARGE, () => picture(1300));
    const photograph = await grainyPhotograph(PHOTOGRAPH_BYTES);
    const photographs = await makeFiles(join(folder, "photographs"), LARGE, async (n) => withComment(photograph, `${n}`));
    await raw(small.slice(0, 16));
    const pids = processesOf(app);
    const computed = [pids.map(cpuMs)];
    const rawSmall = await raw(small);
    computed.push(pids.map(cpuMs));
    const ours = await inBrowser(small);
    computed.push(pids.map(cpuMs));
    // In CPU time, which other load affects less than the duration.
    const [byScript, byBrowser] = [1, 2].map((at) =>
      (computed[at] ?? []).map((ms, index) => `${((ms - (computed[at - 1]?.[index] ?? 0)) / SMALL).toFixed(1)} ms`).join(" and "),
    );
    const compared = async (files: string[], rounds: number) => {
      const seconds = { raw: 0, ours: 0 };
      const spent = { raw: 0, ours: 0 };
      for (let round = 0; round < rounds; round++) {
        const start = sumOf(pids.map(cpuMs));
        seconds.raw += await raw(files);
        const between = sumOf(pids.map(cpuMs));
        seconds.ours += (await inBrowser(files)).seconds;
        spent.raw += between - start;
        spent.ours += sumOf(pids.map(cpuMs)) - between;
      }
      return { seconds, each: (ms: number) => `${(ms / rounds / files.length).toFixed(0)} ms`, spent };
    };
    const ofPhotographs = await compared(photographs, LARGE_ROUNDS);
    const ofNoise = await compared(noise, 1);
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
        name: `${LARGE} photographs of 5 MB, JPEG, 12 megapixels (script, browser)`,
        value: [ofPhotographs.seconds.raw, ofPhotographs.seconds.ours].map((each) => rate(LARGE * LARGE_ROUNDS, each)).join(", "),
      },
      {
        name: "5 MB photographs: CPU time per file of app and deployment (script, browser)",
        value: [ofPhotographs.spent.raw, ofPhotographs.spent.ours].map(ofPhotographs.each).join(", "),
      },
      ratio("5 MB photographs: browser ÷ script", ofPhotographs.seconds.raw, ofPhotographs.seconds.ours, 0.8),
      {
        name: `${LARGE} PNG files of noise, 5 MB each (script, browser)`,
        value: [ofNoise.seconds.raw, ofNoise.seconds.ours].map((each) => rate(LARGE, each)).join(", "),
      },
      { name: "5 MB of noise: browser ÷ script", value: (ofNoise.seconds.raw / ofNoise.seconds.ours).toFixed(2) },
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

async function makeFiles(folder: string, count: number, make: (n: number) => Promise<Buffer>): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const paths: string[] = [];
  for (let n = 0; n < count; n++) {
    const bytes = await make(n);
    const path = join(folder, `${String(n).padStart(4, "0")}.${bytes[0] === JPEG_START ? "jpg" : "png"}`);
    writeFileSync(path, bytes);
    paths.push(path);
  }
  return paths;
}

const JPEG_START = 0xff;

/** A square of random pixels: 26 wide has 2 KB, 1300 wide 5 MB. */
const picture = (width: number) =>
  sharp(randomBytes(3 * width * width), { raw: { width, height: width, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();

const namesIn = async (app: Awaited<ReturnType<typeof startApp>>, person: Person, designId: Parameters<typeof imagesIn>[2]) =>
  (await imagesIn(app, person, designId)).map(({ name }) => name);

const sumOf = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0);

function misplaced(names: string[]): number {
  return names.filter((name, index) => index > 0 && name < (names[index - 1] ?? "")).length;
}

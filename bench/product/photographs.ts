/** Measures uploads of 5 MB photographs in a browser. The baselines are a script and a bare page that do the same work for each file. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "@playwright/test";
import { makeDesign } from "../../tests/e2e/support/pictures.ts";
import { type RunningApp, startApp } from "../../tests/harness/app.ts";
import { launchOptions } from "../../tests/harness/chromium.ts";
import { signUp } from "../../tests/harness/people.ts";
import { hydrated } from "../../tests/harness/test.ts";
import { removeFolder, temporaryFolder } from "../deployment.ts";
import { grainyPhotograph, withComment } from "../photograph.ts";
import { addTimes, type ProcessTimes, processTimes, since, sumOf, timesText } from "../process-times.ts";
import { atMost, type Figure, median, ratio } from "../report.ts";
import { addAll } from "./add-all.ts";
import { phasesOf, recordPhases } from "./page-phases.ts";
import { add, browserOf, profiled, sendAll } from "./uploads.ts";

const FILES = Number(process.env["BENCH_LARGE_FILES"] ?? 120);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
const PHOTOGRAPH_BYTES = 5_000_000;
const CONNECTIONS = 8;
const IMAGE_ACCEPT = "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8";

type Run = { seconds: number; times: ProcessTimes };

export async function photographs(): Promise<Figure[]> {
  const folder = temporaryFolder("photographs");
  const app = await startApp({ LOG_LEVEL: "warn", ...profiled() });
  const photograph = await grainyPhotograph(PHOTOGRAPH_BYTES);
  let made = 0;
  /** Writes new files for each run, because the app keeps variants of known files. */
  const withFiles = async <Result>(run: (paths: string[]) => Promise<Result>): Promise<Result> => {
    const files = join(folder, "files");
    mkdirSync(files);
    try {
      const paths = Array.from({ length: FILES }, (_, n) => join(files, `${String(n).padStart(4, "0")}.jpg`));
      for (const path of paths) writeFileSync(path, withComment(photograph, String(made++)));
      return await run(paths);
    } finally {
      rmSync(files, { recursive: true });
    }
  };
  const runs = { script: [] as Run[], withThumbnails: [] as Run[], bare: [] as Run[], page: [] as Run[] };
  let phases = "";
  let thumbnails: string[] = [];
  let longest = 0;
  try {
    await withFiles((paths) => byScript(app, paths, []));
    for (let round = 0; round < ROUNDS; round++) {
      runs.script.push(await withFiles((paths) => byScript(app, paths, [])));
      const ofPage = await withFiles((paths) => inBrowser(app, join(folder, `profile-${round}`), (context) => byPage(app, context, paths)));
      ({ phases, thumbnails } = ofPage);
      longest = Math.max(longest, ofPage.longest);
      runs.page.push(ofPage);
      runs.withThumbnails.push(await withFiles((paths) => byScript(app, paths, thumbnails)));
      runs.bare.push(
        await withFiles((paths) => inBrowser(app, join(folder, `bare-${round}`), (context) => byBarePage(app, context, paths))),
      );
    }
    /** Compares runs of the same round, because the speed of the machine changes between rounds. */
    const ofRounds = (of: Run[], to: Run[]) => median(of.map((run, round) => (to[round]?.seconds ?? Number.NaN) / run.seconds));
    const seconds = (of: Run[]) => median(of.map((run) => run.seconds));
    const rate = (of: Run[]) =>
      `${(FILES / seconds(of)).toFixed(1)} a second (${of.map((run) => (FILES / run.seconds).toFixed(1)).join(", ")})`;
    const timesOf = (of: Run[]) => of.reduce<ProcessTimes>((sum, { times }) => addTimes(sum, times), new Map());
    const computed = (of: Run[]) => timesText(timesOf(of), FILES * of.length);
    const withThumbnails = "script that also requests the page's thumbnails";
    const barePage = "bare page that only sends the files";
    return [
      { name: `${FILES} photographs of 5 MB, script with ${CONNECTIONS} connections`, value: rate(runs.script) },
      { name: `${withThumbnails} (${thumbnails.length})`, value: rate(runs.withThumbnails) },
      { name: barePage, value: rate(runs.bare) },
      { name: "page", value: rate(runs.page) },
      { name: "script: CPU time per file", value: computed(runs.script) },
      { name: "script with thumbnails: CPU time per file", value: computed(runs.withThumbnails) },
      { name: "bare page: CPU time per file", value: computed(runs.bare) },
      { name: "page: CPU time per file", value: computed(runs.page) },
      {
        name: "CPU time of all processes: script with thumbnails ÷ page",
        value: (sumOf(timesOf(runs.withThumbnails)) / sumOf(timesOf(runs.page))).toFixed(2),
      },
      { name: "page: calls and their mean time, with waiting", value: phases },
      { name: "bare page ÷ script", value: ofRounds(runs.bare, runs.script).toFixed(2) },
      { name: "page ÷ script with thumbnails", value: ofRounds(runs.page, runs.withThumbnails).toFixed(2) },
      ratio("page ÷ script", ofRounds(runs.page, runs.script), 1, 0.8),
      atMost("longest task in the page", longest, 100, "ms"),
    ];
  } finally {
    await app.dispose();
    removeFolder(folder);
  }
}

async function byScript(app: RunningApp, paths: string[], thumbnails: string[]): Promise<Run> {
  const person = await signUp(app.url);
  const { designId } = await makeDesign(app, person);
  const session = await browserOf(app, person);
  const before = processTimes();
  const searches = [...thumbnails];
  const seconds = await sendAll(paths, CONNECTIONS, async (path) => {
    const bytes = readFileSync(path);
    const { imageId } = await add(app, session, designId, { bytes, checksum: createHash("sha256").update(bytes).digest("hex") });
    const search = searches.pop();
    if (search === undefined) return;
    const image = await fetch(`${app.url}/images/${imageId}${search}`, { headers: { ...session.headers, Accept: IMAGE_ACCEPT } });
    if (!image.ok) throw new Error(`No thumbnail: ${image.status}`);
    await image.arrayBuffer();
  });
  return { seconds, times: since(before) };
}

async function inBrowser<Result>(app: RunningApp, profile: string, run: (context: BrowserContext) => Promise<Result>): Promise<Result> {
  // A context without a profile would store the queue's copies in memory.
  const context = await chromium.launchPersistentContext(profile, { ...(await launchOptions()), baseURL: app.url });
  try {
    return await run(context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true });
  }
}

async function openPage(app: RunningApp, context: BrowserContext): Promise<{ page: Page; designId: string; path: string }> {
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person);
  await context.addCookies(person.cookies);
  const page = context.pages()[0] ?? (await context.newPage());
  return { page, designId, path };
}

async function byPage(app: RunningApp, context: BrowserContext, paths: string[]) {
  const { page, path } = await openPage(app, context);
  await recordPhases(page);
  await page.goto(path);
  await hydrated(page);
  await page.waitForLoadState("networkidle");
  const before = processTimes();
  const { seconds, longest } = await addAll(page, paths);
  const times = since(before);
  return { seconds, times, longest, ...(await phasesOf(page)) };
}

/** Sends the files as the page's own code does, without a checksum, a copy or anything shown. Browsers open six connections. */
async function byBarePage(app: RunningApp, context: BrowserContext, paths: string[]): Promise<Run> {
  const { page, designId } = await openPage(app, context);
  await page.goto("/error");
  await page.evaluate(() =>
    document.body.append(Object.assign(document.createElement("input"), { type: "file", multiple: true, id: "files" })),
  );
  const before = processTimes();
  const start = performance.now();
  await page.locator("#files").setInputFiles(paths);
  await page.evaluate(
    async ([designId, connections]) => {
      const input = document.querySelector("#files");
      const files = input instanceof HTMLInputElement ? [...(input.files ?? [])] : [];
      const version = { "Tus-Resumable": "1.0.0" };
      const send = async (file: File) => {
        const metadata = `design ${btoa(designId)},filename ${btoa(file.name)}`;
        const headers = { ...version, "Upload-Length": String(file.size), "Upload-Metadata": metadata };
        const created = await fetch("/uploads", { method: "POST", headers });
        const path = created.headers.get("Location") ?? "";
        const type = { "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0" };
        await fetch(path, { method: "PATCH", headers: { ...version, ...type }, body: file });
        const finished = await fetch(`${path}/finish`, { method: "POST" });
        if (!(await finished.json()).ok) throw new Error("Not finished");
      };
      let next = 0;
      const sendInTurn = async () => {
        for (let file = files[next++]; file; file = files[next++]) await send(file);
      };
      await Promise.all(Array.from({ length: connections }, sendInTurn));
    },
    [designId, CONNECTIONS] as const,
  );
  const seconds = (performance.now() - start) / 1000;
  return { seconds, times: since(before) };
}

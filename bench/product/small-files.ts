import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import sharp from "sharp";
import { imagesIn, makeDesign } from "../../tests/e2e/support/pictures.ts";
import { startApp } from "../../tests/harness/app.ts";
import { launchOptions } from "../../tests/harness/chromium.ts";
import { type Person, signUp } from "../../tests/harness/people.ts";
import { cpuMs, processesOf } from "../../tests/harness/processes.ts";
import { hydrated, openBrowser } from "../../tests/harness/test.ts";
import { removeFolder, temporaryFolder } from "../deployment.ts";
import { atLeast, atMost, type Figure } from "../report.ts";
import { addAll } from "./add-all.ts";
import { add, browserOf, profiled, sendAll } from "./uploads.ts";

const SMALL = Number(process.env["BENCH_FILES"] ?? 1000);
const CONNECTIONS = 8;

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
    const small = await makeFiles(join(folder, "small"), SMALL);
    await raw(small.slice(0, 16));
    const pids = processesOf(app);
    const computed = [pids.map(cpuMs)];
    const rawSmall = await raw(small);
    computed.push(pids.map(cpuMs));
    const ours = await inBrowser(small);
    computed.push(pids.map(cpuMs));
    const [byScript, byBrowser] = [1, 2].map((at) =>
      (computed[at] ?? []).map((ms, index) => `${((ms - (computed[at - 1]?.[index] ?? 0)) / SMALL).toFixed(1)} ms`).join(" and "),
    );
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
    ];
  } finally {
    await browser.close();
    await app.dispose();
    removeFolder(folder);
  }
}

async function makeFiles(folder: string, count: number): Promise<string[]> {
  mkdirSync(folder, { recursive: true });
  const paths: string[] = [];
  for (let n = 0; n < count; n++) {
    const path = join(folder, `${String(n).padStart(4, "0")}.png`);
    writeFileSync(path, await picture(26));
    paths.push(path);
  }
  return paths;
}

const picture = (width: number) =>
  sharp(randomBytes(3 * width * width), { raw: { width, height: width, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer();

const namesIn = async (app: Awaited<ReturnType<typeof startApp>>, person: Person, designId: Parameters<typeof imagesIn>[2]) =>
  (await imagesIn(app, person, designId)).map(({ name }) => name);

function misplaced(names: string[]): number {
  return names.filter((name, index) => index > 0 && name < (names[index - 1] ?? "")).length;
}

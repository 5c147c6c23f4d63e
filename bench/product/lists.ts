import { chromium, type Browser, type Page } from "@playwright/test";
import type { ConvexHttpClient } from "convex/browser";
import { api } from "../../convex/_generated/api.js";
import { addPictures, deploymentAs } from "../../tests/e2e/support/pictures.ts";
import { type RunningApp, startApp } from "../../tests/harness/app.ts";
import { launchOptions } from "../../tests/harness/chromium.ts";
import { type Person, signUp } from "../../tests/harness/people.ts";
import { atMost, type Figure, median, rounded } from "../report.ts";

const ROUNDS = 7;
const AT_ONCE = 32;

type List = {
  things: string;
  path: string;
  rows: string;
  counts: number[];
  already: number;
  add: (count: number) => Promise<unknown>;
  change: (name: string) => Promise<unknown>;
  find: (text: string) => Promise<unknown>;
  common: string;
};

export async function lists(): Promise<Figure[]> {
  const app = await startApp({ LOG_LEVEL: "warn" });
  const browser = await chromium.launch(await launchOptions());
  try {
    const person = await signUp(app.url);
    const figures: Figure[] = [];
    for (const list of [
      await manyProjects(app, person),
      await manyDesigns(app, await signUp(app.url)),
      await manyImages(app, await signUp(app.url)),
    ])
      figures.push(...(await measure(app, browser, list)));
    return figures;
  } finally {
    await browser.close();
    await app.dispose();
  }
}

async function repeat(count: number, call: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < count) await call(next++);
    }),
  );
}

async function manyProjects(app: RunningApp, person: Person): Promise<List & { person: Person }> {
  const convex: ConvexHttpClient = await deploymentAs(app, person);
  const first = await convex.mutation(api.projects.create, { name: "First" });
  return {
    person,
    things: "projects",
    path: "/projects",
    rows: ".cards > li",
    counts: [100, 1000],
    already: 1,
    add: (count) => repeat(count, (n) => convex.mutation(api.projects.create, { name: `Project ${n}` }, { skipQueue: true })),
    change: (name) => convex.mutation(api.projects.rename, { id: first, name }),
    find: (text) => convex.query(api.search.find, { text }),
    common: "Project",
  };
}

async function manyDesigns(app: RunningApp, person: Person): Promise<List & { person: Person }> {
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: "Many" });
  const first = await convex.mutation(api.designs.create, { projectId, name: "First" });
  return {
    person,
    things: "designs",
    path: `/projects/${projectId}`,
    rows: ".cards > li",
    counts: [100, 1000, 10_000],
    already: 1,
    add: (count) => repeat(count, (n) => convex.mutation(api.designs.create, { projectId, name: `Design ${n}` }, { skipQueue: true })),
    change: (name) => convex.mutation(api.designs.rename, { id: first, name }),
    find: (text) => convex.query(api.search.find, { text }),
    common: "Design",
  };
}

async function manyImages(app: RunningApp, person: Person): Promise<List & { person: Person }> {
  const convex = await deploymentAs(app, person);
  const projectId = await convex.mutation(api.projects.create, { name: "Many" });
  const designId = await convex.mutation(api.designs.create, { projectId, name: "Images" });
  const [first = ""] = await addPictures(app, person, designId, ["stripes", "fig"]);
  const images = await convex.query(api.designImages.getDesignImagesByDesignId, { designId });
  const last = images.at(-1)?._id ?? "";
  return {
    person,
    things: "images",
    path: `/design/${designId}`,
    rows: ".gallery > li",
    counts: [100, 1000, 10_000],
    already: 2,
    add: (count) => repeat(count, () => convex.mutation(api.designImages.duplicate, { id: last }, { skipQueue: true })),
    change: (name) => convex.mutation(api.designImages.rename, { id: first, name }),
    find: (text) => convex.query(api.search.find, { text }),
    common: "fig",
  };
}

async function measure(app: RunningApp, browser: Browser, { person, ...list }: List & { person: Person }): Promise<Figure[]> {
  const figures: Figure[] = [];
  const context = await browser.newContext({ baseURL: app.url, viewport: { width: 1440, height: 900 } });
  await context.addCookies(person.cookies);
  const page = await context.newPage();
  let bytes = 0;
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => (bytes += payload.length)));

  const before: Record<string, number[]> = { paint: [], change: [], rare: [] };
  let there = list.already;
  for (const count of list.counts) {
    await list.add(count - there);
    there = count;
    const [paint, html]: [number[], number[]] = [[], []];
    for (let round = -1; round < ROUNDS; round++) {
      const answer = await page.goto(list.path);
      const at = await firstPaint(page);
      if (round < 0) continue;
      paint.push(at);
      html.push((await answer?.body())?.length ?? 0);
    }
    await page.waitForLoadState("networkidle");
    const shown = await page.locator(list.rows).count();
    const title = `${rounded(count)} ${list.things}`;
    figures.push({
      name: `${title}: rows rendered, size of the HTML`,
      value: `${shown}, ${rounded(median(html) / 1024)} KiB`,
    });
    figures.push({ name: `${title}: first paint`, value: `${rounded(median(paint))} ms` });
    figures.push({ name: `${title}: layout and paint after a resize`, value: `${(await layout(page)).toFixed(0)} ms` });
    await page.reload();
    await page.waitForLoadState("networkidle");
    const changed = await changing(page, list, () => bytes);
    figures.push({
      name: `${title}: live change until shown, bytes sent`,
      value: `${rounded(changed.took)} ms, ${rounded(changed.sent / 1024)} KiB`,
    });
    const [rare, common] = [await searching(list, "Changed"), await searching(list, list.common)];
    figures.push({
      name: `${title}: search with one match, with all`,
      value: `${rounded(rare)} and ${rounded(common)} ms`,
    });
    figures.push({ name: `${title}: frame while scrolling, p50 and longest`, value: await scroll(page) });
    await page.waitForLoadState("networkidle");
    const open = await page.locator(list.rows).count();
    const scrolled = await changing(page, list, () => bytes);
    figures.push({
      name: `${title}: live change after scrolling; rows, bytes sent`,
      value: `${rounded(scrolled.took)} ms; ${rounded(open)}, ${rounded(scrolled.sent / 1024)} KiB`,
    });
    before["paint"]?.push(median(paint));
    before["change"]?.push(changed.took);
    before["rare"]?.push(rare);
    // A page has at most 200 rows. Further rows must cost nothing until they are shown; shown pages stay live.
    if (count > 1000) {
      figures.push(atMost(`${title}: first paint ÷ with 1,000`, median(paint) / (before["paint"]?.at(-2) ?? NaN), 1.3, ""));
      figures.push(atMost(`${title}: live change ÷ with 1,000`, changed.took / (before["change"]?.at(-2) ?? NaN), 1.3, ""));
      figures.push(atMost(`${title}: search with one match ÷ with 1,000`, rare / (before["rare"]?.at(-2) ?? NaN), 1.3, ""));
    }
  }
  await context.close();
  return figures;
}

async function changing(page: Page, { change }: List, received: () => number): Promise<{ took: number; sent: number }> {
  const [took, sent]: [number[], number[]] = [[], []];
  for (let round = -1; round < ROUNDS; round++) {
    const name = `Changed ${performance.now()}`;
    await page.evaluate(recordWhenShown, name);
    const before = received();
    const began = performance.now();
    await change(name);
    await page.evaluate(() => Object(window).shown);
    if (round < 0) continue;
    took.push(performance.now() - began);
    sent.push(received() - before);
  }
  return { took: median(took), sent: median(sent) };
}

function recordWhenShown(name: string): void {
  Object(window).shown = new Promise<void>((resolve) =>
    new MutationObserver((records, observer) => {
      const nodes = records.flatMap(({ target, addedNodes }) =>
        addedNodes.length > 0 ? [...addedNodes] : target.nodeType === Node.TEXT_NODE ? [target] : [],
      );
      if (!nodes.some(({ textContent }) => textContent?.includes(name))) return;
      observer.disconnect();
      resolve();
    }).observe(document.body, { subtree: true, childList: true, characterData: true }),
  );
}

/** Returns ms of a search after a change, so that no cache answers. Sorting by relevance reads all matches. */
async function searching({ change, find }: List, text: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 3 * ROUNDS; round++) {
    await change(`Changed ${round}`);
    const began = performance.now();
    await find(text);
    times.push(performance.now() - began);
  }
  return median(times);
}

const firstPaint = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) =>
        new PerformanceObserver((list, observer) => {
          const entry = list.getEntriesByName("first-contentful-paint")[0];
          if (!entry) return;
          observer.disconnect();
          resolve(entry.startTime);
        }).observe({ type: "paint", buffered: true }),
      ),
  );

async function layout(page: Page): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    times.push(
      await page.evaluate(
        (narrower) =>
          new Promise<number>((resolve) =>
            requestAnimationFrame(() => {
              const began = performance.now();
              document.body.style.width = narrower ? "calc(100% - 40px)" : "";
              void document.body.offsetHeight;
              requestAnimationFrame(() => resolve(performance.now() - began));
            }),
          ),
        round % 2 === 0,
      ),
    );
  return median(times);
}

async function scroll(page: Page): Promise<string> {
  const frames = await page.evaluate(async () => {
    const times: number[] = [];
    let last = performance.now();
    for (let y = 0; y < document.documentElement.scrollHeight; y += 450) {
      scrollTo(0, y);
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - last);
      last = performance.now();
    }
    return times;
  });
  return `${median(frames).toFixed(0)} and ${Math.max(...frames).toFixed(0)} ms`;
}

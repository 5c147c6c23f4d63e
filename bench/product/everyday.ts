/** Measures actions in a browser, from the event to the frame with its result. The baseline of each action is a minimal page with this action alone. */
import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { chromium, type Browser, type Page } from "@playwright/test";
import sharp from "sharp";
import { api } from "../../convex/_generated/api.js";
import { addPictures, deploymentAs, imagesIn, makeDesign } from "../../tests/e2e/support/pictures.ts";
import { picturePath } from "../../tests/fixtures/pictures.ts";
import { type RunningApp, startApp } from "../../tests/harness/app.ts";
import { launchOptions } from "../../tests/harness/chromium.ts";
import { signUp } from "../../tests/harness/people.ts";
import { hydrated, openBrowser } from "../../tests/harness/test.ts";
import { atMost, type Figure, median, percentile } from "../report.ts";
import { sendAll } from "./uploads.ts";

const FILES = 20;
const PICTURES = 21;
const KEY_ROUNDS = 5;
const IMAGES = Number(process.env["BENCH_IMAGES"] ?? 10_000);
const AT_ONCE = 32;
const PAINT_MAX_MS = 30_000;
const PHONE = { width: 360, height: 740 };
const PINCH_STEPS = 240;
const FRAME_MAX_MS = 32;
const WORDS = ["lighthouse", "harbour", "meadow", "granite", "lantern", "orchard", "compass", "willow"];

export async function everyday(): Promise<Figure[]> {
  const app = await startApp({ LOG_LEVEL: "warn" });
  const browser = await chromium.launch(await launchOptions());
  const bare = await startBare();
  try {
    return [
      ...(await thumbnails(app, browser, bare.url)),
      ...(await viewerKeys(app, browser, bare)),
      ...(await pinches(app, browser, bare)),
      ...(await searchAsYouType(app, browser)),
    ];
  } finally {
    await browser.close();
    await bare.close();
    await app.dispose();
  }
}

async function thumbnails(app: RunningApp, browser: Browser, bareUrl: string): Promise<Figure[]> {
  const person = await signUp(app.url);
  const { path } = await makeDesign(app, person);
  const ours = await openBrowser(browser, app, person);
  await ours.goto(path);
  await hydrated(ours);
  const theirs = await browser.newPage();
  await theirs.goto(bareUrl);
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let n = 0; n < FILES; n++) {
    const file = { name: `photograph ${n}.jpg`, mimeType: "image/jpeg", buffer: await photograph(n) };
    times.theirs.push(await untilPainted(theirs, "change", "img", n + 1, () => theirs.locator("input").setInputFiles(file)));
    if (n > 0) await ours.locator(".gallery img").last().scrollIntoViewIfNeeded();
    const choose = () => ours.getByLabel("Add images").first().setInputFiles(file);
    times.ours.push(await untilPainted(ours, "change", ".gallery img", n + 1, choose));
  }
  await ours.context().close();
  await theirs.close();
  return figures("file choice to visible thumbnail", "a bare page that stores and shows the file", times, { p50: 500, p99: 1500 });
}

async function viewerKeys(app: RunningApp, browser: Browser, bare: Awaited<ReturnType<typeof startBare>>): Promise<Figure[]> {
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person);
  const pictures = await Promise.all(Array.from({ length: PICTURES }, (_, n) => photograph(n)));
  await addPictures(
    app,
    person,
    designId,
    pictures.map((picture, n) => ({ name: `photograph ${n}.jpg`, mimeType: "image/jpeg", buffer: picture })),
  );
  const ids = (await imagesIn(app, person, designId)).map(({ _id }) => _id);
  const ours = await openBrowser(browser, app, person);
  const theirs = await browser.newPage();
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < KEY_ROUNDS; round++) {
    await ours.goto(`${path}/images/${ids[0]}`);
    await hydrated(ours);
    await ours.waitForLoadState("networkidle");
    await theirs.goto(bare.viewer(pictures));
    await theirs.waitForLoadState("networkidle");
    for (let n = 1; n < PICTURES; n++) {
      const next = (page: Page) => () => page.keyboard.press("ArrowRight");
      times.theirs.push(await untilPainted(theirs, "keydown", `img[src*="${n}.jpg"]`, 1, next(theirs)));
      times.ours.push(await untilPainted(ours, "keydown", `.viewer-picture img[src*="${ids[n]}"]`, 1, next(ours)));
    }
  }
  await ours.context().close();
  await theirs.close();
  return figures("viewer key to painted image", "a bare page with all images decoded", times, { p50: 50, p99: 250 });
}

async function pinches(app: RunningApp, browser: Browser, bare: Awaited<ReturnType<typeof startBare>>): Promise<Figure[]> {
  const person = await signUp(app.url);
  const { designId, path } = await makeDesign(app, person);
  const picture = await photograph(0);
  const [id = ""] = await addPictures(app, person, designId, [{ name: "photograph.jpg", mimeType: "image/jpeg", buffer: picture }]);
  const context = await browser.newContext({ viewport: PHONE, hasTouch: true });
  await context.addCookies(person.cookies);
  const framesOf = async (address: string, ready: (page: Page) => Promise<void>) => {
    const page = await context.newPage();
    await page.goto(address);
    await ready(page);
    await page.waitForLoadState("networkidle");
    const frames = await framesWhile(page, () => pinch(page));
    await page.close();
    return frames;
  };
  const theirs = await framesOf(bare.viewer([picture]), async () => {});
  const ours = await framesOf(`${app.url}${path}/images/${id}`, hydrated);
  await context.close();
  const late = (frames: number[]) => (100 * frames.filter((ms) => ms > FRAME_MAX_MS).length) / frames.length;
  const text = (frames: number[]) => `${late(frames).toFixed(1)}% of ${frames.length}, longest ${Math.max(...frames).toFixed(0)} ms`;
  const what = `pinch in the viewer, frames over ${FRAME_MAX_MS} ms`;
  return [
    { name: `${what}: baseline (a bare page that sets the height of one image)`, value: text(theirs) },
    { name: what, value: text(ours) },
    atMost(`${what}: above the baseline`, late(ours) - late(theirs), 5, "%"),
  ];
}

async function pinch(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove", apart: number) => {
    const touchPoints = [-apart, apart].map((from, finger) => ({ x: PHONE.width / 2 + from, y: PHONE.height / 2, id: finger }));
    return cdp.send("Input.dispatchTouchEvent", { type, touchPoints });
  };
  await touch("touchStart", 20);
  for (let n = 0; n < PINCH_STEPS; n++) await touch("touchMove", 80 - 60 * Math.cos((8 * Math.PI * n) / PINCH_STEPS));
  await cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

async function framesWhile(page: Page, act: () => Promise<void>): Promise<number[]> {
  await page.evaluate(() => {
    const frames: number[] = [];
    let last: number | null = null;
    const sample = (now: number) => {
      if (last !== null) frames.push(now - last);
      last = now;
      requestAnimationFrame(sample);
    };
    requestAnimationFrame(sample);
    Object.assign(window, { frames });
  });
  await act();
  const frames: unknown = await page.evaluate(() => Reflect.get(window, "frames"));
  return Array.isArray(frames) ? frames.map(Number) : [];
}

async function searchAsYouType(app: RunningApp, browser: Browser): Promise<Figure[]> {
  const person = await signUp(app.url);
  const { designId } = await makeDesign(app, person);
  const [first = ""] = await addPictures(app, person, designId, ["stripes"]);
  const convex = await deploymentAs(app, person);
  const numbers = Array.from({ length: IMAGES - 1 }, (_, n) => n);
  await sendAll(numbers, AT_ONCE, async (n) => {
    const id = await convex.mutation(api.designImages.duplicate, { id: first }, { skipQueue: true });
    await convex.mutation(api.designImages.rename, { id, name: `${WORDS[n % WORDS.length]} ${n}.png` }, { skipQueue: true });
  });
  const page = await openBrowser(browser, app, person);
  await page.goto("/search");
  await hydrated(page);
  await page.waitForLoadState("networkidle");
  const times = { ours: [] as number[], theirs: [] as number[] };
  const field = page.getByLabel("Search terms");
  for (const word of WORDS) {
    await field.fill("");
    for (let length = 1; length <= word.length; length++) {
      const letter = word.charAt(length - 1);
      const change = (name: string) => convex.mutation(api.designImages.rename, { id: first, name });
      await change(`stripes ${word} ${length} a.png`);
      const before = performance.now();
      await convex.query(api.search.find, { text: word.slice(0, length) });
      times.theirs.push(performance.now() - before);
      await change(`stripes ${word} ${length} b.png`);
      times.ours.push(await untilPainted(page, "input", '[aria-busy="false"] mark', 1, () => field.press(letter)));
    }
  }
  await page.context().close();
  return figures(`letter to painted results, ${IMAGES} images`, "the query alone, over HTTP", times, { p50: 100, p99: 400 });
}

type Times = { ours: number[]; theirs: number[] };

function figures(what: string, baseline: string, { ours, theirs }: Times, most: { p50: number; p99: number }): Figure[] {
  const both = (times: number[]) => `${median(times).toFixed(1)} and ${percentile(times, 0.99).toFixed(1)} ms`;
  return [
    { name: `${what}: baseline (${baseline}), p50 and p99`, value: both(theirs) },
    { name: `${what}: p50 and p99`, value: both(ours) },
    atMost(`${what}: p50 above the baseline`, median(ours) - median(theirs), most.p50, "ms"),
    atMost(`${what}: p99 above the baseline`, percentile(ours, 0.99) - percentile(theirs, 0.99), most.p99, "ms"),
  ];
}

async function untilPainted(page: Page, event: string, selector: string, count: number, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate(
    ([event, selector, count, most]) => {
      const painted = Promise.withResolvers<number>();
      const isShown = (element: Element) => !(element instanceof HTMLImageElement) || (element.complete && element.naturalWidth > 0);
      const onEvent = () => {
        const began = performance.now();
        const sample = () => {
          const shown = [...document.querySelectorAll(selector)].filter(isShown);
          const last = shown.at(-1);
          if (performance.now() - began > most) {
            const states = Array.from(
              document.querySelectorAll("img"),
              ({ src, complete, naturalWidth }) => `${src} ${complete} ${naturalWidth}`,
            );
            return painted.reject(new Error(`${selector} was not painted on ${location.href}, but:\n${states.join("\n")}`));
          }
          if (shown.length < count || !last) return void requestAnimationFrame(sample);
          const decoded = last instanceof HTMLImageElement ? last.decode() : Promise.resolve();
          const end = () => requestAnimationFrame(() => setTimeout(() => painted.resolve(performance.now() - began)));
          decoded.then(end, () => requestAnimationFrame(sample));
        };
        requestAnimationFrame(sample);
      };
      document.addEventListener(event, onEvent, { once: true, capture: true });
      Object.assign(window, { painted: painted.promise });
    },
    [event, selector, count, PAINT_MAX_MS] as const,
  );
  await act();
  return Number(await page.evaluate(() => Reflect.get(window, "painted")));
}

async function photograph(number: number): Promise<Buffer> {
  const { width } = await sharp(picturePath("dandelions")).metadata();
  const tint = { r: 120 + 5 * (number % 20), g: 160, b: 200 };
  return sharp(picturePath("dandelions")).resize(Math.min(width, 1600)).tint(tint).jpeg({ quality: 85 }).toBuffer();
}

const UPLOAD = `<!doctype html><input type="file"><script>
  document.querySelector("input").onchange = async ({ target }) => {
    const path = await (await fetch("/", { method: "POST", body: target.files[0] })).text();
    const image = new Image();
    image.src = path;
    image.height = 200;
    document.body.append(image);
  };
</script>`;

const VIEWER = `<!doctype html><body style="margin:0;touch-action:none"><script>
  const count = Number(new URLSearchParams(location.search).get("count"));
  const images = Array.from({ length: count }, (_, n) => Object.assign(new Image(), { src: "/viewer/" + n + ".jpg", height: innerHeight }));
  for (const image of images) void image.decode();
  let at = 0;
  document.body.append(images[0]);
  addEventListener("keydown", ({ key }) => key === "ArrowRight" && document.querySelector("img").replaceWith(images[++at]));
  addEventListener("touchmove", ({ touches: [one, two] }) => (images[at].height = 2 * Math.abs(two.clientX - one.clientX)));
</script>`;

async function startBare() {
  const stored = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://bare").pathname;
    if (request.method === "POST") {
      const name = `/stored/${stored.size}.jpg`;
      return void buffer(request).then((bytes) => {
        stored.set(name, bytes);
        response.end(name);
      });
    }
    const file = stored.get(path);
    response.setHeader("Content-Type", file ? "image/jpeg" : "text/html");
    response.end(file ?? (path === "/viewer" ? VIEWER : UPLOAD));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  return {
    url,
    viewer(pictures: Buffer[]): string {
      for (const [n, picture] of pictures.entries()) stored.set(`/viewer/${n}.jpg`, picture);
      return `${url}/viewer?count=${pictures.length}`;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

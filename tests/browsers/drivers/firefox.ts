import { launch as launchBrowser } from "puppeteer-core";
import type { Driver, DriverOptions, Installation } from "./driver.ts";
import { findProgram } from "../../harness/programs.ts";

const PROGRAM = { variable: "FIREFOX_PATH", names: ["firefox-esr", "firefox"], debianPackage: "firefox-esr" };

/** Firefox logs a failed WebSocket like an uncaught error. The page cannot prevent it. */
const FAILED_CONNECTION = /^(Firefox can’t establish a connection to the server at|The connection to) ws:/;

export const firefox: Installation = { name: "Firefox", check: () => void findProgram(PROGRAM), launch };

async function launch({ width, height, javaScript }: DriverOptions): Promise<Driver> {
  const browser = await launchBrowser({
    browser: "firefox",
    executablePath: findProgram(PROGRAM),
    headless: true,
    defaultViewport: { width, height },
    extraPrefsFirefox: {
      // Firefox 153 does not support `emulation.setScriptingEnabled`.
      "javascript.enabled": javaScript,
      // A machine without a mouse would otherwise match `(hover: none)`.
      "ui.primaryPointerCapabilities": 6,
      "ui.allPointerCapabilities": 6,
    },
  });
  const page = await browser.newPage();
  await page.setViewport({ width, height });
  const errors: string[] = [];
  page.on("pageerror", (error) => {
    const text = error instanceof Error ? `${error.message}\n${error.stack ?? ""}` : String(error);
    if (!FAILED_CONNECTION.test(text)) errors.push(text);
  });

  return {
    version: (await browser.version()).replace("firefox/", "Firefox "),
    async goto(url) {
      await page.goto(url);
    },
    url: async () => page.url(),
    evaluate: (run, ...args) => page.evaluate(`(${run.toString()})(...${JSON.stringify(args)})`) as Promise<ReturnType<typeof run>>,
    async click({ x, y }, { button = "left", modifier } = {}) {
      if (modifier) await page.keyboard.down(modifier);
      await page.mouse.click(x, y, { button });
      if (modifier) await page.keyboard.up(modifier);
    },
    async drag(from, to) {
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
      await page.mouse.move(to.x, to.y, { steps: 10 });
      await page.mouse.up();
    },
    async press(key, modifier) {
      if (modifier) await page.keyboard.down(modifier);
      await page.keyboard.press(key === "Space" ? " " : key);
      if (modifier) await page.keyboard.up(modifier);
    },
    type: (text) => page.keyboard.type(text),
    async chooseFiles(paths) {
      const input = await page.$("input[type=file]");
      if (!input) throw new Error("The page has no file input.");
      await input.uploadFile(...paths);
    },
    async addCookies(cookies) {
      await browser.setCookie(
        ...cookies.map(({ name, value, url = "", httpOnly = false }) => ({
          name,
          value,
          domain: new URL(url).hostname,
          path: "/",
          httpOnly,
          sameSite: "Lax" as const,
        })),
      );
    },
    screenshot: async () => Buffer.from(await page.screenshot()),
    errors: async () => errors,
    close: () => browser.close(),
  };
}

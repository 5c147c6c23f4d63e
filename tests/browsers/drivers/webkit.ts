import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Builder, By, Capabilities, Key as SeleniumKey, Origin, type WebDriver } from "selenium-webdriver";
import { freePort } from "../../harness/app.ts";
import { openDisplay, XVFB } from "./display.ts";
import type { Driver, DriverOptions, Installation, Key, Point } from "./driver.ts";
import { findProgram } from "../../harness/programs.ts";

const DRIVER = { variable: "WEBKIT_DRIVER_PATH", names: ["WebKitWebDriver"], debianPackage: "webkit2gtk-driver" };
const BROWSER = {
  variable: "WEBKIT_PATH",
  names: globSync("/usr/lib/*/webkit2gtk-4.*/MiniBrowser"),
  debianPackage: "webkit2gtk-driver",
};

export const webkit: Installation = {
  name: "WebKit",
  check: () => [DRIVER, BROWSER, XVFB].forEach(findProgram),
  launch,
};

const KEY_CODES: Record<Key, string> = {
  Tab: SeleniumKey.TAB,
  Enter: SeleniumKey.ENTER,
  Escape: SeleniumKey.ESCAPE,
  Space: " ",
  ArrowDown: SeleniumKey.ARROW_DOWN,
  ArrowUp: SeleniumKey.ARROW_UP,
  ArrowLeft: SeleniumKey.ARROW_LEFT,
  ArrowRight: SeleniumKey.ARROW_RIGHT,
  Home: SeleniumKey.HOME,
  End: SeleniumKey.END,
  Delete: SeleniumKey.DELETE,
  F2: SeleniumKey.F2,
  i: "i",
  k: "k",
  z: "z",
};
const MODIFIERS = { Shift: SeleniumKey.SHIFT, Control: SeleniumKey.CONTROL };
const BARS = 100;
const FINAL_COMMAND_TIMEOUT_MS = 30_000;

async function launch({ width, height, javaScript }: DriverOptions): Promise<Driver> {
  const display = await openDisplay(width, height + BARS);
  const profile = await makeProfile();
  const port = await freePort();
  const server = spawn(findProgram(DRIVER), ["-p", String(port)], {
    env: { ...process.env, DISPLAY: display.name, XDG_CONFIG_HOME: profile },
    stdio: "ignore",
    detached: true,
  });
  const killGroup = () => killProcessGroup(server);
  process.once("exit", killGroup);
  await listening(port);
  const driver = await new Builder().usingServer(`http://127.0.0.1:${port}`).withCapabilities(capabilities(javaScript)).build();
  const barHeight = await resize(driver, width, height);

  return {
    version: `WebKitGTK ${(await driver.getCapabilities()).getBrowserVersion() ?? ""}`,
    async goto(url) {
      await driver.get(url);
      await driver.executeScript(storeErrors, ERRORS);
    },
    url: () => driver.getCurrentUrl(),
    evaluate: (run, ...args) => driver.executeScript(run, ...args),
    async click(point, { button = "left", modifier } = {}) {
      // WebKitWebDriver 2.50 releases the right button as the left one, which follows links.
      if (button === "right") return driver.executeScript(openContextMenu, point);
      const actions = driver.actions();
      if (modifier) actions.keyDown(MODIFIERS[modifier]);
      actions.move(at(point)).click();
      if (modifier) actions.keyUp(MODIFIERS[modifier]);
      await actions.perform();
    },
    async drag(from, to) {
      const actions = driver.actions().move(at(from)).press();
      for (let step = 1; step <= STEPS; step++) actions.move(at(between(from, to, step / STEPS)));
      await actions.release().perform();
    },
    async press(key, modifier) {
      const actions = driver.actions();
      if (modifier) actions.keyDown(MODIFIERS[modifier]);
      actions.keyDown(KEY_CODES[key]).keyUp(KEY_CODES[key]);
      if (modifier) actions.keyUp(MODIFIERS[modifier]);
      await actions.perform();
    },
    type: (text) => driver.actions().sendKeys(text).perform(),
    chooseFiles: (paths) => driver.findElement(By.css("input[type=file]")).sendKeys(paths.join("\n")),
    async addCookies(cookies) {
      const [first] = cookies;
      if (first?.url !== undefined) await driver.get(new URL("/healthz", first.url).href);
      for (const { name, value, httpOnly = false } of cookies)
        await driver.manage().addCookie({ name, value, path: "/", httpOnly, sameSite: "Lax" });
    },
    // WebKitWebDriver's own screenshot command hangs on Xvfb.
    async screenshot() {
      const screen = await display.capture();
      return screen.extract({ left: 0, top: barHeight, width, height }).png().toBuffer();
    },
    async errors() {
      const stored = await answered(driver.executeScript<string>(readErrors, ERRORS));
      return stored.split("\n").filter(Boolean);
    },
    async close() {
      await answered(driver.quit()).catch(() => {
        // A hung web process does not end automatically.
      });
      const exited = server.exitCode === null && server.signalCode === null ? once(server, "exit") : undefined;
      killGroup();
      await exited;
      process.off("exit", killGroup);
      await display.close();
      await rm(profile, { recursive: true });
    },
  };
}

async function answered<Result>(command: Promise<Result>): Promise<Result> {
  const late = new AbortController();
  const timeout = setTimeout(FINAL_COMMAND_TIMEOUT_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`WebKit has not answered for ${FINAL_COMMAND_TIMEOUT_MS} ms.`);
  });
  timeout.catch(() => {});
  return Promise.race([command, timeout]).finally(() => late.abort());
}

function killProcessGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

const STEPS = 10;
const at = ({ x, y }: Point) => ({ x: Math.round(x), y: Math.round(y), origin: Origin.VIEWPORT, duration: 0 });
const between = (from: Point, to: Point, share: number): Point => ({
  x: from.x + (to.x - from.x) * share,
  y: from.y + (to.y - from.y) * share,
});

function capabilities(javaScript: boolean): Capabilities {
  const args = ["--automation", `--enable-javascript=${javaScript}`];
  return new Capabilities({ browserName: "MiniBrowser", "webkitgtk:browserOptions": { binary: findProgram(BROWSER), args } });
}

async function makeProfile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "atelier-webkit-"));
  await mkdir(join(folder, "gtk-3.0"));
  const css = "button, entry, image, progressbar { min-width: 0; padding: 0; margin: 0; } image { -gtk-icon-transform: scale(0.1); }";
  await writeFile(join(folder, "gtk-3.0/gtk.css"), css);
  return folder;
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const connected = await new Promise<boolean>((resolve) =>
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false)),
    );
    socket.destroy();
    if (connected) return;
    await setTimeout(20);
  }
}

async function resize(driver: WebDriver, width: number, height: number): Promise<number> {
  const barHeight: number = await driver.executeScript(() => outerHeight - innerHeight);
  await driver
    .manage()
    .window()
    .setRect({ x: 0, y: 0, width, height: height + barHeight });
  await driver.wait(() => driver.executeScript((expected: number) => innerWidth === expected, width), 10_000, `no window of ${width} px`);
  return barHeight;
}

function openContextMenu({ x, y }: Point): void {
  const init = { bubbles: true, cancelable: true, clientX: x, clientY: y, button: 2 };
  document.elementFromPoint(x, y)?.dispatchEvent(new MouseEvent("contextmenu", init));
}

const ERRORS = "test-errors";

/** Stores errors in sessionStorage: an automated WebKit window prints none. */
function storeErrors(key: string): void {
  const store = (error: unknown) => {
    sessionStorage.setItem(key, `${sessionStorage.getItem(key) ?? ""}\n${String(error)}`);
  };
  addEventListener("error", ({ message }) => store(message));
  addEventListener("unhandledrejection", ({ reason }) => store(reason));
}

const readErrors = (key: string): string => sessionStorage.getItem(key) ?? "";

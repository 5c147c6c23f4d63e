import { expect } from "@playwright/test";
import sharp from "sharp";
import type { Box, Driver } from "./drivers/driver.ts";
import { findIn, type Found, type Query, resolveQuery } from "./find.ts";

export type Page = ReturnType<typeof createPage>;

export function createPage(driver: Driver, origin: string, javaScript: boolean) {
  const find = (query: Query, act: "none" | "scroll" | "select" = "none"): Promise<Found> =>
    driver.evaluate(findIn, resolveQuery(query), act);

  async function ready(): Promise<void> {
    if (javaScript) await expect.poll(() => driver.evaluate(isHydrated).catch(() => false)).toBe(true);
  }
  const poll = <Fact>(query: Query, fact: (found: Found) => Fact) =>
    expect.poll(() => find(query).then(fact, () => undefined), { message: describe(query) });

  return {
    driver,
    ready,
    async open(path: string): Promise<void> {
      await driver.goto(origin + path);
      await ready();
    },
    async click(query: Query, options?: Parameters<Driver["click"]>[1]): Promise<void> {
      await driver.click(centreOf(await this.reach(query)), options);
    },
    async reach(query: Query): Promise<Box> {
      let last = "";
      let box: Box = { x: 0, y: 0, width: 0, height: 0 };
      await expect
        .poll(
          async () => {
            const found = await find(query, "scroll").catch(() => undefined);
            if (!found?.visible || !found.reachable) return false;
            box = found.box;
            const [before, now] = [last, JSON.stringify(box)];
            last = now;
            return before === now;
          },
          { message: describe(query), intervals: [50] },
        )
        .toBe(true);
      return box;
    },
    async fillIn(query: Query, text: string): Promise<void> {
      await this.visible(query);
      await find(query, "select");
      await driver.type(text);
    },
    async focus(query: Query): Promise<void> {
      await poll(query, ({ count }) => count > 0).toBe(true);
      await find(query, "select");
    },
    visible: (query: Query) => poll(query, ({ visible }) => visible).toBe(true),
    hidden: (query: Query) => poll(query, ({ visible }) => visible).toBe(false),
    focused: (query: Query) => poll(query, ({ focused }) => focused).toBe(true),
    checked: (query: Query, checked = true) => poll(query, (found) => found.checked).toBe(checked),
    path: (pattern: RegExp | string) => {
      const path = async () => {
        const { pathname, search } = new URL(await driver.url());
        return pathname + search;
      };
      return typeof pattern === "string" ? expect.poll(path).toBe(pattern) : expect.poll(path).toMatch(pattern);
    },
    async painted(query: Query): Promise<void> {
      await this.reach(query);
      await expect
        .poll(async () => contrastIn(await driver.screenshot(), (await find(query)).box), { message: `${describe(query)} is painted` })
        .toBeGreaterThan(4);
    },
    noSidewaysScroll: () => expect.poll(() => driver.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true),
  };
}

const centreOf = ({ x, y, width, height }: Box) => ({ x: x + width / 2, y: y + height / 2 });

const describe = ({ role, name, within }: Query): string =>
  `${role} "${typeof name === "string" ? name : name.part}"${within ? ` in ${describe(within)}` : ""}`;

async function contrastIn(screenshot: Buffer, { x, y, width, height }: Box): Promise<number> {
  const { width: screenWidth, height: screenHeight } = await sharp(screenshot).metadata();
  const [left, top] = [Math.max(0, Math.ceil(x)), Math.max(0, Math.ceil(y))];
  const region = {
    left,
    top,
    width: Math.min(Math.floor(x + width), screenWidth) - left,
    height: Math.min(Math.floor(y + height), screenHeight) - top,
  };
  const { channels } = await sharp(screenshot).extract(region).stats();
  return Math.max(...channels.map(({ stdev }) => stdev));
}

function isHydrated(): boolean {
  const key = Object.keys(document).find((each) => each.startsWith("__reactContainer$"));
  const root: unknown = key && Reflect.get(document, key);
  const complete = Object(root).stateNode?.current?.memoizedState?.isDehydrated === false;
  return complete && Object.keys(document.body.firstElementChild ?? {}).some((each) => each.startsWith("__react"));
}

import type { Page } from "@playwright/test";

/** WCAG 2.2: 2.5.8 for any pointer, 2.5.5 for touch (CSS px). */
export const TARGETS = { fine: 24, coarse: 44 };
/** WCAG 2.2: 1.4.10 (1280 px at 400%) and 1.4.4 (200%). */
export const NARROW = { width: 320, height: 640 };
export const ZOOMED = { width: 640, height: 512 };
export const WIDE = { width: 1440, height: 900 };

export const showTheme = (page: Page, theme: "dark" | "light") =>
  page.evaluate((chosen) => void (document.documentElement.dataset["theme"] = chosen), theme);

export const outside = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

export function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const broken: string[] = [];
    for (const heading of document.querySelectorAll("h1")) {
      const walker = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        for (const { index, 0: word } of (node.nodeValue ?? "").matchAll(/[^\s-]+/g)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
        }
      }
    }
    return broken;
  });
}

export const drawn = (page: Page) => page.evaluate(() => new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame))));

export function controls(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("main :is(a[href], button, summary, input, select, textarea)")]
      .filter((each) => each.checkVisibility({ visibilityProperty: true }) && each.getClientRects().length > 0)
      .map((each) => `${each.localName} ${each.ariaLabel ?? (each.textContent?.trim() || each.id)}`),
  );
}

/** Returns controls with a hit area under `least` pixels, except links in sentences and visually hidden ones (WCAG 2.2, 2.5.8). */
export function tooSmall(page: Page, least: number): Promise<string[]> {
  return page.evaluate((least) => {
    const small: string[] = [];
    const dialog = document.querySelector(":modal, dialog:popover-open");
    for (const control of document.querySelectorAll<HTMLElement>(
      ":is(a[href], button, summary, input:not([type=hidden]), select, textarea)",
    )) {
      if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      if (dialog && !dialog.contains(control)) continue;
      const target = control.closest("label") ?? control;
      if (control.localName === "a" && control.parentElement?.matches("p, dd, figcaption, [data-sentence]")) continue;
      if (target.getBoundingClientRect().width < 2) continue;
      target.scrollIntoView({ block: "center", inline: "center" });
      const { left, top, width, height } = target.getBoundingClientRect();
      if ((width >= least && height >= least) || top + height < 0) continue;
      const [x, y] = [left + width / 2, top + height / 2];
      const reach = least / 2 - 1;
      const corners = [-reach, reach].flatMap((dx) =>
        [-reach, reach].map((dy) => ({ x: width >= least ? x : x + dx, y: height >= least ? y : y + dy })),
      );
      // Nothing outside the window can be hit, and an overlay hides the controls below it.
      const hit = corners.every((corner) => target.contains(document.elementFromPoint(corner.x, corner.y)));
      if (!hit)
        small.push(`${control.localName} "${control.ariaLabel ?? control.textContent?.trim()}" ${Math.round(width)}×${Math.round(height)}`);
    }
    return [...new Set(small)];
  }, least);
}

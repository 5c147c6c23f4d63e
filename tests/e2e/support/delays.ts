import type { Page } from "@playwright/test";

export async function recordDelays(page: Page) {
  await page.addInitScript(() => {
    const delays: number[] = [];
    const setTimeout = window.setTimeout.bind(window);
    Object.assign(window, {
      delays,
      setTimeout(run: TimerHandler, ms?: number, ...rest: unknown[]) {
        delays.push(ms ?? 0);
        return setTimeout(run, ms, ...rest);
      },
    });
  });
  return () => page.evaluate(() => ("delays" in window && Array.isArray(window.delays) ? window.delays.map(Number) : []));
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chart } from "./chart.ts";
import { readHistory, type Run } from "./history.ts";
import { resultsOf } from "./results.ts";

const run = (date: string, amount: number, load = 0): Run => ({
  date,
  machine: "2 × CPU",
  load: [load, load],
  sections: [{ id: "pages", title: "Pages", figures: [{ name: "p50", value: `${amount} ms`, amount, bar: "≤ 15 ms", met: amount <= 15 }] }],
});

test("RESULTS.md shows the newest figures of the history", () => {
  const results = readFileSync(join(import.meta.dirname, "RESULTS.md"), "utf8");
  expect(results, "run `node bench/results.ts`").toBe(resultsOf(readHistory()));
});

test("shows the newest value of a figure and marks a missed bar", () => {
  const text = resultsOf([run("2026-01-01T10:00", 9), run("2026-01-02T10:00", 20)]);
  expect(text).toContain(
    "| **Pages** ([chart](charts/pages.svg)), 2026-01-02, load 0.0, machine 1 | | | |\n| p50 | **20 ms, missed** | ≤ 15 ms |  |",
  );
  expect(text).not.toContain("9 ms");
});

test("draws a chart with a point for each run and escapes names", () => {
  const points = [1, 2, 3].map((amount) => ({ date: `2026-01-0${amount}`, amount, isBusy: amount === 2 }));
  const svg = chart("a & b", [{ name: "x < y", bar: "≤ 2 ms", points }]);
  expect(svg.match(/<circle/g)).toHaveLength(3);
  expect(svg.match(/class="busy"/g)).toHaveLength(1);
  expect(svg).toContain("a &amp; b");
  expect(svg).toContain("x &lt; y (bar ≤ 2 ms)");
});

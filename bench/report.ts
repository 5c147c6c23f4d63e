import { appendFileSync, existsSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";

/** `bar` is the required value; `met` is true if it is reached. */
export type Figure = { what: string; value: string; bar?: string; met?: boolean };

/** Thrown when a tool that `npm ci` does not install is missing. The message contains the install command. */
export class NotInstalled extends Error {
  override name = "NotInstalled";
}

const RESULTS = join(import.meta.dirname, "RESULTS.md");

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
};

export const percentile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;

export const rounded = (value: number): string => Math.round(value).toLocaleString("en-US");

export const ratio = (what: string, ours: number, theirs: number, least: number): Figure => ({
  what,
  value: (ours / theirs).toFixed(2),
  bar: `≥ ${least}`,
  met: ours / theirs >= least,
});

export const atLeast = (what: string, value: number, least: number, unit: string): Figure => ({
  what,
  value: `${value.toFixed(1)} ${unit}`,
  bar: `≥ ${least} ${unit}`,
  met: value >= least,
});

export const atMost = (what: string, value: number, most: number, unit: string): Figure => ({
  what,
  value: `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`.trim(),
  bar: `≤ ${most} ${unit}`.trim(),
  met: value <= most,
});

export function report(sections: { title: string; figures: Figure[] }[], loadBefore: number): void {
  const [cpu] = cpus();
  const machine = `${cpus().length} × ${cpu?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
  const load = `load ${loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after`;
  const lines = [`## ${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`, "", `${machine}; ${load}.`, ""];
  lines.push("| Measured | Value | Bar | |", "|---|---:|---:|---|");
  for (const { title, figures } of sections) {
    lines.push(`| **${title}** | | | |`);
    for (const { what, value, bar = "", met } of figures)
      lines.push(`| ${what} | ${value} | ${bar} | ${met === undefined ? "" : met ? "met" : "**missed**"} |`);
  }
  const text = `${lines.join("\n")}\n`;
  process.stdout.write(`\n${text}`);
  const head = existsSync(RESULTS)
    ? "\n"
    : "# Results of `npm run bench`\n\nThe newest stands last. Every ratio is of two medians of one run.\n\n";
  appendFileSync(RESULTS, head + text);
}

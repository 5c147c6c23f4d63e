import { loadavg } from "node:os";
import { appendRun, describeMachine, type Figure, type Section } from "./history.ts";
import { writeResults } from "./results.ts";

export type { Figure } from "./history.ts";

export class NotInstalled extends Error {
  override name = "NotInstalled";
}

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
};

export const percentile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;

export const rounded = (value: number): string => Math.round(value).toLocaleString("en-US");

export const ratio = (name: string, ours: number, theirs: number, least: number, goal?: number): Figure => ({
  name,
  value: (ours / theirs).toFixed(2),
  amount: ours / theirs,
  bar: `≥ ${least}`,
  met: ours / theirs >= least,
  ...(goal !== undefined && { goal: `≥ ${goal}` }),
});

export const atLeast = (name: string, value: number, least: number, unit: string): Figure => ({
  name,
  value: `${value.toFixed(1)} ${unit}`,
  amount: value,
  bar: `≥ ${least} ${unit}`,
  met: value >= least,
});

export const atMost = (name: string, value: number, most: number, unit: string, goal?: number): Figure => ({
  name,
  value: `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`.trim(),
  amount: value,
  bar: `≤ ${most} ${unit}`.trim(),
  met: value <= most,
  ...(goal !== undefined && { goal: `≤ ${goal} ${unit}`.trim() }),
});

export function report(sections: Section[], loadBefore: number): void {
  const load: [number, number] = [loadBefore, loadavg()[0] ?? 0];
  for (const { title, figures } of sections) {
    console.log(`\n${title}`);
    for (const { name, value, bar = "", met } of figures)
      console.log(`  ${name}: ${value}${bar && `  (bar ${bar}: ${met === true ? "met" : "missed"})`}`);
  }
  appendRun({ date: new Date().toISOString().slice(0, 16), machine: describeMachine(), load, sections });
  writeResults();
}

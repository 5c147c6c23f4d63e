import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chart, type Series } from "./chart.ts";
import { type Figure, readHistory, type Run, type Section } from "./history.ts";

const RESULTS = join(import.meta.dirname, "RESULTS.md");
const CHARTS = join(import.meta.dirname, "charts");

/** Load average on two cores above which a run is marked as busy. Its times are then unreliable, but its counts are not. */
const BUSY = 3;

type Newest = { run: Run; section: Section };

export function writeResults(): void {
  const history = readHistory();
  writeFileSync(RESULTS, resultsOf(history));
  mkdirSync(CHARTS, { recursive: true });
  for (const stale of readdirSync(CHARTS)) rmSync(join(CHARTS, stale));
  for (const { section } of newestOf(history)) {
    const series = seriesOf(history, section);
    if (series.length > 0) writeFileSync(join(CHARTS, `${section.id}.svg`), chart(section.title, series));
  }
}

export function resultsOf(history: Run[]): string {
  const newest = newestOf(history);
  const machines = [...new Set(newest.map(({ run }) => run.machine))];
  return [
    "# Benchmark results",
    "",
    "`npm run bench` writes this page, `charts/` and `history.jsonl`, which has every run. Ratios compare medians of one run.",
    `A load above ${BUSY} means that other work ran on the machine: its times are unreliable, its bytes and counts are not.`,
    "",
    ...machines.map((machine, index) => `Machine ${index + 1}: ${machine}.`),
    "",
    "## Bars",
    "",
    "| Measure | Now | Bar | Goal |",
    "|---|---:|---:|---:|",
    ...newest.flatMap(({ run, section }) => requiredRows(run, section, machines.indexOf(run.machine) + 1, history)),
    "",
    "## Other figures",
    "",
    "| Figure | Now |",
    "|---|---:|",
    ...newest.flatMap(({ run, section }) => otherRows(run, section)),
    "",
  ].join("\n");
}

function requiredRows({ date, load }: Run, section: Section, machine: number, history: Run[]): string[] {
  const barred = section.figures.filter(hasBar);
  if (barred.length === 0) return [];
  const link = seriesOf(history, section).length > 0 ? ` ([chart](charts/${section.id}.svg))` : "";
  const busiest = Math.max(...load).toFixed(1);
  return [
    `| **${section.title}**${link}, ${date.slice(0, 10)}, load ${busiest}, machine ${machine} | | | |`,
    ...barred.map(({ name, value, bar, met, goal = "" }) => {
      const now = met === true ? value : `**${value}, missed**`;
      return `| ${name} | ${now} | ${bar} | ${goal} |`;
    }),
  ];
}

function otherRows({ date }: Run, { title, figures }: Section): string[] {
  const others = figures.filter((figure) => !hasBar(figure));
  if (others.length === 0) return [];
  return [`| **${title}**, ${date.slice(0, 10)} | |`, ...others.map(({ name, value }) => `| ${name} | ${value} |`)];
}

const hasBar = ({ bar }: Figure): boolean => bar !== undefined;

function newestOf(history: Run[]): Newest[] {
  const newest = new Map<string, Newest>();
  for (const run of history) for (const section of run.sections) newest.set(section.id, { run, section });
  return [...newest.values()].toSorted((a, b) => a.section.title.localeCompare(b.section.title, "en"));
}

function seriesOf(history: Run[], section: Section): Series[] {
  return section.figures.filter(hasBar).flatMap(({ name, bar = "" }) => {
    const points = history.flatMap((run) =>
      run.sections
        .filter(({ id }) => id === section.id)
        .flatMap(({ figures }) => figures.filter((figure) => figure.name === name))
        .flatMap(({ amount }) => (amount === undefined ? [] : [{ date: run.date, amount, isBusy: Math.max(...run.load) > BUSY }])),
    );
    return points.length < 2 ? [] : [{ name, bar, points }];
  });
}

if (import.meta.main) writeResults();

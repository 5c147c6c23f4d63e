import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "@playwright/test";
import * as z from "zod";
import { addPictures, makeDesign } from "../../tests/e2e/support/pictures.ts";
import { freePort, startApp } from "../../tests/harness/app.ts";
import { launchOptions } from "../../tests/harness/chromium.ts";
import { type Person, signUp } from "../../tests/harness/people.ts";
import { removeFolder, temporaryFolder } from "../deployment.ts";
import { atMost, type Figure, median, NotInstalled } from "../report.ts";

const CLI = join(import.meta.dirname, "../node_modules/lighthouse/cli/index.js");
const RUNS = 5;
const LEAST_SCORE = 95;
const LARGEST_PAINT_MS = 2500;
const LAYOUT_SHIFT = 0.02;

const CATEGORIES = {
  performance: "performance",
  accessibility: "accessibility",
  "best-practices": "best practices",
  seo: "search",
} as const;

const reportSchema = z.object({
  runtimeError: z.object({ message: z.string() }).optional(),
  categories: z.record(
    z.string(),
    z.object({ score: z.number().nullable(), auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })) }),
  ),
  audits: z.record(z.string(), z.object({ title: z.string(), score: z.number().nullable(), numericValue: z.number().optional() })),
});
type Report = z.infer<typeof reportSchema>;

export async function lighthouse(): Promise<Figure[]> {
  if (!existsSync(CLI)) throw new NotInstalled("Lighthouse is not installed: run 'npm ci --prefix bench' once, then this again.");
  const app = await startApp({ LOG_LEVEL: "warn" });
  try {
    const person = await signUp(app.url);
    const { designId, path } = await makeDesign(app, person);
    await addPictures(app, person, designId, ["dandelions", "fig", "bank"]);
    const signedOut = await figures("/sign-in", `${app.url}/sign-in`);
    return [...signedOut, ...(await figures("/design/:id", app.url + path, person.cookies))];
  } finally {
    await app.dispose();
  }
}

async function figures(name: string, url: string, cookies: Person["cookies"] = []): Promise<Figure[]> {
  const reports = await audits(url, cookies);
  const value = (audit: string) => median(reports.map(({ audits }) => audits[audit]?.numericValue ?? NaN));
  const scores = Object.entries(CATEGORIES).map(([id, called]): Figure => {
    const score = median(reports.map(({ categories }) => Math.round(100 * (categories[id]?.score ?? 0))));
    const why = score < 100 ? lost(reports, id) : "";
    return { name: `${name}: ${called}${why}`, value: String(score), bar: `≥ ${LEAST_SCORE}`, met: score >= LEAST_SCORE };
  });
  return [
    ...scores,
    atMost(`${name}: largest contentful paint`, value("largest-contentful-paint"), LARGEST_PAINT_MS, "ms"),
    atMost(`${name}: cumulative layout shift`, value("cumulative-layout-shift"), LAYOUT_SHIFT, ""),
    {
      name: `${name}: first contentful paint; total blocking time`,
      value: `${Math.round(value("first-contentful-paint"))}; ${Math.round(value("total-blocking-time"))} ms`,
    },
  ];
}

function lost(reports: Report[], category: string): string {
  const titles = reports.flatMap(({ categories, audits }) =>
    (categories[category]?.auditRefs ?? []).flatMap(({ id, weight }) => {
      const audit = audits[id];
      return audit && weight > 0 && audit.score !== null && audit.score < 0.9 ? [audit.title] : [];
    }),
  );
  return titles.length === 0 ? "" : ` (${[...new Set(titles)].join("; ")})`;
}

async function audits(url: string, cookies: Person["cookies"]): Promise<Report[]> {
  const { args = [], ...options } = await launchOptions();
  const port = await freePort();
  const profile = temporaryFolder("lighthouse");
  // Lighthouse opens its tab in the default profile, so the cookies go there.
  const browser = await chromium.launchPersistentContext(profile, { ...options, args: [...args, `--remote-debugging-port=${port}`] });
  try {
    await browser.addCookies(cookies);
    const reports: Report[] = [];
    for (let run = -1; run < RUNS; run++) {
      const { stdout } = await promisify(execFile)(process.execPath, [CLI, url, "--quiet", "--output=json", `--port=${port}`], {
        env: { ...process.env, CI: "1" },
        maxBuffer: 256 * 1024 * 1024,
      });
      const report = reportSchema.parse(JSON.parse(stdout));
      if (report.runtimeError) throw new Error(report.runtimeError.message);
      if (run >= 0) reports.push(report);
    }
    return reports;
  } finally {
    await browser.close();
    removeFolder(profile);
  }
}

/**
 * `npm run bench [-- name…]`: each measurement beside its baseline, in one run on one machine; the report is appended to RESULTS.md.
 */
import { loadavg } from "node:os";
import { durableMutations } from "./durable-mutations.ts";
import { enumeration } from "./enumeration.ts";
import { fanOut } from "./fan-out.ts";
import { lighthouse } from "./lighthouse.ts";
import { lists } from "./lists.ts";
import { memory } from "./memory.ts";
import { coldStart, pages, rows } from "./pages.ts";
import { paint } from "./paint.ts";
import { pointReads } from "./point-reads.ts";
import { report, type Figure, NotInstalled } from "./report.ts";
import { tableSize } from "./table-size.ts";
import { uploads } from "./uploads.ts";
import { variants } from "./variants.ts";

const MEASURES: Record<string, { title: string; measure: () => Promise<Figure[]> }> = {
  pages: { title: "Pages against a bare React Router app, 8 clients", measure: pages },
  "cold-start": { title: "Cold start of the built app", measure: coldStart },
  paint: { title: "A mutation until it is painted in a second browser", measure: paint },
  variants: { title: "A picture's size that was made before", measure: variants },
  rows: { title: "Cost of a page by the rows behind it", measure: rows },
  lists: { title: "Long lists in a browser", measure: lists },
  lighthouse: { title: "Lighthouse, as on a phone, medians of five runs", measure: lighthouse },
  enumeration: { title: "What time tells of whether there is an account, medians of 200 tries", measure: enumeration },
  mutations: { title: "Durable mutations, 64 in flight over websockets", measure: durableMutations },
  "fan-out": { title: "One write and a thousand subscribers", measure: fanOut },
  "table-size": { title: "A table of a million rows", measure: tableSize },
  memory: { title: "Memory over 100,000 mutations and 1,000 connections", measure: memory },
  reads: { title: "Point reads over HTTP, 16 clients", measure: pointReads },
  uploads: { title: "100 uploads of 2 MB, four at a time", measure: uploads },
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in MEASURES));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")}. There are: ${Object.keys(MEASURES).join(", ")}.`);
  process.exit(1);
}

const loadBefore = loadavg()[0] ?? 0;
const sections: { title: string; figures: Figure[] }[] = [];
for (const [name, { title, measure }] of Object.entries(MEASURES)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.log(`${title} …`);
  try {
    sections.push({ title, figures: await measure() });
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error;
    console.error(error.message);
    if (asked.length > 0) process.exitCode = 1;
  }
}
if (sections.length > 0) report(sections, loadBefore);

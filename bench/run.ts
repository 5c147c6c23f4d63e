/** `npm run bench [-- name…]`: measures each subject with its baseline and adds the figures to RESULTS.md. */
import { loadavg } from "node:os";
import { ensureBuilt } from "../server/build/ensure.ts";
import { archives } from "./product/archives.ts";
import { comments } from "./product/comments.ts";
import { compaction } from "./engine/compaction.ts";
import { components } from "./engine/components.ts";
import { durableMutations } from "./engine/durable-mutations.ts";
import { encryptedResults } from "./engine/encrypted-results.ts";
import { enumeration } from "./product/enumeration.ts";
import { everyday } from "./product/everyday.ts";
import { fanOut } from "./engine/fan-out.ts";
import { isolation } from "./engine/isolation.ts";
import { lighthouse } from "./product/lighthouse.ts";
import { lists } from "./product/lists.ts";
import { memory } from "./engine/memory.ts";
import { bulk } from "./product/bulk.ts";
import { coldStart, pages, rows } from "./product/pages.ts";
import { photographs } from "./product/photographs.ts";
import { paint } from "./product/paint.ts";
import { presence } from "./product/presence.ts";
import { pointReads } from "./engine/point-reads.ts";
import type { Section } from "./history.ts";
import { report, type Figure, NotInstalled } from "./report.ts";
import { remotePages } from "./product/remote-pages.ts";
import { searches } from "./product/search.ts";
import { secureDeletion } from "./engine/secure-deletion.ts";
import { smallFiles } from "./product/small-files.ts";
import { soak } from "./product/soak.ts";
import { start } from "./product/start.ts";
import { subscriptions } from "./engine/subscriptions.ts";
import { tableSize } from "./engine/table-size.ts";
import { uploads } from "./product/uploads.ts";
import { variants } from "./product/variants.ts";

const MEASURES: Record<string, { title: string; measure: () => Promise<Figure[]> }> = {
  pages: { title: "Pages against a bare React Router app, 8 clients", measure: pages },
  "cold-start": { title: "Cold start", measure: coldStart },
  start: { title: "Start with a full data folder", measure: start },
  soak: { title: "Soak: eight users, three minutes, full data folder", measure: soak },
  paint: { title: "Mutation until painted in a second browser", measure: paint },
  presence: { title: "Presence: 50 idle people in a design, and 10 pointers", measure: presence },
  variants: { title: "Cached variants against a static file server", measure: variants },
  rows: { title: "Page time by number of projects", measure: rows },
  lists: { title: "Long lists in a browser", measure: lists },
  comments: { title: "Comments and public links, few and many", measure: comments },
  search: { title: "Search as you type among 10,000 images", measure: searches },
  bulk: { title: "Bulk actions on 10,000 images", measure: bulk },
  everyday: { title: "Everyday actions in a browser, from the event to the painted result", measure: everyday },
  lighthouse: { title: "Lighthouse, mobile, medians of five runs", measure: lighthouse },
  enumeration: { title: "Account enumeration by response time, medians of 200", measure: enumeration },
  mutations: { title: "Durable mutations, 64 in flight over websockets", measure: durableMutations },
  "secure-deletion": { title: "Secure deletion, 64 mutations in flight", measure: secureDeletion },
  "encrypted-results": { title: "Encrypted results, 64 mutations in flight", measure: encryptedResults },
  compaction: { title: "Compaction after the deletion of nine tenths", measure: compaction },
  "fan-out": { title: "One write to a thousand subscribers", measure: fanOut },
  subscriptions: { title: "1,000 clients with 10 subscriptions, 100 writes a second that change 1% of them", measure: subscriptions },
  "table-size": { title: "Table of a million rows", measure: tableSize },
  memory: { title: "Memory after 100,000 mutations and 1,000 connections", measure: memory },
  isolation: { title: "Runaway functions beside trivial ones", measure: isolation },
  reads: { title: "Point reads over HTTP, 16 clients", measure: pointReads },
  components: { title: "Queries in an app with components, 16 clients", measure: components },
  "small-files": { title: "Small files in a browser", measure: smallFiles },
  photographs: { title: "Photographs of 5 MB in a browser", measure: photographs },
  uploads: { title: "100 uploads of 2 MB, four in parallel", measure: uploads },
  "remote-pages": { title: "Pages over a deployment with latency", measure: remotePages },
  archives: { title: "Archive of a design over a deployment with latency", measure: archives },
};

const requested = process.argv.slice(2);
const unknown = requested.filter((name) => !(name in MEASURES));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(", ")}. There are: ${Object.keys(MEASURES).join(", ")}.`);
  process.exit(1);
}

await ensureBuilt();
const loadBefore = loadavg()[0] ?? 0;
const sections: Section[] = [];
for (const [name, { title, measure }] of Object.entries(MEASURES)) {
  if (requested.length > 0 && !requested.includes(name)) continue;
  console.log(`${title} …`);
  try {
    sections.push({ id: name, title, figures: await measure() });
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error;
    console.error(error.message);
    if (requested.length > 0) process.exitCode = 1;
  }
}
if (sections.length > 0) report(sections, loadBefore);

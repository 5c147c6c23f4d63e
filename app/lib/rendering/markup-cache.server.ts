import { LRUCache } from "lru-cache";
import { showSize } from "~/lib/http/telemetry/metrics.server";
import { isPlainObject, type OnceValues, sameData } from "./deduplicate-data";
import type { Template } from "./template.server";

export type PageSource = {
  address: string;
  loaderData: Readonly<Record<string, unknown>>;
  once: OnceValues;
};

export type MarkupCache = {
  find(source: PageSource): Template | null;
  /** `until`: when the page's text changes, in ms. */
  store(source: PageSource, template: Template, until: number): void;
};

const MARKUP_AND_DATA = 2;
/** A user's token is renewed sooner than this (ms), and a new token changes the page. */
const KEPT_MS = 15 * 60_000;

/** Creates a cache that saves only rendering. Each request checks its session and runs its queries (docs/decisions/093-markup-cache.md). */
export function createMarkupCache(bytes: number, now: () => number = Date.now): MarkupCache {
  const pages = new LRUCache<string, { source: PageSource; template: Template; until: number }>({ maxSize: bytes });
  showSize("kept_pages", () => pages.size);

  return {
    find(source) {
      const page = pages.get(keyOf(source));
      return page && page.until > now() && isSame(source, page.source) ? page.template : null;
    },
    store(source, template, until) {
      const size = template.reduce((sum, part) => sum + part.length, 0) * MARKUP_AND_DATA;
      pages.set(keyOf(source), { source, template, until: Math.min(until, now() + KEPT_MS) }, { size });
    },
  };
}

const isSame = (one: PageSource, other: PageSource) =>
  one.address === other.address && sameData(one.loaderData, other.loaderData, { one: one.once, other: other.once });

function keyOf({ address, loaderData, once }: PageSource): string {
  const words: unknown[] = [address];
  for (const data of Object.values(loaderData)) {
    if (!isPlainObject(data)) continue;
    for (const value of Object.values(data))
      words.push(typeof value === "boolean" || (typeof value === "string" && !once.includes(value)) ? value : 0);
  }
  return JSON.stringify(words);
}

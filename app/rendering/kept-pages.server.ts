import { isPlainObject, type OnceValues, sameData } from "./same-data";
import type { Template } from "./template.server";

/** All that a page's rendering reads, besides the build. */
export type PageSource = {
  /** Path and search. */
  address: string;
  /** What each route's loader gave, by the route's id. */
  loaderData: Readonly<Record<string, unknown>>;
  once: OnceValues;
};

export type KeptPages = {
  /** The markup of a page that was made of the same; null: it has to be made. */
  find(source: PageSource): Template | null;
  /** Keeps a page's markup, up to the time (in ms) at which something on it reads differently. */
  keep(source: PageSource, template: Template, until: number): void;
};

/** What is held of a page besides its markup: its data, which is less, as the markup tells it, and mostly more than once. */
const WITH_DATA = 2;
/** A person's token is made anew in less than this, in ms, and with it another page. */
const KEPT_MS = 15 * 60_000;

/**
 * Markup of pages that were rendered lately. It saves rendering and nothing else: sessions are looked up and queries asked for each request, and only where
 * all that they gave is the same, value by value, the same page need not be made again (docs/decisions/093-pages-rendered-once.md).
 * @param bytes how much of it is held
 */
export function createKeptPages(bytes: number, now: () => number = Date.now): KeptPages {
  const pages = new Map<string, { source: PageSource; template: Template; until: number; size: number }>();
  let held = 0;

  function forget(key: string) {
    held -= pages.get(key)?.size ?? 0;
    pages.delete(key);
  }

  return {
    find(source) {
      const key = keyOf(source);
      const page = pages.get(key);
      if (!page) return null;
      if (page.until <= now() || !isSame(source, page.source)) return null;
      // The Map's order is that of use.
      pages.delete(key);
      pages.set(key, page);
      return page.template;
    },
    keep(source, template, until) {
      const key = keyOf(source);
      forget(key);
      const size = template.reduce((sum, part) => sum + part.length, 0) * WITH_DATA;
      if (size > bytes) return;
      pages.set(key, { source, template, until: Math.min(until, now() + KEPT_MS), size });
      held += size;
      for (const [oldest, page] of pages) {
        if (held <= bytes && page.until > now()) break;
        forget(oldest);
      }
    },
  };
}

const isSame = (one: PageSource, other: PageSource) =>
  one.address === other.address && sameData(one.loaderData, other.loaderData, { one: one.once, other: other.once });

/**
 * Where a page is looked for: by its address and whatever its loaders tell in a word, such as who is there and the theme. What is found there is
 * compared as a whole; the key only keeps pages apart that are asked for in turn.
 */
function keyOf({ address, loaderData, once }: PageSource): string {
  const words: unknown[] = [address];
  for (const data of Object.values(loaderData)) {
    if (!isPlainObject(data)) continue;
    for (const value of Object.values(data))
      words.push(typeof value === "boolean" || (typeof value === "string" && !once.includes(value)) ? value : 0);
  }
  return JSON.stringify(words);
}

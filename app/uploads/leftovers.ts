import { leftoversKey } from "./leftovers-key";

/**
 * What this browser has begun to send and not brought to its end, remembered beyond the page and the tab: the server keeps the bytes that it has, the
 * browser where they are and which file they are of. The file itself it cannot keep: its owner has to choose it again.
 */
export type Leftover = {
  /** Where the server has what has arrived. */
  url: string;
  designId: string;
  designName: string;
  name: string;
  size: number;
  /** `File.lastModified`: with name and size, by which a file is known again. */
  modified: number;
  /** When it was begun, in ms since 1970. */
  at: number;
};

/** After this time it is not worth being reminded of, in ms. */
const REMEMBERED_MS = 7 * 24 * 60 * 60_000;

export type Leftovers = {
  all(): Leftover[];
  add(leftover: Leftover): void;
  remove(url: string): void;
};

/** A person's, in a store that all tabs share. A store that is full or forbidden remembers nothing, and nothing fails with it. */
export function openLeftovers(personId: string, store: Pick<Storage, "getItem" | "setItem" | "removeItem">): Leftovers {
  const key = leftoversKey(personId);

  function all(): Leftover[] {
    try {
      const read: unknown = JSON.parse(store.getItem(key) ?? "[]");
      return Array.isArray(read) ? read.filter(isLeftover).filter(({ at }) => at > Date.now() - REMEMBERED_MS) : [];
    } catch {
      return [];
    }
  }

  function keep(leftovers: Leftover[]): void {
    try {
      if (leftovers.length > 0) store.setItem(key, JSON.stringify(leftovers));
      else store.removeItem(key);
    } catch {
      // Then it cannot be gone on with after the tab is closed, which is all that is lost.
    }
  }

  return {
    all,
    add: (leftover) => keep([...all().filter(({ url }) => url !== leftover.url), leftover]),
    remove(url) {
      const before = all();
      if (before.some((each) => each.url === url)) keep(before.filter((each) => each.url !== url));
    },
  };
}

export function isRestOf({ name, size, modified }: Leftover, file: File): boolean {
  return name === file.name && size === file.size && modified === file.lastModified;
}

/** Says to the browser's other tabs that this one is at work on it, until the answer is called or the tab ends. */
export function claim(url: string): () => void {
  if (!("locks" in navigator)) return () => {};
  const { promise, resolve } = Promise.withResolvers<void>();
  navigator.locks.request(lockOf(url), () => promise).catch(() => {});
  return resolve;
}

/** Those of them that no tab of this browser is at work on. */
export async function unclaimed(leftovers: Leftover[]): Promise<Leftover[]> {
  if (!("locks" in navigator)) return leftovers;
  const { held = [] } = await navigator.locks.query();
  const names = new Set(held.map(({ name }) => name));
  return leftovers.filter(({ url }) => !names.has(lockOf(url)));
}

const lockOf = (url: string) => `upload ${url}`;

function isLeftover(value: unknown): value is Leftover {
  if (typeof value !== "object" || value === null) return false;
  const { url, designId, designName, name, size, modified, at } = value as Record<keyof Leftover, unknown>;
  const texts = [url, designId, designName, name].every((each) => typeof each === "string");
  return texts && [size, modified, at].every((each) => typeof each === "number") && /^\/uploads\/[\w-]+$/.test(String(url));
}

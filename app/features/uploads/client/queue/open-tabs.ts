/* oxlint-disable no-restricted-properties -- on plain http, and where site data is blocked, the open tabs are unknown */

export async function lockTab(tab: string): Promise<void> {
  if (!("locks" in navigator)) return;
  await new Promise<void>((resolve) => {
    const neverResolve = () => {
      resolve();
      return new Promise<never>(() => {});
    };
    navigator.locks.request(lockOf(tab), neverResolve).catch(() => resolve());
  });
}

export type OpenTabs = { tabs: Set<string>; isOnly(tab: string): boolean };

/** Returns the documents that hold a lock, or null if the browser has no Web Locks API. */
export async function openTabs(): Promise<OpenTabs | null> {
  if (!("locks" in navigator)) return null;
  try {
    const { held: lockNames = [] } = await navigator.locks.query();
    const tabs = new Set(lockNames.flatMap(({ name = "" }) => (name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : [])));
    return { tabs, isOnly: (tab) => tabs.size === 1 && tabs.has(tab) };
  } catch {
    return null;
  }
}

/* oxlint-enable no-restricted-properties */

const PREFIX = "uploads of ";
const lockOf = (tab: string) => PREFIX + tab;

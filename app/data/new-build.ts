import { useEffect, useState, useSyncExternalStore } from "react";
import { useRoot } from "./use-root";

/** How often, at most, the server is asked whether it still has this page's build. In milliseconds. */
const ASK_EVERY = 60_000;

let superseded = false;
let askedAt = 0;
const listeners = new Set<() => void>();

function supersede() {
  if (superseded) return;
  superseded = true;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/**
 * Whether the server has moved on to another build since this document was loaded: known with every load of a route, and asked for when the
 * page is looked at again. The identity is that of the client's files: a server that changed without them needs nothing to be reloaded.
 */
export function useSuperseded(): boolean {
  const build = useRoot()?.build;
  const [ours] = useState(build);
  const other = build !== undefined && ours !== undefined && build.version !== ours.version;
  useEffect(() => {
    if (other) supersede();
  }, [other]);

  const file = ours?.file;
  useEffect(() => {
    // In development the page is kept up to date by other means.
    if (file === undefined || !import.meta.env.PROD) return;
    const look = () => document.visibilityState === "visible" && void askForBuild(file, ASK_EVERY);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [file]);

  const known = useSyncExternalStore(
    subscribe,
    () => superseded,
    () => false,
  );
  return other || known;
}

/** Asks whether the file that only this page's build has is still there; not again within `pause` milliseconds. */
export async function askForBuild(file: string, pause = 0): Promise<void> {
  if (superseded || Date.now() - askedAt < pause) return;
  askedAt = Date.now();
  // Without a network there is nothing to learn.
  const answer = await fetch(file, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (answer?.status === 404) supersede();
}

import { useEffect, useState, useSyncExternalStore } from "react";
import { useRoot } from "../use-root";

const CHECK_INTERVAL_MS = 60_000;

let superseded = false;
let checkedAt = 0;
const listeners = new Set<() => void>();

function markSuperseded() {
  if (superseded) return;
  superseded = true;
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function useHasNewBuild(): boolean {
  const build = useRoot()?.build;
  const [ownBuild] = useState(build);
  const other = build !== undefined && ownBuild !== undefined && build.version !== ownBuild.version;
  useEffect(() => {
    if (other) markSuperseded();
  }, [other]);

  const file = ownBuild?.file;
  useEffect(() => {
    if (file === undefined || !import.meta.env.PROD) return;
    const check = () => document.visibilityState === "visible" && void checkForNewBuild(file, CHECK_INTERVAL_MS);
    document.addEventListener("visibilitychange", check);
    return () => document.removeEventListener("visibilitychange", check);
  }, [file]);

  const isOutdated = useSyncExternalStore(
    subscribe,
    () => superseded,
    () => false,
  );
  return other || isOutdated;
}

export async function checkForNewBuild(file: string, pause = 0): Promise<void> {
  if (superseded || Date.now() - checkedAt < pause) return;
  checkedAt = Date.now();
  const answer = await fetch(file, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (answer?.status === 404) markSuperseded();
}

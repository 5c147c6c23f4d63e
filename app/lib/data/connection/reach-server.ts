/** Throws while the server is unreachable. Browsers never retry a failed import (https://github.com/whatwg/html/issues/6768). */
export async function reachServer(): Promise<void> {
  const answer = await fetch("/healthz", { cache: "no-store" });
  // Without it, the request counts as unfinished until garbage collection.
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`The server answered ${answer.status}`);
}

/** Returns whether the server is ready. Without credentials, a hanging probe uses none of the page's connections. */
export async function isServerReady(signal: AbortSignal | null = null): Promise<boolean> {
  if (!navigator.onLine) return false;
  try {
    const answer = await fetch("/readyz", { cache: "no-store", credentials: "omit", signal });
    const body = await answer.text();
    return answer.ok || lacksOnlySpace(JSON.parse(body));
  } catch {
    return false;
  }
}

/** Returns whether only disk space is low. Such a server answers 503, but serves pages and connections. */
function lacksOnlySpace(parts: unknown): boolean {
  if (typeof parts !== "object" || parts === null || !("disk" in parts)) return false;
  return Object.entries(parts).every(([part, state]) => part === "disk" || state === "ok");
}

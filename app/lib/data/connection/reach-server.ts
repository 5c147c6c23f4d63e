/** Throws while the server is unreachable. A failed module import is never retried (https://github.com/whatwg/html/issues/6768). */
export async function reachServer(): Promise<void> {
  const answer = await fetch("/healthz", { cache: "no-store" });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}`);
}

/** Without credentials, because browsers then use other connections: a probe that hangs keeps none from the page. */
export async function isServerReady(signal: AbortSignal | null = null): Promise<boolean> {
  if (!navigator.onLine) return false;
  try {
    const answer = await fetch("/readyz", { cache: "no-store", credentials: "omit", signal });
    return answer.ok || lacksOnlyRoom(await answer.json());
  } catch {
    return false;
  }
}

/** A server whose disk is nearly full answers 503, but serves pages and connections. */
function lacksOnlyRoom(parts: unknown): boolean {
  if (typeof parts !== "object" || parts === null || !("disk" in parts)) return false;
  return Object.entries(parts).every(([part, state]) => part === "disk" || state === "ok");
}

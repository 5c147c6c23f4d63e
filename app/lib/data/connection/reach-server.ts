/** Throws while the server is unreachable. A failed module import is never retried (https://github.com/whatwg/html/issues/6768). */
export async function reachServer(): Promise<void> {
  const answer = await fetch("/healthz", { cache: "no-store" });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}`);
}

/** Without credentials, because browsers then use other connections: a probe that hangs keeps none from the page. */
export async function isServerReady(signal: AbortSignal | null = null): Promise<boolean> {
  if (!navigator.onLine) return false;
  return fetch("/readyz", { cache: "no-store", credentials: "omit", signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}

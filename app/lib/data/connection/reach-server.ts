/** Throws while the server is unreachable. A failed module import is never retried (https://github.com/whatwg/html/issues/6768). */
export async function reachServer(): Promise<void> {
  const answer = await fetch("/healthz", { cache: "no-store" });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}`);
}

export async function isServerReady(): Promise<boolean> {
  if (!navigator.onLine) return false;
  return fetch("/readyz", { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );
}

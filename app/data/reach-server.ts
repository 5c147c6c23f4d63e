/**
 * Throws while the server cannot be reached. A module that could not be loaded once is not asked for again for as long as the page stands
 * (https://github.com/whatwg/html/issues/6768), so none is asked for before there is somebody to answer.
 */
export async function reachServer(): Promise<void> {
  const answer = await fetch("/healthz", { cache: "no-store" });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}`);
}

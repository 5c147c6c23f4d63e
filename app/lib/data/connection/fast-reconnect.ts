import { isServerReady } from "./reach-server";

/** With the random part, a tab reconnects within 3 s. */
const PROBE_MS = 1400;
/** Spreads the probes of many tabs. */
const SPREAD_MS = 1000;
/** Events that show that the tab may be in use. */
const SIGNS = ["visibilitychange", "resume", "focus", "pointerdown", "keydown"];

/** Probes the server while the tab is visible and reconnects, because the client's own pauses grow to 16 s. Returns the stop function. */
export function startFastReconnect(): () => void {
  const over = new AbortController();
  const { signal } = over;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let probing = false;

  async function probe(): Promise<void> {
    if (probing || document.visibilityState !== "visible") return;
    clearTimeout(timer);
    probing = true;
    const ready = await isServerReady();
    probing = false;
    if (signal.aborted) return;
    if (ready) dispatchEvent(new Event("online"));
    timer = setTimeout(() => void probe(), PROBE_MS + Math.random() * SPREAD_MS);
  }

  for (const sign of SIGNS) addEventListener(sign, () => void probe(), { signal, capture: true });
  void probe();
  return () => {
    over.abort();
    clearTimeout(timer);
  };
}

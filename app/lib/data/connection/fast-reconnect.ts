import { isServerReady } from "./reach-server";
import {
  abandonSocket,
  allowSlowHandshake,
  allowSlowHeartbeat,
  faultOf,
  HEARTBEAT_LIMIT,
  sendHeartbeat,
  watchClose,
} from "./watched-socket";

/** With the random part, a tab reconnects within 3 s. */
const CHECK_MS = 1400;
const SPREAD_MS = 1000;
/** Events that show that the tab may be in use. */
const SIGNS = ["visibilitychange", "resume", "focus", "pointerdown", "keydown"];
const PROBE_TIMEOUT_MS = 6000;
const HEARTBEAT_AFTER_MS = 3000;
const HEARTBEAT_AFTER_USE_MS = 1000;
/** After sleep, received messages arrive before this answer. */
const DEAD_TIMEOUT_MS = 2000;

/** Reconnects while the tab is visible, because the client's own pauses grow to 16 s, and to 60 s without messages. Returns the stop function. */
export function startFastReconnect(): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let checkedAt = -Infinity;
  let networkChangedAt = -Infinity;

  async function check(heartbeatAfter: number): Promise<void> {
    if (document.visibilityState !== "visible" || !navigator.onLine) return;
    const fault = faultOf(networkChangedAt);
    if (fault === null) {
      if (sendHeartbeat(heartbeatAfter)) checkAfter(HEARTBEAT_LIMIT);
      return;
    }
    checkedAt = Date.now();
    if (fault === "slow") replace();
    const timeout = AbortSignal.timeout(fault === "dead" ? DEAD_TIMEOUT_MS : PROBE_TIMEOUT_MS);
    const isReady = await isServerReady(AbortSignal.any([signal, timeout]));
    if (signal.aborted) return;
    const remaining = faultOf(networkChangedAt);
    if (fault === "dead") {
      if (remaining === "dead") replace();
    } else if (fault === "unanswered") {
      if (!isReady || remaining !== "unanswered") return;
      allowSlowHeartbeat();
      replace();
    } else if (isReady && remaining === "closed") reconnect();
    else if (isReady && fault === "slow") allowSlowHandshake();
  }

  function checkAfter(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      checkAfter(CHECK_MS + Math.random() * SPREAD_MS);
      void check(HEARTBEAT_AFTER_MS);
    }, ms);
  }

  const checkSoon = () => checkAfter(Math.random() * SPREAD_MS);
  const onSign = () => {
    if (Math.abs(Date.now() - checkedAt) > CHECK_MS) void check(HEARTBEAT_AFTER_USE_MS);
  };
  const onNetwork = ({ isTrusted }: Event) => {
    if (!isTrusted) return;
    networkChangedAt = Date.now();
    checkSoon();
  };
  for (const sign of SIGNS) addEventListener(sign, onSign, { signal, capture: true });
  addEventListener("online", onNetwork, { signal });
  watchClose(checkSoon);
  checkSoon();
  return () => {
    controller.abort();
    clearTimeout(timer);
  };
}

function replace(): void {
  abandonSocket();
  reconnect();
}

/** The client reconnects at this event, if it waits to reconnect. */
const reconnect = () => dispatchEvent(new Event("online"));

import { isServerReady } from "./reach-server";
import {
  abandonSocket,
  allowSlowHandshake,
  allowSlowHeartbeat,
  faultOf,
  heartbeatDue,
  HEARTBEAT_LIMIT,
  countRefusedHandshake,
  sendHeartbeat,
  watchSocket,
} from "./watched-socket";

/** With the random delay, a tab reconnects within 3 s. */
const CHECK_MS = 1400;
const SPREAD_MS = 1000;
const ACTIVITY_EVENTS = ["visibilitychange", "resume", "focus", "pointerdown", "keydown"];
const HEARTBEAT_AFTER_MS = 1000;
/** The first probe may use a connection that was lost with the websocket. The second probe then opens a new one. */
const SECOND_PROBE_MS = 500;
const PROBE_TIMEOUTS_MS = {
  closed: 6000,
  slow: 6000,
  unanswered: 2000,
  // After sleep, queued messages arrive before the probe's response or within this time.
  dead: 500,
};
const LONG_PROBE_TIMEOUT_MS = 30_000;

/** Reconnects while the tab is visible, because the client's pauses grow to 16 s, and to 60 s without messages. Returns a stop function. */
export function startFastReconnect(): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let checkedAt = -Infinity;
  let networkChangedAt = -Infinity;
  let unansweredChecks = 0;
  let hasLongProbe = false;

  async function check(isInUse = false): Promise<void> {
    if (document.visibilityState !== "visible" || !navigator.onLine) return;
    const fault = faultOf(networkChangedAt);
    if (fault === null) {
      unansweredChecks = 0;
      const due = heartbeatDue(HEARTBEAT_AFTER_MS);
      if (due === 0) {
        sendHeartbeat();
        checkAfter(HEARTBEAT_LIMIT);
      } else if (due !== null && isInUse) checkAfter(due, true);
      return;
    }
    checkedAt = Date.now();
    unansweredChecks = fault === "unanswered" ? unansweredChecks + 1 : 0;
    if (fault === "slow") replace();
    if (unansweredChecks === 1) checkAfter(SECOND_PROBE_MS * (1 + Math.random()));
    const probedAt = Date.now();
    const isLong = fault === "slow" && !hasLongProbe;
    hasLongProbe ||= isLong;
    const timeout = AbortSignal.timeout(isLong ? LONG_PROBE_TIMEOUT_MS : PROBE_TIMEOUTS_MS[fault]);
    const isReady = await isServerReady(AbortSignal.any([signal, timeout]));
    if (isLong) hasLongProbe = false;
    if (signal.aborted) return;
    const remaining = faultOf(networkChangedAt);
    if (fault === "dead") {
      if (remaining === "dead") replace();
    } else if (fault === "unanswered") {
      if (!isReady || remaining !== "unanswered") return;
      allowSlowHeartbeat();
      replace();
    } else if (isReady && remaining === "closed") {
      countRefusedHandshake();
      reconnect();
    } else if (isReady && fault === "slow") allowSlowHandshake(Date.now() - probedAt);
  }

  function checkAfter(ms: number, isInUse = false): void {
    clearTimeout(timer);
    if (signal.aborted) return;
    timer = setTimeout(() => {
      checkLater();
      void check(isInUse);
    }, ms);
  }

  const checkLater = () => checkAfter(CHECK_MS + Math.random() * SPREAD_MS);
  const checkSoon = () => checkAfter(Math.random() * SPREAD_MS);
  const onSign = () => {
    if (Math.abs(Date.now() - checkedAt) > CHECK_MS) void check(true);
  };
  const onNetwork = ({ isTrusted }: Event) => {
    if (!isTrusted) return;
    networkChangedAt = Date.now();
    checkSoon();
  };
  for (const sign of ACTIVITY_EVENTS) addEventListener(sign, onSign, { signal, capture: true });
  addEventListener("online", onNetwork, { signal });
  watchSocket(checkLater, checkSoon);
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

const reconnect = () => dispatchEvent(new Event("online"));

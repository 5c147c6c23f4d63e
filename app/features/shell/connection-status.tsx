import { CloudOff } from "lucide";
import type { ConnectionState } from "convex/browser";
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from "react";
import { useFetchers } from "react-router";
import { inBackground, transport } from "~/lib/data/connection/connection";
import { useLiveClient } from "~/lib/data/connection/live-provider";
import { loadModule } from "~/lib/data/connection/load-module";
import { checkForNewBuild } from "~/lib/data/connection/new-build";
import { useRoot } from "~/lib/data/use-root";
import { buttonClass } from "~/lib/ui/inputs/button";
import { count } from "~/lib/ui/count";
import { Icon } from "~/lib/ui/icons/icon";
import { usePersistentValue } from "./use-persistent-value";
import { StatusPill } from "./status-pill";

/** Delays in ms before a lost or a slow first connection is shown. */
const LOST_AFTER = 1_500;
const SLOW_AFTER = 6_000;

const DETAILS_ID = "connection";

const HTTP_UPDATES = "Live updates may be slow";

/** Without its module, only screen readers learn of it. */
const HttpUpdates = lazy(() => loadModule(() => import("./http-updates")).catch(() => ({ default: () => null })));

/** Shows a lost connection, and one without websockets (specification 4, the realtime connection's state). */
export function ConnectionStatus() {
  const [opened, setOpened] = useState(false);
  useEffect(() => setOpened(true), []);
  return opened ? <Mark /> : null;
}

function Mark() {
  const state = useConnectionState();
  const online = useSyncExternalStore(onNetwork, () => navigator.onLine);
  const lost = usePersistentValue(!state.isWebSocketConnected, state.hasEverConnected ? LOST_AFTER : SLOW_AFTER);
  const shown = lost || (!online && !state.isWebSocketConnected);
  useNewsAtReturn(state.connectionCount);
  const overHttp = state.isWebSocketConnected && transport.isOverHttp();
  const waiting = state.inflightMutations + state.inflightActions - inBackground.mutations;
  useLeaveWarning(waiting > 0);
  return (
    <>
      {/* Present from the start, so that screen readers announce changes, and announce them once. */}
      <div role="status" className="sr-only">
        {shown ? `${nameOf(online)}. ${promise(waiting)}` : overHttp ? HTTP_UPDATES : ""}
      </div>
      {shown ? (
        <StatusPill>
          <button
            type="button"
            popoverTarget={DETAILS_ID}
            className={buttonClass({ variant: "ghost", size: "sm" }, "rounded-full text-ink")}
            data-connection={online ? "reconnecting" : "offline"}
          >
            <Icon of={CloudOff} className="text-accent-text" />
            {nameOf(online)}
            {online && state.connectionRetries > 0 ? <span className="tabular text-soft">attempt {state.connectionRetries}</span> : null}
            {waiting > 0 ? <span className="tabular text-soft">{count(waiting, "change")} pending</span> : null}
          </button>
          <Details state={state} waiting={waiting} />
        </StatusPill>
      ) : overHttp ? (
        <Suspense>
          <HttpUpdates title={HTTP_UPDATES} />
        </Suspense>
      ) : null}
    </>
  );
}

function useConnectionState(): ConnectionState {
  const client = useLiveClient();
  const [state, setState] = useState(NOT_LOADED);
  useEffect(() => {
    if (!client) return;
    setState(client.connectionState());
    return client.subscribeToConnectionState(setState);
  }, [client]);
  return state;
}

const NOT_LOADED: ConnectionState = {
  hasInflightRequests: false,
  isWebSocketConnected: false,
  timeOfOldestInflightRequest: null,
  hasEverConnected: false,
  connectionCount: 0,
  connectionRetries: 0,
  inflightMutations: 0,
  inflightActions: 0,
};

export const LEAVE_WARNING = "Are you sure you want to leave? Your changes may not be saved.";

/** Warns before unsaved changes are lost. The Convex client would warn only for sent mutations, not for queued ones or forms. */
function useLeaveWarning(waiting: boolean): void {
  // An answered form is stored, even while its redirect loads.
  const sending = useFetchers().some(({ state, formMethod }) => state === "submitting" && formMethod !== undefined && formMethod !== "GET");
  const incomplete = waiting || sending;
  useEffect(() => {
    if (!incomplete) return;
    const confirmUnload = (event: BeforeUnloadEvent) => {
      event.preventDefault();
      event.returnValue = LEAVE_WARNING;
    };
    addEventListener("beforeunload", confirmUnload);
    return () => removeEventListener("beforeunload", confirmUnload);
  }, [incomplete]);
}

function useNewsAtReturn(connections: number): void {
  const file = useRoot()?.build.file;
  useEffect(() => {
    if (connections > 1 && file !== undefined && import.meta.env.PROD) void checkForNewBuild(file);
  }, [connections, file]);
}

function Details({ state, waiting }: { state: ConnectionState; waiting: number }) {
  const { isWebSocketConnected, hasEverConnected, connectionCount, connectionRetries, timeOfOldestInflightRequest } = state;
  const details = [
    ["Connected", isWebSocketConnected ? "yes" : "no"],
    ["Connected before", hasEverConnected ? "yes" : "no"],
    ["Connections", String(connectionCount)],
    ["Retries", String(connectionRetries)],
    ["Pending", `${count(state.inflightMutations, "change")}, ${count(state.inflightActions, "action")}`],
    ["Oldest pending", timeOfOldestInflightRequest ? timeOf(timeOfOldestInflightRequest) : "none"],
  ] as const;
  return (
    <div id={DETAILS_ID} popover="auto" role="group" aria-label="Connection" className="menu w-72 p-3!" data-side="bottom">
      <p className="mb-2 text-sm text-soft">{promise(waiting)}</p>
      <dl className="tabular grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 text-sm">
        {details.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-faint">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const nameOf = (online: boolean) => (online ? "Reconnecting" : "Offline");

const promise = (waiting: number) =>
  waiting > 0
    ? "Your changes will sync when the connection is back. Keep this page open."
    : "Changes you make now will sync when the connection is back.";

const timeOf = (at: Date) => new Intl.DateTimeFormat(undefined, { timeStyle: "medium" }).format(at);

function onNetwork(changed: () => void): () => void {
  const controller = new AbortController();
  addEventListener("online", changed, { signal: controller.signal });
  addEventListener("offline", changed, { signal: controller.signal });
  return () => controller.abort();
}

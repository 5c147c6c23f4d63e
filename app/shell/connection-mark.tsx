import { CloudOff } from "lucide-react";
import type { ConnectionState } from "convex/browser";
import { useConvexConnectionState } from "convex/react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useFetchers } from "react-router";
import { askForBuild } from "~/data/new-build";
import { useRoot } from "~/data/use-root";
import { buttonClass } from "~/ui/button";
import { count } from "~/ui/count";
import { Icon } from "~/ui/icon";
import { useLasting } from "./lasting";
import { Pill } from "./pill";

/** A shorter loss is nobody's business; a first connection may take its time on a slow line. In milliseconds. */
const LOST_AFTER = 1_500;
const SLOW_AFTER = 6_000;

const DETAILS_ID = "connection";

/** Says that the page is not live at the moment, and nothing while it is (specification 4, the realtime connection's state). */
export function ConnectionMark() {
  // Not before the client was given the way to a token: asking for its state opens it (`markOpened`).
  const [opened, setOpened] = useState(false);
  useEffect(() => setOpened(true), []);
  return opened ? <Mark /> : null;
}

function Mark() {
  const state = useConvexConnectionState();
  const online = useSyncExternalStore(onNetwork, () => navigator.onLine);
  const lost = useLasting(!state.isWebSocketConnected, state.hasEverConnected ? LOST_AFTER : SLOW_AFTER);
  const shown = lost || (!online && !state.isWebSocketConnected);
  useNewsAtReturn(state.connectionCount);
  useLeaveWarning(state.inflightMutations + state.inflightActions > 0);
  const waiting = state.inflightMutations + state.inflightActions;
  return (
    <>
      {/* There from the start, so that what comes into it is announced: once, not with each attempt. */}
      <div role="status" className="sr-only">
        {shown ? `${nameOf(online)}. ${promise(waiting)}` : ""}
      </div>
      {shown ? (
        <Pill>
          <button
            type="button"
            popoverTarget={DETAILS_ID}
            className={buttonClass({ look: "ghost", size: "sm" }, "rounded-full text-ink")}
            data-connection={online ? "reconnecting" : "offline"}
          >
            <Icon of={CloudOff} className="text-accent-text" />
            {nameOf(online)}
            {online && state.connectionRetries > 0 ? <span className="tabular text-soft">attempt {state.connectionRetries}</span> : null}
            {waiting > 0 ? <span className="tabular text-soft">{count(waiting, "change")} waiting</span> : null}
          </button>
          <Details state={state} waiting={waiting} />
        </Pill>
      ) : null}
    </>
  );
}

/** Specification 8. */
const LEAVE = "Are you sure you want to leave? Your changes may not be saved.";

/**
 * Asks before a page is left whose changes are not stored yet. The official client asks by itself for those that it has sent; those that wait for
 * a connection would be lost just as well, and so would a form on its way to the app's server.
 */
function useLeaveWarning(waiting: boolean): void {
  // What is answered is stored, even while the page that it leads to still loads.
  const sending = useFetchers().some(({ state, formMethod }) => state === "submitting" && formMethod !== undefined && formMethod !== "GET");
  const incomplete = waiting || sending;
  useEffect(() => {
    if (!incomplete) return;
    const ask = (event: BeforeUnloadEvent) => {
      event.preventDefault();
      event.returnValue = LEAVE;
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [incomplete]);
}

/** A connection that comes back may come back to another build. */
function useNewsAtReturn(connections: number): void {
  const file = useRoot()?.build.file;
  useEffect(() => {
    if (connections > 1 && file !== undefined && import.meta.env.PROD) void askForBuild(file);
  }, [connections, file]);
}

/** The five facts of specification 4, for whoever wants to know, or is asked by somebody who helps. */
function Details({ state, waiting }: { state: ConnectionState; waiting: number }) {
  const { isWebSocketConnected, hasEverConnected, connectionCount, connectionRetries, timeOfOldestInflightRequest } = state;
  const facts = [
    ["Connected", isWebSocketConnected ? "yes" : "no"],
    ["Ever connected", hasEverConnected ? "yes" : "no"],
    ["Connections", String(connectionCount)],
    ["Attempts since", String(connectionRetries)],
    ["Waiting", `${count(state.inflightMutations, "change")}, ${count(state.inflightActions, "action")}`],
    ["Oldest of them", timeOfOldestInflightRequest ? timeOf(timeOfOldestInflightRequest) : "none"],
  ] as const;
  return (
    <div id={DETAILS_ID} popover="auto" role="group" aria-label="Connection" className="menu w-72 p-3!" data-side="bottom">
      <p className="mb-2 text-sm text-soft">{promise(waiting)}</p>
      <dl className="tabular grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 text-sm">
        {facts.map(([name, value]) => (
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
    ? "What you changed waits here, and goes out when the connection is back. Keep this page open."
    : "What you change now waits, and goes out when the connection is back.";

const timeOf = (at: Date) => new Intl.DateTimeFormat(undefined, { timeStyle: "medium" }).format(at);

function onNetwork(changed: () => void): () => void {
  const over = new AbortController();
  addEventListener("online", changed, { signal: over.signal });
  addEventListener("offline", changed, { signal: over.signal });
  return () => over.abort();
}

import type { ConvexReactClient } from "convex/react";
import { createContext, type ReactNode, startTransition, use, useEffect, useMemo, useState } from "react";
import type { AppConfig } from "~/config";
import type * as liveSession from "./live-session";
import { loadModule } from "./load-module";

type LiveModule = typeof liveSession;

type LiveProviderProps = {
  address: AppConfig["browserConvex"];
  useAuth: liveSession.UseAuth;
  children: ReactNode;
};

const LiveContext = createContext<ConvexReactClient | null>(null);

/** Returns the document's client, or null until its code is loaded. */
export const useLiveClient = (): ConvexReactClient | null => use(LiveContext);

/** Loads Convex's client after hydration: until then, the loaders' data are shown and forms are sent over HTTP (decision 242). */
export function LiveProvider({ address, useAuth, children }: LiveProviderProps) {
  const live = useLiveModule();
  const client = useMemo(() => live?.browserConvex(address) ?? null, [live, address]);
  return (
    <LiveContext value={client}>
      {/* Before the children, so that the client can fetch tokens when they subscribe. */}
      {live && client ? <live.LiveSession client={client} useAuth={useAuth} /> : null}
      {children}
    </LiveContext>
  );
}

let loaded: LiveModule | null = null;
let loading: Promise<LiveModule> | null = null;

function useLiveModule(): LiveModule | null {
  const [live, setLive] = useState(loaded);
  useEffect(() => {
    if (live) return;
    let isCurrent = true;
    void loadLive().then((module) => {
      if (isCurrent) startTransition(() => setLive(module));
    });
    return () => void (isCurrent = false);
  }, [live]);
  return live;
}

const loadLive = (): Promise<LiveModule> => (loading ??= retry());

async function retry(): Promise<LiveModule> {
  const load = () => import("./live-session");
  loaded = await load().catch(async () => {
    for (let pause = RETRY_MS; ; pause = Math.min(2 * pause, RETRY_MAX_MS)) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const module = await loadModule(load).catch(() => null);
      if (module) return module;
    }
  });
  return loaded;
}

const RETRY_MS = 500;
const RETRY_MAX_MS = 10_000;

import { ConvexQueryCacheProvider } from "convex-helpers/react/cache";
import { ConvexProviderWithAuth } from "convex/react";
import { type ComponentProps, type ReactNode, useEffect, useState } from "react";
import type { AppConfig } from "~/config";
import { browserConvex } from "./browser";
import { markOpened } from "./connection";

type LiveProviderProps = {
  address: AppConfig["browserConvex"];
  /** How the visitor's token is had, and had anew. */
  useAuth: ComponentProps<typeof ConvexProviderWithAuth>["useAuth"];
  children: ReactNode;
};

/**
 * Keeps the pages below it live. Only for where somebody is signed in: the client waits for a token. Answers stay subscribed for a while
 * after their page was left, so that coming back shows what is true by then, at once.
 */
export function LiveProvider({ address, useAuth, children }: LiveProviderProps) {
  const [client] = useState(() => browserConvex(address));
  return (
    <ConvexProviderWithAuth client={client} useAuth={useAuth}>
      <ConvexQueryCacheProvider expiration={WARM_MS} maxIdleEntries={WARM_QUERIES}>
        <Opened />
        {children}
      </ConvexQueryCacheProvider>
    </ConvexProviderWithAuth>
  );
}

/** Effects run in the order of the page: the one that gives the client its token's way stands before this. */
function Opened() {
  useEffect(markOpened, []);
  return null;
}

const WARM_MS = 60_000;
const WARM_QUERIES = 20;

import { ConvexQueryCacheProvider } from "convex-helpers/react/cache";
import { ConvexProviderWithAuth } from "convex/react";
import { type ComponentProps, type ReactNode, useEffect, useState } from "react";
import type { AppConfig } from "~/config";
import { browserConvex } from "./convex-browser-client";
import { markOpened } from "./connection";

type LiveProviderProps = {
  address: AppConfig["browserConvex"];
  useAuth: ComponentProps<typeof ConvexProviderWithAuth>["useAuth"];
  children: ReactNode;
};

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

/** Mounted last, so that its effect runs after the client can fetch tokens. */
function Opened() {
  useEffect(markOpened, []);
  return null;
}

const WARM_MS = 60_000;
const WARM_QUERIES = 20;

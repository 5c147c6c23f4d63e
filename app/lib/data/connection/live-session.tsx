import { ConvexProviderWithAuth, type ConvexReactClient } from "convex/react";
import { type ComponentProps, useEffect } from "react";
import { markOpened } from "./connection";
import { startFastReconnect } from "./fast-reconnect";

export { browserConvex } from "./convex-browser-client";

export type UseAuth = ComponentProps<typeof ConvexProviderWithAuth>["useAuth"];

/** Authenticates the client. `LiveProvider` loads this module, and with it Convex's client, after hydration. */
export function LiveSession({ client, useAuth }: { client: ConvexReactClient; useAuth: UseAuth }) {
  return (
    <ConvexProviderWithAuth client={client} useAuth={useAuth}>
      <Opened />
    </ConvexProviderWithAuth>
  );
}

/** Mounted within the provider, so that its effect runs after the client can fetch tokens. */
function Opened() {
  useEffect(markOpened, []);
  useEffect(startFastReconnect, []);
  return null;
}

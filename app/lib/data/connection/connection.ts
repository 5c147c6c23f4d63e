import type { ConvexReactClient } from "convex/react";

/** Separate from the code that creates the client, so that pages without one do not load the library. */
let client: ConvexReactClient | null = null;
let opened = false;

export const sharedClient = (make: () => ConvexReactClient): ConvexReactClient => (client ??= make());

/** Marks that the client can fetch tokens. Reading its state earlier opens the websocket, and convex 1.48 then omits the first message. */
export function markOpened(): void {
  opened = true;
}

/** Returns the client while it is connected; null means that callers use the app's server. */
export function connectedConvex(): ConvexReactClient | null {
  return opened && client?.connectionState().isWebSocketConnected ? client : null;
}

/** Returns the client if it was ever connected; it queues mutations until the connection is back. */
export function reconnectingConvex(): ConvexReactClient | null {
  return opened && client?.connectionState().hasEverConnected ? client : null;
}

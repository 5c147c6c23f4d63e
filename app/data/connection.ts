import type { ConvexReactClient } from "convex/react";

/**
 * The document's one client, for whoever only asks whether there is a connection: routes' `shouldRevalidate`, forms, uploads. It stands apart
 * from what makes the client, so that a page without one, such as the sign-in, does not load the official library to learn that there is none.
 */
let client: ConvexReactClient | null = null;
/** Whether it was given the way to a token, which also opens its websocket. */
let opened = false;

/** The document's client; made by `make` when there is none yet. */
export const keptClient = (make: () => ConvexReactClient): ConvexReactClient => (client ??= make());

/**
 * To be told once the client was given the way to a token. Before that it must not be asked for its state: asking opens the websocket, and
 * should that stand before the token's way is known, convex 1.48 forgets to send the protocol's first message and is cut off.
 */
export function markOpened(): void {
  opened = true;
}

/** The client, where it is connected right now; else null, and whoever asks takes the way over the app's server. */
export function connectedConvex(): ConvexReactClient | null {
  return opened && client?.connectionState().isWebSocketConnected ? client : null;
}

/** The client, where it is connected or was and will be again: what it is given then waits in it. */
export function reconnectingConvex(): ConvexReactClient | null {
  return opened && client?.connectionState().hasEverConnected ? client : null;
}

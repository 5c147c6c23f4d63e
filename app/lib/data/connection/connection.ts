import type { ConvexReactClient } from "convex/react";

/** Separate from the code that creates the client, so that pages without one do not load the library. */
let client: ConvexReactClient | null = null;
let opened = false;
const openListeners = new Set<() => void>();

export const sharedClient = (make: () => ConvexReactClient): ConvexReactClient => (client ??= make());

/** Marks that the client can fetch tokens. Reading its state earlier opens the websocket, and convex 1.48 then omits the first message. */
export function markOpened(): void {
  opened = true;
  for (const listener of openListeners) listener();
  openListeners.clear();
}

export function connectedConvex(): ConvexReactClient | null {
  return opened && client?.connectionState().isWebSocketConnected ? client : null;
}

export async function connection(): Promise<ConvexReactClient> {
  if (!opened) await new Promise<void>((resolve) => void openListeners.add(resolve));
  const convex = client;
  if (!convex) throw new Error("This page has no live connection");
  if (!convex.connectionState().isWebSocketConnected)
    await new Promise<void>((resolve) => {
      const stop = convex.subscribeToConnectionState(({ isWebSocketConnected }) => {
        if (!isWebSocketConnected) return;
        stop();
        resolve();
      });
    });
  return convex;
}

/** Returns the client if it was ever connected; it queues mutations until the connection is back. */
export function reconnectingConvex(): ConvexReactClient | null {
  return opened && client?.connectionState().hasEverConnected ? client : null;
}

/** After a form over HTTP, the loaders have its message and changes, even if the client has connected meanwhile. */
export const lastForm = { isOverHttp: false };

/** Replaced with the client's code. Over plain HTTP, changes arrive later. */
export const transport = { isOverHttp: () => false };

/** The number of mutations in flight whose loss is harmless: leaving the page needs no confirmation. */
export const inBackground = { mutations: 0 };

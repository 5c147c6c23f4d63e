import { useSyncExternalStore } from "react";

let message = "";
let announcedAt = -Infinity;
const listeners = new Set<() => void>();

/** Milliseconds a screen reader may need to start: an earlier replacement would silence the first text. */
const RECENT_MS = 2000;

export function announce(text: string): void {
  // The appended space makes screen readers announce a repeated text, because they ignore unchanged regions.
  message = text === message ? `${text}\u00A0` : text;
  announcedAt = performance.now();
  for (const listener of listeners) listener();
}

export function appendAnnouncement(text: string): void {
  announce(performance.now() - announcedAt < RECENT_MS ? `${message} ${text}` : text);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export function Announcer() {
  const text = useSyncExternalStore(
    subscribe,
    () => message,
    () => "",
  );
  return (
    <div role="status" className="sr-only" data-announcer>
      {text}
    </div>
  );
}

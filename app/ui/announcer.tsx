import { useSyncExternalStore } from "react";

let told = "";
let toldAt = -Infinity;
const listeners = new Set<() => void>();

/** How long a screen reader may need to come to what was said, in ms: what replaces it sooner keeps it from being heard. */
const MOMENT = 2000;

/** Has a screen reader say something that others see where it happens. */
export function announce(text: string): void {
  // The same words twice are said twice: what does not change is not announced.
  told = text === told ? `${text}\u00A0` : text;
  toldAt = performance.now();
  for (const listener of listeners) listener();
}

/** Says what has come by itself: behind what was said a moment ago, which somebody waits to hear. */
export function announceBehind(text: string): void {
  announce(performance.now() - toldAt < MOMENT ? `${told} ${text}` : text);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The live region for `announce`; stands once in the document, on every page. */
export function Announcer() {
  const text = useSyncExternalStore(
    subscribe,
    () => told,
    () => "",
  );
  return (
    <div role="status" className="sr-only" data-announcer>
      {text}
    </div>
  );
}

import { useSyncExternalStore } from "react";

let told = "";
const listeners = new Set<() => void>();

/** Has a screen reader say something that others see where it happens. */
export function announce(text: string): void {
  // The same words twice are said twice: what does not change is not announced.
  told = text === told ? `${text}\u00A0` : text;
  for (const listener of listeners) listener();
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

import { useEffect, useLayoutEffect, useRef } from "react";
import { areSingleKeysOn, pressedKey } from "./keys";

/** Handles keys of the whole page, except with Ctrl, Alt or Cmd. Returning true from `onKey` prevents the default. */
export function usePageKeys(onKey: (event: KeyboardEvent) => boolean, isElsewhere: (target: EventTarget | null) => boolean) {
  const latest = useRef(onKey);
  // A layout effect, to run before the next key press.
  useLayoutEffect(() => {
    latest.current = onKey;
  });
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isElsewhere(event.target)) return;
      if (pressedKey(event).length === 1 && !areSingleKeysOn()) return;
      if (latest.current(event)) event.preventDefault();
    }
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [isElsewhere]);
}

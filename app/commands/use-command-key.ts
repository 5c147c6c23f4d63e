import { useEffect } from "react";

const KEY = "k";

/** Ctrl or Cmd with K, wherever the hand is: also in a field. */
export function useCommandKey(act: () => void) {
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (event.key.toLowerCase() !== KEY || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      act();
    }
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [act]);
}

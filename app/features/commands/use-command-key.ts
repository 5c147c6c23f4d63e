import { useEffect } from "react";
import { pressedKey } from "~/lib/ui/inputs/keys";

const KEY = "k";

export function useCommandKey(act: () => void) {
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (pressedKey(event) !== KEY || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      act();
    }
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [act]);
}

import { useEffect } from "react";
import { href, useNavigate } from "react-router";
import { areSingleKeysOn, isElsewhere, pressedKey } from "~/lib/ui/inputs/keys";

export function useHelpKey() {
  const navigate = useNavigate();
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (
        pressedKey(event) !== "?" ||
        !areSingleKeysOn() ||
        event.defaultPrevented ||
        event.metaKey ||
        event.ctrlKey ||
        event.altKey ||
        isElsewhere(event.target)
      )
        return;
      event.preventDefault();
      void navigate(href("/shortcuts"));
    }
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [navigate]);
}

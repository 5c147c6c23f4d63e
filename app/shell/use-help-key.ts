import { useEffect } from "react";
import { href, useNavigate } from "react-router";
import { areSingleKeysOn, isElsewhere } from "~/ui/keys";

/** '?' leads to the page of keyboard shortcuts, unless it is typed into something. */
export function useHelpKey() {
  const navigate = useNavigate();
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (
        event.key !== "?" ||
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

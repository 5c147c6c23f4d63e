import { useCallback, useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { sidebarCookie } from "~/ui/preferences";

/** Specification 9: with Ctrl or Cmd. */
const TOGGLE_KEY = "b";
/** Whether the window is so narrow that the sidebar is a sheet: below the width that tokens.css has from specification 9, for styles and scripts. */
const narrow = () => matchMedia(`(width < ${getComputedStyle(document.documentElement).getPropertyValue("--breakpoint-md")})`);

/** The element that is a panel on wide screens and a popover on narrow ones. */
export const SIDEBAR_ID = "sidebar";

/**
 * The sidebar's state: `open` is that of the fixed panel, kept in a cookie; `sheet` is whether the sheet stands over the page. The sheet opens
 * and closes without this, by the popover's own means; with it, the page behind is inert and following a link closes it.
 */
export function useSidebar(openAtFirst: boolean) {
  const [open, setOpen] = useState(openAtFirst);
  const [sheet, setSheet] = useState(false);
  const ref = useRef<HTMLDivElement>(null);

  const toggle = useCallback(() => {
    if (narrow().matches) return void ref.current?.togglePopover();
    setOpen((was) => {
      document.cookie = sidebarCookie(!was, location.protocol === "https:");
      return !was;
    });
  }, []);

  useEffect(() => {
    const over = new AbortController();
    const { signal } = over;
    const panel = ref.current;
    addEventListener(
      "keydown",
      (event) => {
        if (event.key.toLowerCase() !== TOGGLE_KEY || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
        event.preventDefault();
        toggle();
      },
      { signal },
    );
    panel?.addEventListener("toggle", () => setSheet(panel.matches(":popover-open")), { signal });
    narrow().addEventListener("change", () => hide(panel), { signal });
    return () => over.abort();
  }, [toggle]);

  const { key } = useLocation();
  useEffect(() => hide(ref.current), [key]);

  return { ref, open, sheet, toggle };
}

function hide(panel: HTMLElement | null) {
  if (panel?.matches(":popover-open")) panel.hidePopover();
}

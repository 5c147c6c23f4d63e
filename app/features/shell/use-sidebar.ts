import { useCallback, useEffect, useRef, useState } from "react";
import { useLocation } from "react-router";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { type SidebarState, sidebarCookie } from "~/lib/ui/theme/preferences";

export const TOGGLE_KEY = "b";
const narrow = () => matchMedia(`(width < ${getComputedStyle(document.documentElement).getPropertyValue("--breakpoint-md")})`);

export const SIDEBAR_ID = "sidebar";

/** Manages the sidebar. Its sheet is a popover, which works without JavaScript. With JavaScript, the page below the sheet is inert. */
export function useSidebar(stateAtFirst: SidebarState) {
  const [state, setState] = useState(stateAtFirst);
  const [sheet, setSheet] = useState(false);
  const ref = useRef<HTMLDivElement>(null);

  const change = useCallback((next: SidebarState) => {
    hide(ref.current);
    document.cookie = sidebarCookie(next, location.protocol === "https:");
    setState(next);
  }, []);
  const toggle = useCallback(() => {
    if (narrow().matches || state === "hidden") return void ref.current?.togglePopover();
    change(state === "open" ? "collapsed" : "open");
  }, [state, change]);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const panel = ref.current;
    addEventListener(
      "keydown",
      (event) => {
        if (pressedKey(event) !== TOGGLE_KEY || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
        event.preventDefault();
        toggle();
      },
      { signal },
    );
    panel?.addEventListener("toggle", () => setSheet(panel.matches(":popover-open")), { signal });
    narrow().addEventListener("change", () => hide(panel), { signal });
    return () => controller.abort();
  }, [toggle]);

  const { key } = useLocation();
  useEffect(() => hide(ref.current), [key]);

  return { ref, state, sheet, toggle, change };
}

function hide(panel: HTMLElement | null) {
  if (panel?.matches(":popover-open")) panel.hidePopover();
}

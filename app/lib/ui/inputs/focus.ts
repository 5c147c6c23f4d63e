import { useEffect, useLayoutEffect, useRef } from "react";
import { NavigationType, useLocation, useNavigationType } from "react-router";
import { announce } from "../overlays/announcer";

/** Overlays that trap focus. The sidebar's sheet is not one: following a link closes it. */
const ABOVE = "dialog, [popover]:not(.sidebar), [data-sonner-toaster]";
const FIELD = "input, textarea, select, [contenteditable]";
const CONTROL = "a[href], button, input, select, textarea";

/** Focuses the heading, or after Back the followed link. Keeps the focus on fields and remaining controls, and if only the search string changes. */
export function useFocusAfterNavigation(): void {
  const { pathname } = useLocation();
  const isBackward = useNavigationType() === NavigationType.Pop;
  const before = useRef(pathname);
  // A layout effect, so that it runs before a dialog that opens automatically takes the focus.
  useLayoutEffect(() => {
    if (before.current === pathname) return;
    const from = before.current;
    before.current = pathname;
    announce(document.title);
    const active = document.activeElement;
    if (active && canKeepFocus(active)) return;
    moveFocus((isBackward ? linkTo(from) : null) ?? headingOf());
  }, [pathname, isBackward]);
}

export function useFocusAfterRemoval(): void {
  useEffect(() => {
    let lastFocus: { element: Element; list: Element | null; index: number } | null = null;

    function recordFocus({ target }: FocusEvent) {
      if (!(target instanceof Element) || target.closest(ABOVE)) return;
      const item = target.closest("li");
      const list = item?.parentElement ?? null;
      lastFocus = { element: target, list, index: item && list ? [...list.children].indexOf(item) : -1 };
    }
    function check() {
      if (!lastFocus || lastFocus.element.isConnected || !isNowhere(document.activeElement)) return;
      const { list, index } = lastFocus;
      lastFocus = null;
      const next = list?.isConnected ? list.children[Math.min(index, list.children.length - 1)] : undefined;
      moveFocus(next?.querySelector<HTMLElement>(CONTROL) ?? headingOf());
    }

    const controller = new AbortController();
    document.addEventListener("focusin", recordFocus, { signal: controller.signal });
    // A closing dialog may return focus to an element that was removed. The `close` event does not bubble.
    document.addEventListener("close", check, { signal: controller.signal, capture: true });
    const observer = new MutationObserver(check);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      controller.abort();
      observer.disconnect();
    };
  }, []);
}

const isNowhere = (active: Element | null) => active === null || active === document.body || active === document.documentElement;

function canKeepFocus(active: Element): boolean {
  if (isNowhere(active)) return false;
  const main = active.closest("main");
  return active.matches(FIELD) || active.closest(ABOVE) !== null || (main !== null && main !== active);
}

const headingOf = () => document.querySelector<HTMLElement>("main h1, h1");

function linkTo(path: string): HTMLElement | null {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("main a[href]")) if (link.pathname === path) return link;
  return null;
}

function moveFocus(target: HTMLElement | null): void {
  if (!target) return;
  if (!target.matches(CONTROL)) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

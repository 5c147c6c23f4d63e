import { useEffect, useLayoutEffect, useRef } from "react";
import { NavigationType, useLocation, useNavigationType } from "react-router";
import { announce } from "./announcer";

/** What stands above the page and keeps the focus to itself; the sidebar's sheet does not count, as following a link closes it. */
const ABOVE = "dialog, [popover]:not(.sidebar), [data-sonner-toaster]";
const FIELD = "input, textarea, select, [contenteditable]";
const CONTROL = "a[href], button, input, select, textarea";

/**
 * After a navigation the focus stands at the new page's heading, as in a document that was loaded, and the page's title is announced; on the
 * way back it stands at the link that had led away. What keeps it: a field somebody types in, and a control of the page that is still there, such
 * as 'next' where only the picture changes. A change of the search alone is no navigation.
 */
export function useFocusAfterNavigation(): void {
  const { pathname } = useLocation();
  const wentBack = useNavigationType() === NavigationType.Pop;
  const before = useRef(pathname);
  // With the page's own change, before what it opens by itself (a dialog) takes the focus.
  useLayoutEffect(() => {
    if (before.current === pathname) return;
    const from = before.current;
    before.current = pathname;
    announce(document.title);
    const active = document.activeElement;
    if (active && keepsFocus(active)) return;
    focusOn((wentBack ? linkTo(from) : null) ?? headingOf());
  }, [pathname, wentBack]);
}

/**
 * When what has the focus disappears (a deleted card, by whomever), the focus goes to what has come in its place in the list, or else to the
 * page's heading, instead of to nowhere.
 */
export function useFocusAfterRemoval(): void {
  useEffect(() => {
    let place: { element: Element; list: Element | null; index: number } | null = null;

    function remember({ target }: FocusEvent) {
      if (!(target instanceof Element) || target.closest(ABOVE)) return;
      const item = target.closest("li");
      const list = item?.parentElement ?? null;
      place = { element: target, list, index: item && list ? [...list.children].indexOf(item) : -1 };
    }
    function look() {
      if (!place || place.element.isConnected || !isNowhere(document.activeElement)) return;
      const { list, index } = place;
      place = null;
      const next = list?.isConnected ? list.children[Math.min(index, list.children.length - 1)] : undefined;
      focusOn(next?.querySelector<HTMLElement>(CONTROL) ?? headingOf());
    }

    const over = new AbortController();
    document.addEventListener("focusin", remember, { signal: over.signal });
    // A dialog gives the focus back when it closes: perhaps to what is gone by then. The event does not bubble.
    document.addEventListener("close", look, { signal: over.signal, capture: true });
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      over.abort();
      observer.disconnect();
    };
  }, []);
}

const isNowhere = (active: Element | null) => active === null || active === document.body || active === document.documentElement;

function keepsFocus(active: Element): boolean {
  if (isNowhere(active)) return false;
  const main = active.closest("main");
  return active.matches(FIELD) || active.closest(ABOVE) !== null || (main !== null && main !== active);
}

const headingOf = () => document.querySelector<HTMLElement>("main h1, h1");

function linkTo(path: string): HTMLElement | null {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("main a[href]")) if (link.pathname === path) return link;
  return null;
}

function focusOn(target: HTMLElement | null): void {
  if (!target) return;
  if (!target.matches(CONTROL)) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

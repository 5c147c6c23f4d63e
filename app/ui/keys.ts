import { SHORTCUTS_COOKIE, shortcutsFrom } from "./preferences";

/** Whether keys that do something by themselves are wanted (WCAG 2.2, 2.1.4): letters, figures and signs without Ctrl or the like. */
export function areSingleKeysOn(): boolean {
  const cookie = document.cookie.split("; ").find((each) => each.startsWith(`${SHORTCUTS_COOKIE}=`));
  return shortcutsFrom(cookie?.split("=")[1] ?? null);
}

/** Whether a key belongs to something else than the page: to a field, or to what is open above it. */
export function isElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open], :popover-open")) return true;
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}

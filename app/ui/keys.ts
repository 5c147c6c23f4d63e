/** Whether a key belongs to something else than the page: to a field, or to what is open above it. */
export function isElsewhere(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open], :popover-open:not(.sidebar)")) return true;
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}

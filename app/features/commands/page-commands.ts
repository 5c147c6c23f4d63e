import type { Command } from "./command";

/** Returns a command for each control marked `data-command`, also in closed menus, so that the palette offers all actions of the page. */
export function pageCommands(root: ParentNode = document): Command[] {
  const offered = [...root.querySelectorAll<HTMLElement>("[data-command]")].filter(isOffered);
  const byName = new Map(offered.map((element) => [nameOf(element), element]));
  return [...byName].map(([name, element]) => ({ key: `here ${name}`, name, kind: "On this page", run: () => press(element) }));
}

const nameOf = (element: HTMLElement): string =>
  element.dataset["command"] || element.getAttribute("aria-label") || element.textContent.trim();

function press(element: HTMLElement): void {
  const folded = foldOf(element);
  if (folded) folded.open = true;
  if (!(element instanceof HTMLInputElement)) return element.click();
  element.focus();
  element.select();
}

function isOffered(element: HTMLElement): boolean {
  if (element.matches(":disabled, [aria-disabled='true'], [aria-pressed='true'], [aria-current='true']")) return false;
  const menu = element.closest("[popover]:not(:popover-open)");
  return menu !== null || (foldOf(element) ?? element).checkVisibility({ visibilityProperty: true });
}

const foldOf = (element: HTMLElement): HTMLDetailsElement | null =>
  element.tagName === "SUMMARY" ? null : element.closest<HTMLDetailsElement>("details:not([open])");

import type { Command } from "./command";

/**
 * What can be done on the page that is open: its own buttons, links and fields that say so by `data-command`. Their words are the command's name (or
 * the attribute's, where it has some), and to run it is to press them, or to go into the field: so the palette can do nothing that the page cannot,
 * and knows of every new one. What stands in a menu of the page is offered without opening it, and what is folded is unfolded first.
 */
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

/** The closed `<details>` that hides it. */
const foldOf = (element: HTMLElement): HTMLDetailsElement | null =>
  element.tagName === "SUMMARY" ? null : element.closest<HTMLDetailsElement>("details:not([open])");

import type { Command } from "./command";

/**
 * What can be done on the page that is open: its own buttons and links that say so by `data-command`. Their words are the command's name (or
 * the attribute's, where it has some), and to run it is to press them: so the palette can do nothing that the page cannot, and knows of every
 * new one.
 */
export function pageCommands(root: ParentNode = document): Command[] {
  const offered = [...root.querySelectorAll<HTMLElement>("[data-command]")].filter(isOffered);
  const byName = new Map(offered.map((element) => [nameOf(element), element]));
  return [...byName].map(([name, element]) => ({ key: `here ${name}`, name, kind: "On this page", run: () => element.click() }));
}

const nameOf = (element: HTMLElement): string =>
  element.dataset["command"] || element.getAttribute("aria-label") || element.textContent.trim();

const isOffered = (element: HTMLElement): boolean =>
  !element.matches(":disabled, [aria-disabled='true']") && element.checkVisibility({ visibilityProperty: true });

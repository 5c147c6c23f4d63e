import { MENU_OPENER } from "./open-dialog-param";

type Point = { x: number; y: number };

const MARGIN = 8;
let requested: Point | null = null;

export function openMenuAt(item: Element, point: Point): boolean {
  const button = item.querySelector<HTMLElement>(MENU_OPENER);
  if (!button) return false;
  requested = point;
  button.focus({ preventScroll: true });
  button.click();
  requested = null;
  return true;
}

/** Places the menu. Must be called once the menu is shown, because its size decides where it fits. */
export function placeMenu(menu: HTMLElement | null): void {
  if (!menu) return;
  menu.removeAttribute("style");
  if (!requested) return;
  Object.assign(menu.style, { position: "fixed", inset: "auto", margin: "0", positionArea: "none", positionTryFallbacks: "none" });
  const { width, height } = menu.getBoundingClientRect();
  menu.style.left = `${Math.max(MARGIN, Math.min(requested.x, innerWidth - width - MARGIN))}px`;
  menu.style.top = `${Math.max(MARGIN, Math.min(requested.y, innerHeight - height - MARGIN))}px`;
}

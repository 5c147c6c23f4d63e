import { type RefObject, useEffect } from "react";
import { openMenuAt } from "~/lib/forms/dialogs/context-menu";
import { MENU_OPENER } from "~/lib/forms/dialogs/open-dialog-param";
import { suppressClick } from "../selectable-items";

/** Duration of a long press (ms), and the movement that it tolerates (pixels). */
const PRESS = 500;
const MOVE_THRESHOLD = 10;

type Point = { x: number; y: number };

/** Opens a card's menu on right-click, by the menu key, and on long press, which WebKit does not report as `contextmenu`. */
export function useContextMenu(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let from: Point = { x: 0, y: 0 };
    /** The item whose menu opens when the pointer is released: releasing closes open menus ("light dismiss"). */
    let pressed: Element | null = null;
    const stop = () => clearTimeout(timer);
    const itemAt = (target: EventTarget | null) => {
      const item = target instanceof Element && !target.closest("[popover], dialog") ? target.closest("[data-pick]") : null;
      return item && list.current?.contains(item) && item.querySelector(MENU_OPENER) ? item : null;
    };

    function menu(event: MouseEvent): void {
      stop();
      const item = itemAt(event.target);
      if (!item) return;
      event.preventDefault();
      if (pressed === item) return;
      from = placeOf(event, item);
      if (event.buttons === 0) openMenuAt(item, from);
      else pressed = item;
    }
    function press(event: PointerEvent): void {
      stop();
      pressed = null;
      const item = event.pointerType === "touch" && event.isPrimary ? itemAt(event.target) : null;
      if (!item || (event.target instanceof Element && event.target.closest("button, input, label"))) return;
      from = { x: event.clientX, y: event.clientY };
      timer = setTimeout(() => {
        pressed = item;
        openMenuAt(item, from);
      }, PRESS);
    }
    function move(event: PointerEvent): void {
      if (Math.hypot(event.clientX - from.x, event.clientY - from.y) > MOVE_THRESHOLD) stop();
    }
    function cancelLongPress(): void {
      stop();
      const item = pressed;
      pressed = null;
      if (!item) return;
      suppressClick();
      setTimeout(() => {
        if (!item.querySelector(".menu:popover-open")) openMenuAt(item, from);
      });
    }
    document.addEventListener("contextmenu", menu, { signal });
    document.addEventListener("pointerdown", press, { signal });
    document.addEventListener("pointermove", move, { signal });
    document.addEventListener("pointerup", cancelLongPress, { signal });
    document.addEventListener("pointercancel", stop, { signal });
    return () => {
      controller.abort();
      stop();
    };
  }, [list]);
}

function placeOf({ clientX, clientY }: MouseEvent, item: Element): Point {
  if (clientX !== 0 || clientY !== 0) return { x: clientX, y: clientY };
  const { left, top } = item.getBoundingClientRect();
  return { x: left, y: top };
}

import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { dropDesignsOf, showDropDesigns } from "../destinations/show-drop-designs";
import { idOf } from "../selectable-items";
import { type CopiedItems, readItems, writeItems } from "./item-clipboard";

type ItemDrag = {
  kind: "design" | "image";
  draggedWith: (id: string) => CopiedItems;
  namesOf: (ids: string[]) => string[];
  move: (items: CopiedItems, target: string) => void;
};

export type ItemDropTargets = {
  over: (element: Element | null) => string | null;
  drop: (id: string, element: Element | null) => void;
  end: () => void;
};

const DROP_TARGETS = { design: /^\/projects\/([^/]+)$/, image: /^\/design\/([^/]+)$/ };

const HOVER_MS = 500;

export function useItemDrag(list: RefObject<HTMLElement | null>, drag: ItemDrag | null): RefObject<ItemDropTargets | null> {
  const targets = useRef<ItemDropTargets>(null);
  const begin = useEffectEvent(({ target, dataTransfer, defaultPrevented }: DragEvent) => {
    const id = target instanceof Element && list.current?.contains(target) ? idOf(target) : null;
    if (defaultPrevented || !drag || !dataTransfer || id === null) return null;
    const items = drag.draggedWith(id);
    dataTransfer.clearData();
    dataTransfer.effectAllowed = "move";
    writeItems(dataTransfer, items, drag.namesOf(items.ids));
    return items;
  });
  const targetOf = useEffectEvent((target: EventTarget | null) => {
    const link = drag && target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    if (!link || !drag || idOf(link) !== null || link.pathname === location.pathname) return null;
    const id = DROP_TARGETS[drag.kind].exec(link.pathname)?.[1];
    return id !== undefined ? { link, id } : null;
  });
  const projectAt = useEffectEvent((target: EventTarget | null): HTMLAnchorElement | null => {
    const link = drag?.kind === "image" && target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    return link && DROP_TARGETS.design.test(link.pathname) ? link : null;
  });
  const move = useEffectEvent((items: CopiedItems, id: string) => drag?.move(items, id));
  const draggedWith = useEffectEvent((id: string) => drag?.draggedWith(id));

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const options = { signal, capture: true };
    let isOurs = false;
    let marked: Element | null = null;
    const mark = (link: Element | null) => {
      if (link === marked) return;
      marked?.removeAttribute("data-drop-target");
      marked = link;
      marked?.setAttribute("data-drop-target", "");
    };
    let hovered: Element | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hover = (target: EventTarget | null) => {
      const link = projectAt(target);
      const at = link ?? (target instanceof Element ? target.closest("[data-drop-designs]") : null);
      if (at === hovered) return;
      hovered = at;
      clearTimeout(timer);
      if (link) timer = setTimeout(() => showDropDesigns(dropDesignsOf(link)), HOVER_MS);
      else if (!at) timer = setTimeout(() => showDropDesigns(null), HOVER_MS);
    };
    const over = (target: EventTarget | null) => {
      hover(target);
      const dropTarget = targetOf(target);
      mark(dropTarget?.link ?? null);
      return dropTarget;
    };
    const end = () => {
      isOurs = false;
      mark(null);
      hovered = null;
      clearTimeout(timer);
      showDropDesigns(null);
    };
    targets.current = {
      over: (element) => over(element)?.link.textContent.trim() ?? (hovered ? "" : null),
      drop: (id, element) => {
        const dropTarget = targetOf(element);
        const items = draggedWith(id);
        if (dropTarget && items) move(items, dropTarget.id);
      },
      end,
    };
    // Listens on the window, so that reordering can prevent the browser's drag first.
    window.addEventListener("dragstart", (event) => (isOurs = begin(event) !== null), { signal });
    document.addEventListener(
      "dragover",
      (event) => {
        if (!isOurs) return;
        event.stopPropagation();
        if (over(event.target)) event.preventDefault();
      },
      options,
    );
    document.addEventListener(
      "drop",
      (event) => {
        const dropTarget = isOurs ? targetOf(event.target) : null;
        const items = event.dataTransfer && readItems(event.dataTransfer);
        if (!isOurs) return;
        event.stopPropagation();
        event.preventDefault();
        if (dropTarget && items) move(items, dropTarget.id);
        end();
      },
      options,
    );
    document.addEventListener("dragend", end, options);
    return () => {
      controller.abort();
      targets.current = null;
      end();
    };
  }, []);
  return targets;
}

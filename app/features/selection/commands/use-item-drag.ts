import { type RefObject, useEffect, useEffectEvent } from "react";
import { dropDesignsOf, showDropDesigns } from "../destinations/show-drop-designs";
import { idOf } from "../selectable-items";
import { type CopiedItems, readItems, writeItems } from "./item-clipboard";

type ItemDrag = {
  kind: "design" | "image";
  draggedWith: (id: string) => CopiedItems;
  namesOf: (ids: string[]) => string[];
  move: (items: CopiedItems, target: string) => void;
};

/** Addresses of links that accept dropped items: in the sidebar, the breadcrumb and headings. */
const DROP_TARGETS = { design: /^\/projects\/([^/]+)$/, image: /^\/design\/([^/]+)$/ };

/** How long images are dragged over a project's link before its designs are listed, and elsewhere before the list closes (milliseconds). */
const HOVER = 500;

export function useItemDrag(list: RefObject<HTMLElement | null>, drag: ItemDrag | null): void {
  const begin = useEffectEvent((event: DragEvent) => {
    const { target, dataTransfer } = event;
    const id = target instanceof Element && list.current?.contains(target) ? idOf(target) : null;
    if (!drag || !dataTransfer || id === null) return null;
    const items = drag.draggedWith(id);
    dataTransfer.clearData();
    dataTransfer.effectAllowed = "move";
    writeItems(dataTransfer, items, drag.namesOf(items.ids));
    return items;
  });
  const targetOf = useEffectEvent((target: EventTarget | null) => {
    const link = drag && target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    const id = link && drag && idOf(link) === null ? DROP_TARGETS[drag.kind].exec(link.pathname)?.[1] : undefined;
    return link && id !== undefined ? { link, id } : null;
  });
  const projectAt = useEffectEvent((target: EventTarget | null): HTMLAnchorElement | null => {
    const link = drag?.kind === "image" && target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
    return link && DROP_TARGETS.design.test(link.pathname) ? link : null;
  });
  const drop = useEffectEvent((items: CopiedItems, id: string) => drag?.move(items, id));

  useEffect(() => {
    const controller = new AbortController();
    const options = { signal: controller.signal, capture: true };
    let isOurs = false;
    let marked: Element | null = null;
    const mark = (link: Element | null) => {
      marked?.removeAttribute("data-drop-target");
      marked = link;
      marked?.setAttribute("data-drop-target", "");
    };
    let over: Element | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hover = (target: EventTarget | null) => {
      const link = projectAt(target);
      const at = link ?? (target instanceof Element ? target.closest("[data-drop-designs]") : null);
      if (at === over) return;
      over = at;
      clearTimeout(timer);
      if (link) timer = setTimeout(() => showDropDesigns(dropDesignsOf(link)), HOVER);
      else if (!at) timer = setTimeout(() => showDropDesigns(null), HOVER);
    };
    document.addEventListener("dragstart", (event) => (isOurs = begin(event) !== null), options);
    document.addEventListener(
      "dragover",
      (event) => {
        if (!isOurs) return;
        event.stopPropagation();
        hover(event.target);
        const dropTarget = targetOf(event.target);
        mark(dropTarget?.link ?? null);
        if (dropTarget) event.preventDefault();
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
        if (dropTarget && items) drop(items, dropTarget.id);
        showDropDesigns(null);
      },
      options,
    );
    const end = () => {
      isOurs = false;
      mark(null);
      over = null;
      clearTimeout(timer);
      showDropDesigns(null);
    };
    document.addEventListener("dragend", end, options);
    return () => {
      controller.abort();
      end();
    };
  }, []);
}

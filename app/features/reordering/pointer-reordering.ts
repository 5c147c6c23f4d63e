import { isolate } from "~/lib/ui/isolate";
import { boxOf, idOf, scrollAtEdges, suppressClick, selectableItems } from "~/features/selection/selectable-items";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { isMirrored } from "~/lib/ui/is-mirrored";
import { DropMarkers } from "./drop-markers";
import { dropPositionAt, markerBox } from "./drop-position";
import { type ReorderTarget, HANDLE, type ReorderList } from "./reorder-list";

const MOVE_THRESHOLD = 6;
const OWN = "button, input, textarea, select, label, summary, [popover], dialog";

/** Reorders by dragging, and moves to drop targets of the page. Drops are relative to a neighbour, as the list may change during a drag. */
export function reorderByPointer(shelf: ReorderList): () => void {
  let stop: (() => void) | null = null;

  function startDrag(first: PointerEvent): void {
    const { target } = first;
    const list = shelf.list();
    if (stop || first.button !== 0 || !shelf.isEnabled() || !(target instanceof Element) || !list?.contains(target)) return;
    const byHandle = target.closest(HANDLE) !== null;
    if (!byHandle && (first.pointerType !== "mouse" || target.closest(OWN) !== null)) return;
    const id = idOf(target);
    const thing = target.closest<HTMLElement>("[data-pick]");
    if (id === null || !thing) return;
    const markers = new DropMarkers();
    let pointer = { x: first.clientX, y: first.clientY };
    let aim: ReorderTarget | null = null;
    let over: Element | null = null;
    let stopScrolling: (() => void) | null = null;
    const controller = new AbortController();
    const { signal } = controller;

    const updateTarget = () => {
      if (!stopScrolling) return;
      const element = elementAt(pointer);
      const target = shelf.dropTargets()?.over(element) ?? null;
      over = target === null ? null : element;
      if (target !== null) {
        markers.line(null);
        return markers.label(target ? `Move to ${isolate(target)}` : shelf.nameOf(id), pointer);
      }
      const things = selectableItems(list);
      const boxes = things.map(boxOf);
      const at = dropPositionAt(boxes, { x: pointer.x + scrollX, y: pointer.y + scrollY }, isMirrored());
      const beside = at ? things[at.index]?.dataset["pick"] : undefined;
      aim = at && beside !== undefined ? { to: at.side, beside } : null;
      markers.line(at && markerBox(boxes, at, isMirrored()));
      markers.label(shelf.nameOf(id), pointer);
    };
    const end = () => {
      controller.abort();
      stopScrolling?.();
      markers.clear();
      shelf.dropTargets()?.end();
      thing.removeAttribute("data-carried");
      stop = null;
    };
    stop = end;
    window.addEventListener(
      "pointermove",
      (event) => {
        if (event.pointerId !== first.pointerId) return;
        pointer = { x: event.clientX, y: event.clientY };
        if (!stopScrolling) {
          if (Math.hypot(pointer.x - first.clientX, pointer.y - first.clientY) < MOVE_THRESHOLD) return;
          thing.setAttribute("data-carried", "");
          stopScrolling = scrollAtEdges(() => pointer.y, updateTarget);
        }
        updateTarget();
      },
      { signal },
    );
    window.addEventListener("scroll", updateTarget, { signal, passive: true, capture: true });
    window.addEventListener("pointercancel", (event) => void (event.pointerId === first.pointerId && end()), { signal });
    window.addEventListener("selectstart", (event) => event.preventDefault(), { signal });
    // Escape must not abort this, because the click must be suppressed even then.
    const released = new AbortController();
    window.addEventListener(
      "pointerup",
      (event) => {
        if (event.pointerId !== first.pointerId) return;
        released.abort();
        if (stopScrolling) suppressClick();
        if (stopScrolling && stop === end) {
          if (over) shelf.dropTargets()?.drop(id, over);
          else if (aim) shelf.reorder(id, aim);
        }
        if (stop === end) end();
      },
      { signal: released.signal },
    );
    window.addEventListener(
      "keydown",
      (event) => {
        if (pressedKey(event) !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        end();
      },
      { signal, capture: true },
    );
  }

  const native = (event: DragEvent) => {
    if (shelf.isEnabled() && event.target instanceof Node && shelf.list()?.contains(event.target)) event.preventDefault();
  };
  document.addEventListener("pointerdown", startDrag);
  document.addEventListener("dragstart", native);
  return () => {
    document.removeEventListener("pointerdown", startDrag);
    document.removeEventListener("dragstart", native);
    stop?.();
  };
}

const elementAt = ({ x, y }: { x: number; y: number }): Element | null => document.elementFromPoint(x, y);

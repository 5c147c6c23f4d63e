import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { isMirrored } from "~/lib/ui/is-mirrored";
import { neighbourInDirection, between, isArrow, touches } from "./range";
import { boxOf, controlOf, idOf, scrollAtEdges, suppressClick, selectableItems } from "./selectable-items";
import { selectFirst, type Selection } from "./use-selection";

const FIELD = 'input:not([type="checkbox"]), textarea, select, [contenteditable]';
const ABOVE = "dialog[open], :popover-open, .viewer";
const CONTROL = "a, button, input, textarea, select, label, summary, [popover], dialog";
const MOVE_THRESHOLD = 6;
/** Selects by clicks, by keys (Space, Shift+arrows, Ctrl/Cmd+A, Escape) and by drawing a rectangle. Shift and Ctrl add to the selection. */
export function usePointerSelection(list: RefObject<HTMLElement | null>, selection: Selection): void {
  useKeys(list, selection);
  useClicks(list, selection);
  useRectangle(list, selection);
}

function useKeys(list: RefObject<HTMLElement | null>, selection: Selection): void {
  /** The start of a Shift+arrow range and the selection before it, so that the range can shrink. */
  const reach = useRef<{ from: string; before: readonly string[] } | null>(null);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { shiftKey, target } = event;
    const key = pressedKey(event);
    if (event.defaultPrevented || event.altKey || !(target instanceof HTMLElement)) return;
    if (target.matches(FIELD) || document.querySelector(ABOVE)) return;
    if (key !== "Shift" && !(shiftKey && isArrow(key))) reach.current = null;
    const inList = list.current?.contains(target) ?? false;
    const { on, ids, chosen } = selection;

    if (event.ctrlKey || event.metaKey) {
      if (key !== "a" || shiftKey || !(inList || on)) return;
      event.preventDefault();
      selection.chooseAll();
      const at = idOf(target);
      if (at !== null) selection.focus(at);
      return;
    }
    if (key === "Escape" && on) {
      event.preventDefault();
      const at = idOf(target);
      if (at !== null) selection.focus(at);
      selection.end();
      return;
    }
    const id = idOf(target);
    if (id === null || !inList || target !== controlOf(id)) return;
    if (key === " " && !on) {
      event.preventDefault();
      selection.focus(id);
      selection.toggle(id, false);
    }
    if (!isArrow(key) || !(on || shiftKey)) return;
    event.preventDefault();
    const things = selectableItems(list.current);
    const currentIndex = things.findIndex((each) => each.dataset["pick"] === id);
    const next = things[neighbourInDirection(key, things.map(boxOf), currentIndex, isMirrored())]?.dataset["pick"];
    if (next === undefined) return;
    if (shiftKey) {
      reach.current ??= { from: id, before: chosen };
      selection.choose([...reach.current.before, ...between(ids, reach.current.from, next)]);
    }
    selection.focus(next);
    const control = controlOf(next);
    control?.focus();
    control?.closest("[data-pick]")?.scrollIntoView({ block: "nearest" });
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

/** Handles clicks by script, because not every browser passes a click with Shift from a label to its check box. */
function useClicks(list: RefObject<HTMLElement | null>, selection: Selection): void {
  const onClick = useEffectEvent((event: MouseEvent) => {
    const { target } = event;
    if (!(target instanceof HTMLElement) || target.matches("input") || !list.current?.contains(target)) return;
    if (!selection.on) return startSelection(event, target);
    const id = target.closest("label.pick") && idOf(target);
    if (id === null) return;
    event.preventDefault();
    controlOf(id)?.focus({ preventScroll: true });
    selection.toggle(id, event.shiftKey);
  });
  function startSelection(event: MouseEvent, target: HTMLElement): void {
    const id = event.ctrlKey || event.metaKey || event.shiftKey ? idOf(target) : null;
    if (id === null || !controlOf(id)?.contains(target.closest("a"))) return;
    event.preventDefault();
    getSelection()?.removeAllRanges();
    selectFirst(selection, id);
  }
  useEffect(() => {
    const click = (event: MouseEvent) => onClick(event);
    document.addEventListener("click", click);
    return () => document.removeEventListener("click", click);
  }, []);
}

type Point = { x: number; y: number };

function useRectangle(list: RefObject<HTMLElement | null>, selection: Selection): void {
  const canStart = useEffectEvent((event: PointerEvent) => {
    const { target } = event;
    if (event.button !== 0 || event.pointerType !== "mouse" || !(target instanceof Element) || !list.current) return false;
    if (selection.on && list.current.contains(target)) return target.closest("button, a") === null;
    return (
      target.closest(CONTROL) === null && target.closest("main") !== null && (target.contains(list.current) || target === list.current)
    );
  });
  const previousSelection = useEffectEvent(() => selection.chosen);
  const setSelectedIds = useEffectEvent((ids: string[]) => selection.choose(ids));

  useEffect(() => {
    let stop: (() => void) | null = null;
    function begin(event: PointerEvent) {
      if (!stop && canStart(event)) stop = startRectangle(event);
    }
    function startRectangle(first: PointerEvent): () => void {
      const from = onPage(first);
      const before = previousSelection();
      const initial = first.shiftKey || first.ctrlKey || first.metaKey ? before : [];
      let pointer: Point = { x: first.clientX, y: first.clientY };
      let rectangle: HTMLElement | null = null;
      let stopScrolling = () => {};

      function updateSelection() {
        if (!rectangle) return;
        const to = { x: pointer.x + scrollX, y: pointer.y + scrollY };
        const box = {
          left: Math.min(from.x, to.x),
          top: Math.min(from.y, to.y),
          right: Math.max(from.x, to.x),
          bottom: Math.max(from.y, to.y),
        };
        Object.assign(rectangle.style, {
          left: `${box.left}px`,
          top: `${box.top}px`,
          width: `${box.right - box.left}px`,
          height: `${box.bottom - box.top}px`,
        });
        const within = selectableItems(list.current).filter((thing) => touches(box, boxOf(thing)));
        setSelectedIds([...initial, ...within.flatMap((thing) => thing.dataset["pick"] ?? [])]);
      }
      function move(event: PointerEvent) {
        pointer = { x: event.clientX, y: event.clientY };
        const to = onPage(event);
        if (!rectangle && Math.hypot(to.x - from.x, to.y - from.y) < MOVE_THRESHOLD) return;
        if (!rectangle) {
          rectangle = document.createElement("div");
          rectangle.className = "pick-rectangle";
          document.body.append(rectangle);
          getSelection()?.removeAllRanges();
          stopScrolling = scrollAtEdges(() => pointer.y, updateSelection);
        }
        updateSelection();
      }
      const controller = new AbortController();
      const { signal } = controller;
      const end = () => {
        controller.abort();
        stopScrolling();
        rectangle?.remove();
        stop = null;
      };
      const cancelled = () => {
        if (rectangle) setSelectedIds([...before]);
        end();
      };
      window.addEventListener("pointermove", move, { signal });
      window.addEventListener("pointercancel", cancelled, { signal });
      window.addEventListener("selectstart", (event) => event.preventDefault(), { signal });
      const endGesture = () => {
        if (rectangle) suppressClick();
        end();
      };
      window.addEventListener("pointerup", endGesture, { signal });
      window.addEventListener(
        "keydown",
        (event) => {
          if (pressedKey(event) !== "Escape" || !rectangle) return;
          event.preventDefault();
          event.stopPropagation();
          window.addEventListener("pointerup", suppressClick, { once: true });
          cancelled();
        },
        { signal, capture: true },
      );
      return end;
    }
    document.addEventListener("pointerdown", begin);
    return () => {
      document.removeEventListener("pointerdown", begin);
      stop?.();
    };
  }, [list]);
}

const onPage = ({ clientX, clientY }: PointerEvent): Point => ({ x: clientX + scrollX, y: clientY + scrollY });

import { boxOf, idOf, scrollAtEdges, swallowClick, thingsIn } from "~/selection/things";
import { Marks } from "./marks";
import { dropAt, markerBox } from "./place";
import { type Aim, HANDLE, type Shelf } from "./shelf";

/** A press that moves no farther is a click (pixels). */
const STILL = 6;
/** What a thing has of its own to press, beside what leads to it. */
const OWN = "button, input, textarea, select, label, summary, [popover], dialog";

/**
 * Carries things of a list by their handles, with a mouse by all of them; a line shows where one would go. Near the window's edges the page moves
 * on, and with it comes what the list has on further pages, so that a thing is carried as far as the list goes. What counts is beside whom it is
 * let go: the list may change meanwhile.
 * @returns what ends it
 */
export function arrangeByPointer(shelf: Shelf): () => void {
  let stop: (() => void) | null = null;

  function carry(first: PointerEvent): void {
    const { target } = first;
    const list = shelf.list();
    if (stop || first.button !== 0 || !shelf.isOn() || !(target instanceof Element) || !list?.contains(target)) return;
    const byHandle = target.closest(HANDLE) !== null;
    if (!byHandle && (first.pointerType !== "mouse" || target.closest(OWN) !== null)) return;
    const id = idOf(target);
    const thing = target.closest<HTMLElement>("[data-pick]");
    if (id === null || !thing) return;
    const marks = new Marks();
    let pointer = { x: first.clientX, y: first.clientY };
    let aim: Aim | null = null;
    let stopScrolling: (() => void) | null = null;
    const over = new AbortController();
    const { signal } = over;

    const look = () => {
      if (!stopScrolling) return;
      const things = thingsIn(list);
      const boxes = things.map(boxOf);
      const at = dropAt(boxes, { x: pointer.x + scrollX, y: pointer.y + scrollY });
      const beside = at ? things[at.index]?.dataset["pick"] : undefined;
      aim = at && beside !== undefined ? { to: at.side, beside } : null;
      marks.line(at && markerBox(boxes, at));
      marks.label(shelf.nameOf(id), pointer);
    };
    const end = () => {
      over.abort();
      stopScrolling?.();
      marks.clear();
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
          if (Math.hypot(pointer.x - first.clientX, pointer.y - first.clientY) < STILL) return;
          thing.setAttribute("data-carried", "");
          stopScrolling = scrollAtEdges(() => pointer.y, look);
        }
        look();
      },
      { signal },
    );
    // Also by the wheel, and where what comes from further pages makes room.
    window.addEventListener("scroll", look, { signal, passive: true });
    window.addEventListener("pointercancel", end, { signal });
    window.addEventListener("selectstart", (event) => event.preventDefault(), { signal });
    window.addEventListener(
      "pointerup",
      () => {
        if (stopScrolling) swallowClick();
        if (stopScrolling && aim && stop === end) shelf.put(id, aim);
        if (stop === end) end();
      },
      { once: true },
    );
    window.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        end();
      },
      { signal, capture: true },
    );
  }

  // A link, too, is carried by us, and not as an address.
  const native = (event: DragEvent) => {
    if (shelf.isOn() && event.target instanceof Node && shelf.list()?.contains(event.target)) event.preventDefault();
  };
  document.addEventListener("pointerdown", carry);
  document.addEventListener("dragstart", native);
  return () => {
    document.removeEventListener("pointerdown", carry);
    document.removeEventListener("dragstart", native);
    stop?.();
  };
}

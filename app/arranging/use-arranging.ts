import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { useSubmit } from "react-router";
import { FORM_FIELD, INTENT_FIELD } from "~/forms/intents";
import { MENU_FORM } from "~/forms/menu-action";
import { besideBy, isArrow } from "~/selection/range";
import { boxOf, idOf, scrollAtEdges, swallowClick, thingsIn } from "~/selection/things";
import { announce } from "~/ui/announcer";
import { type Drop, dropAt, dropFor, markerBox } from "./place";

/** A press that moves no farther is a click (pixels). */
const STILL = 6;
const HANDLE = ".drag-handle";
/** What a thing has of its own to press, beside what leads to it. */
const OWN = "button, input, textarea, select, label, summary, [popover], dialog";

type Arranging = {
  /** Whether the list is in the order made by hand, and nothing else is done with it. */
  on: boolean;
  /** The intent that puts one thing beside another. */
  intent: string;
  items: readonly { _id: string; name: string }[];
  /** Whether the list goes on on other pages: then positions are told as this page's. Past its ends lead 'Move up' and 'Move down', in the menus. */
  isPart: boolean;
};

/**
 * Putting a list in order by hand, for the things in it that are marked `data-pick`: a thing is carried by its handle, with a mouse by all of it, and a
 * line shows where it would go. By keyboard Space takes it at its handle, arrows lead on, Space puts it down and Escape leaves it where it was, each
 * told to screen readers. However far it goes, it is one small write once it is put down: what names its neighbour as it is then.
 */
export function useArranging(list: RefObject<HTMLElement | null>, arranging: Arranging): void {
  const submit = useSubmit();
  const { items } = arranging;
  /** Whose handle has the focus again once the list shows it elsewhere. */
  const carried = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (carried.current !== null) handleOf(list.current, carried.current)?.focus({ preventScroll: true });
  });

  const put = useEffectEvent((id: string, { side, index }: Drop) => {
    const beside = items[index]?._id;
    if (beside === undefined || beside === id) return;
    const form = `${MENU_FORM}${arranging.intent}-${id}`;
    const fields = { [INTENT_FIELD]: arranging.intent, [FORM_FIELD]: form, id, to: side, beside };
    void submit(fields, { method: "post", navigate: false, fetcherKey: form });
  });
  const isOn = useEffectEvent(() => arranging.on);
  const indexOf = useEffectEvent((id: string) => items.findIndex(({ _id }) => _id === id));
  const nameOf = useEffectEvent((index: number) => items[index]?.name ?? "");
  const at = useEffectEvent((index: number) => `position ${index + 1} of ${items.length}${arranging.isPart ? " on this page" : ""}`);

  useEffect(() => {
    let stop: (() => void) | null = null;

    function carry(first: PointerEvent): void {
      const { target } = first;
      if (stop || first.button !== 0 || !isOn() || !(target instanceof Element) || !list.current?.contains(target)) return;
      const byHandle = target.closest(HANDLE) !== null;
      if (!byHandle && (first.pointerType !== "mouse" || target.closest(OWN) !== null)) return;
      const id = idOf(target);
      const thing = target.closest<HTMLElement>("[data-pick]");
      if (id === null || !thing) return;
      carried.current = null;
      const marks = new Marks();
      let pointer = { x: first.clientX, y: first.clientY };
      let drop: Drop | null = null;
      let stopScrolling: (() => void) | null = null;
      const over = new AbortController();
      const { signal } = over;

      const look = () => {
        const boxes = thingsIn(list.current).map(boxOf);
        drop = dropAt(boxes, { x: pointer.x + scrollX, y: pointer.y + scrollY });
        marks.line(drop && markerBox(boxes, drop));
        marks.label(nameOf(indexOf(id)), pointer);
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
      window.addEventListener("pointercancel", end, { signal });
      window.addEventListener("selectstart", (event) => event.preventDefault(), { signal });
      window.addEventListener(
        "pointerup",
        () => {
          if (stopScrolling) swallowClick();
          if (stopScrolling && drop && stop === end) put(id, drop);
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

    let grabbed: { id: string; to: number; marks: Marks } | null = null;
    function letGo(told?: string): void {
      grabbed?.marks.clear();
      document.querySelector(`${HANDLE}[aria-pressed]`)?.removeAttribute("aria-pressed");
      grabbed = null;
      if (told !== undefined) announce(told);
    }
    function key(event: KeyboardEvent): void {
      const handle = event.target instanceof HTMLElement && isOn() ? event.target.closest<HTMLElement>(HANDLE) : null;
      const id = handle && list.current?.contains(handle) ? idOf(handle) : null;
      if (!handle || id === null) return letGo();
      const from = indexOf(id);
      const name = nameOf(from);
      if (event.key === " " || event.key === "Enter") {
        event.preventDefault();
        if (!grabbed) {
          grabbed = { id, to: from, marks: new Marks() };
          handle.setAttribute("aria-pressed", "true");
          return announce(`${name} taken, ${at(from)}. Arrows move it, Space puts it down, Escape leaves it.`);
        }
        const drop = dropFor(from, grabbed.to);
        const told = `${name} put down, ${at(grabbed.to)}.`;
        if (drop) {
          carried.current = id;
          put(id, drop);
        }
        return letGo(told);
      }
      if (!grabbed) return;
      if (event.key === "Escape") {
        event.preventDefault();
        return letGo(`${name} stays at ${at(from)}.`);
      }
      if (!isArrow(event.key)) return;
      event.preventDefault();
      const things = thingsIn(list.current);
      const boxes = things.map(boxOf);
      grabbed.to = besideBy(event.key, boxes, grabbed.to);
      const drop = dropFor(from, grabbed.to);
      grabbed.marks.line(drop && markerBox(boxes, drop));
      things[grabbed.to]?.scrollIntoView({ block: "nearest" });
      announce(`${at(grabbed.to).replace("p", "P")}${drop ? `, ${drop.side} ${nameOf(drop.index)}` : ""}.`);
    }
    /** The list may give the handle a new place meanwhile, by somebody else's hand: then what has the focus is still it. */
    const left = (event: FocusEvent) => {
      if (grabbed && event.target instanceof Element && event.target.isConnected && idOf(event.target) === grabbed.id) letGo();
    };
    // A link, too, is carried by us, and not as an address.
    const native = (event: DragEvent) => {
      if (isOn() && event.target instanceof Node && list.current?.contains(event.target)) event.preventDefault();
    };
    const leave = () => (carried.current = null);

    const over = new AbortController();
    const { signal } = over;
    document.addEventListener("pointerdown", carry, { signal });
    document.addEventListener("pointerdown", leave, { signal });
    document.addEventListener("keydown", leave, { signal, capture: true });
    document.addEventListener("keydown", key, { signal });
    document.addEventListener("focusout", left, { signal });
    document.addEventListener("dragstart", native, { signal });
    return () => {
      over.abort();
      stop?.();
      letGo();
    };
  }, [list]);
}

function handleOf(list: HTMLElement | null, id: string): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`[data-pick="${CSS.escape(id)}"] ${HANDLE}`) ?? null;
}

/** What shows where something would go, and what is carried. */
class Marks {
  #line: HTMLElement | null = null;
  #label: HTMLElement | null = null;

  line(box: ReturnType<typeof markerBox>): void {
    this.#line ??= added("drop-line");
    const { left, top, right, bottom } = box ?? { left: 0, top: 0, right: 0, bottom: 0 };
    Object.assign(this.#line.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
  }

  label(text: string, { x, y }: { x: number; y: number }): void {
    this.#label ??= added("drag-label");
    this.#label.textContent = text;
    this.#label.style.translate = `${x + 14}px ${y + 14}px`;
  }

  clear(): void {
    this.#line?.remove();
    this.#label?.remove();
    this.#line = this.#label = null;
  }
}

function added(className: string): HTMLElement {
  const element = document.createElement("div");
  element.className = className;
  element.ariaHidden = "true";
  document.body.append(element);
  return element;
}

import { type Arrow, besideBy, isArrow } from "~/selection/range";
import { boxOf, idOf, thingsIn } from "~/selection/things";
import { announce } from "~/ui/announcer";
import { Marks } from "./marks";
import { dropFor, markerBox } from "./place";
import { type Aim, HANDLE, type Shelf } from "./shelf";

/** What is held at its handle, and where it would be put: a place among those that are here, or the end of a list that goes on past them. */
type Held = { id: string; to: number; pastAll: boolean; marks: Marks };

/**
 * Puts things of a list in order by keyboard: Space takes one at its handle, arrows lead on, Space puts it down and Escape leaves it where it was,
 * each told to screen readers. End is the end of the whole list, also of what has not been loaded.
 * @param putDown called with what was put elsewhere, whose handle is to have the focus there
 * @returns what ends it
 */
export function arrangeByKeys(shelf: Shelf, putDown: (id: string) => void): () => void {
  let held: Held | null = null;

  function letGo(told?: string): void {
    held?.marks.clear();
    document.querySelector(`${HANDLE}[aria-pressed]`)?.removeAttribute("aria-pressed");
    held = null;
    if (told !== undefined) announce(told);
  }

  function take(handle: HTMLElement, id: string): void {
    held = { id, to: shelf.indexOf(id), pastAll: false, marks: new Marks() };
    handle.setAttribute("aria-pressed", "true");
    announce(`${shelf.nameOf(id)} taken, ${shelf.at(held.to)}. Arrows move it, Space puts it down, Escape leaves it.`);
  }

  /** Where it would be put down; null: where it stands already. */
  function aimOf({ id, to, pastAll }: Held): Aim | null {
    if (pastAll) return { to: "last" };
    const drop = dropFor(shelf.indexOf(id), to);
    const beside = drop ? shelf.idAt(drop.index) : undefined;
    return drop && beside !== undefined ? { to: drop.side, beside } : null;
  }

  function put(now: Held): void {
    const aim = aimOf(now);
    letGo(`${shelf.nameOf(now.id)} put down, ${now.pastAll ? THE_END : shelf.at(now.to)}.`);
    if (!aim) return;
    putDown(now.id);
    shelf.put(now.id, aim);
  }

  function move(key: Arrow, now: Held): void {
    const things = thingsIn(shelf.list());
    const boxes = things.map(boxOf);
    now.pastAll = key === "End" && shelf.goesOn();
    // Arrows lead by what is seen; of things, only their place in the list counts.
    const here = things.findIndex(({ dataset }) => dataset["pick"] === shelf.idAt(now.to));
    const next = things[besideBy(key, boxes, here)]?.dataset["pick"];
    if (next !== undefined) now.to = shelf.indexOf(next);
    const there = things.findIndex(({ dataset }) => dataset["pick"] === shelf.idAt(now.to));
    things[there]?.scrollIntoView({ block: "nearest" });
    const drop = dropFor(shelf.indexOf(now.id), now.to);
    now.marks.line(drop && markerBox(boxes, { side: drop.side, index: there }));
    if (now.pastAll) return announce(`${capital(THE_END)}.`);
    announce(`${capital(shelf.at(now.to))}${drop ? `, ${drop.side} ${shelf.nameOf(shelf.idAt(drop.index))}` : ""}.`);
  }

  function key(event: KeyboardEvent): void {
    const handle = event.target instanceof HTMLElement && shelf.isOn() ? event.target.closest<HTMLElement>(HANDLE) : null;
    const id = handle && shelf.list()?.contains(handle) ? idOf(handle) : null;
    if (!handle || id === null) return letGo();
    if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      if (held) put(held);
      else take(handle, id);
    } else if (held && event.key === "Escape") {
      event.preventDefault();
      letGo(`${shelf.nameOf(id)} stays at ${shelf.at(shelf.indexOf(id))}.`);
    } else if (held && isArrow(event.key)) {
      event.preventDefault();
      move(event.key, held);
    }
  }

  /** The list may give the handle a new place meanwhile, by somebody else's hand: then what has the focus is still it. */
  const left = (event: FocusEvent) => {
    if (held && event.target instanceof Element && event.target.isConnected && idOf(event.target) === held.id) letGo();
  };

  document.addEventListener("keydown", key);
  document.addEventListener("focusout", left);
  return () => {
    document.removeEventListener("keydown", key);
    document.removeEventListener("focusout", left);
    letGo();
  };
}

const THE_END = "the end of the list";

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

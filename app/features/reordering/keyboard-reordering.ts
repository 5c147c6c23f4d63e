import { isolate } from "~/lib/ui/isolate";
import { type Arrow, neighbourInDirection, isArrow } from "~/features/selection/range";
import { boxOf, idOf, selectableItems } from "~/features/selection/selectable-items";
import { announce } from "~/lib/ui/overlays/announcer";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { isMirrored } from "~/lib/ui/is-mirrored";
import { DropMarkers } from "./drop-markers";
import { type DropPosition, dropPositionFor, indexBeside, markerBox } from "./drop-position";
import { type ReorderTarget, HANDLE, type ReorderList } from "./reorder-list";

/** `to`: the target's index. `beside`: the announced neighbour, then the other. `pastAll`: the list's end, perhaps not loaded. */
type MovedItem = { id: string; name: string; to: number; beside: Neighbour[]; pastAll: boolean; markers: DropMarkers };
type Neighbour = { side: DropPosition["side"]; id: string };

type KeyArranging = {
  followList(): void;
  stop(): void;
};

export function reorderByKeyboard(shelf: ReorderList): KeyArranging {
  let movedItem: MovedItem | null = null;

  function endMove(message: string): void {
    if (!movedItem) return;
    movedItem.markers.clear();
    document.querySelector(`${HANDLE}[aria-pressed]`)?.removeAttribute("aria-pressed");
    movedItem = null;
    announce(message);
  }

  function cancel(): void {
    if (!movedItem) return;
    const index = shelf.indexOf(movedItem.id);
    endMove(
      index < 0 ? `${isolate(movedItem.name)} is no longer in the list.` : `${isolate(movedItem.name)} remains at ${shelf.at(index)}.`,
    );
  }

  const movedHandle = () =>
    movedItem ? shelf.list()?.querySelector<HTMLElement>(`[data-pick="${CSS.escape(movedItem.id)}"] ${HANDLE}`) : null;

  function followList(): void {
    const handle = movedHandle();
    if (!movedItem || !handle) return;
    followTarget(movedItem);
    if (document.activeElement !== document.body) return;
    handle.setAttribute("aria-pressed", "true");
    handle.focus({ preventScroll: true });
  }

  /** Follows changes by other browsers: the target stays beside the announced neighbour, or if that was removed, beside the other one. */
  function followTarget(now: MovedItem): void {
    const from = shelf.indexOf(now.id);
    if (from < 0) return;
    const neighbour = now.beside.find(({ id }) => shelf.indexOf(id) >= 0);
    if (!neighbour && now.beside.length > 0) return;
    const to = neighbour ? indexBeside(neighbour.side, from, shelf.indexOf(neighbour.id)) : from;
    if (to === now.to) return;
    now.to = to;
    if (neighbour) showTarget(now);
  }

  function showTarget(now: MovedItem): void {
    const things = selectableItems(shelf.list());
    const index = things.findIndex(({ dataset }) => dataset["pick"] === shelf.idAt(now.to));
    const drop = dropPositionFor(shelf.indexOf(now.id), now.to);
    now.markers.line(drop && markerBox(things.map(boxOf), { side: drop.side, index }, isMirrored()));
  }

  function startMove(handle: HTMLElement, id: string): void {
    movedItem = { id, name: shelf.nameOf(id), to: shelf.indexOf(id), beside: [], pastAll: false, markers: new DropMarkers() };
    handle.setAttribute("aria-pressed", "true");
    announce(
      `${isolate(shelf.nameOf(id))} picked up, ${shelf.at(movedItem.to)}. Use the arrow keys to move it, Space to drop it, Escape to cancel.`,
    );
  }

  function aimOf({ id, to, pastAll }: MovedItem): ReorderTarget | null {
    if (pastAll) return { to: "last" };
    const drop = dropPositionFor(shelf.indexOf(id), to);
    const beside = drop ? shelf.idAt(drop.index) : undefined;
    return drop && beside !== undefined ? { to: drop.side, beside } : null;
  }

  function dropItem(now: MovedItem): void {
    const aim = aimOf(now);
    endMove(`${isolate(shelf.nameOf(now.id))} dropped, ${now.pastAll ? THE_END : shelf.at(now.to)}.`);
    if (!aim) return;
    shelf.reorder(now.id, aim);
  }

  function move(key: Arrow, now: MovedItem): void {
    const things = selectableItems(shelf.list());
    const boxes = things.map(boxOf);
    now.pastAll = key === "End" && shelf.hasMore();
    const currentIndex = things.findIndex(({ dataset }) => dataset["pick"] === shelf.idAt(now.to));
    const next = things[neighbourInDirection(key, boxes, currentIndex, isMirrored())]?.dataset["pick"];
    if (next !== undefined) now.to = shelf.indexOf(next);
    things.find(({ dataset }) => dataset["pick"] === shelf.idAt(now.to))?.scrollIntoView({ block: "nearest" });
    const drop = dropPositionFor(shelf.indexOf(now.id), now.to);
    now.beside = drop ? neighboursOf(drop) : [];
    showTarget(now);
    if (now.pastAll) return announce(`${capital(THE_END)}.`);
    announce(`${capital(shelf.at(now.to))}${drop ? `, ${drop.side} ${isolate(shelf.nameOf(shelf.idAt(drop.index)))}` : ""}.`);
  }

  function neighboursOf({ side, index }: DropPosition): Neighbour[] {
    const [step, opposite] = side === "after" ? ([1, "before"] as const) : ([-1, "after"] as const);
    const both = [
      { side, id: shelf.idAt(index) },
      { side: opposite, id: shelf.idAt(index + step) },
    ];
    return both.flatMap(({ side, id }) => (id === undefined ? [] : [{ side, id }]));
  }

  function press(event: KeyboardEvent): void {
    const handle = event.target instanceof HTMLElement && shelf.isEnabled() ? event.target.closest<HTMLElement>(HANDLE) : null;
    const id = handle && shelf.list()?.contains(handle) ? idOf(handle) : null;
    if (!handle || id === null || (movedItem && movedItem.id !== id)) return cancel();
    const key = pressedKey(event);
    if (key === " " || key === "Enter") {
      event.preventDefault();
      if (movedItem) dropItem(movedItem);
      else startMove(handle, id);
    } else if (movedItem && key === "Escape") {
      event.preventDefault();
      cancel();
    } else if (movedItem && isArrow(key)) {
      event.preventDefault();
      move(key, movedItem);
    }
  }

  // Chromium fires `focusout` while React moves the handle; `followList` then refocuses it, so the check runs in a later task.
  const onFocusOut = () => {
    if (movedItem) setTimeout(() => document.activeElement !== movedHandle() && cancel());
  };

  document.addEventListener("keydown", press);
  document.addEventListener("focusout", onFocusOut);
  document.addEventListener("pointerdown", cancel);
  return {
    followList,
    stop() {
      document.removeEventListener("keydown", press);
      document.removeEventListener("focusout", onFocusOut);
      document.removeEventListener("pointerdown", cancel);
      cancel();
    },
  };
}

const THE_END = "the end of the list";

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

import { type RefObject, useEffect, useEffectEvent } from "react";
import { useSubmit } from "react-router";
import { MENU_FORM } from "~/lib/forms/dialogs/menu-forms";
import type { Item, OpenItemDialog } from "~/lib/forms/dialogs/item-dialogs";
import { FORM_FIELD, INTENT_FIELD, type IntentName } from "~/lib/forms/intents";
import { useMay, useMayRun } from "~/lib/rights/rights";
import { count } from "~/lib/ui/count";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { toast } from "~/lib/ui/overlays/toasts";
import { MENU_OPENER } from "~/lib/forms/dialogs/open-dialog-param";
import { SELECTED_FIELD } from "../address";
import { idOf } from "../selectable-items";
import type { Selection } from "../use-selection";
import { type CopiedItems, fieldsOf, readItems, writeItems } from "./item-clipboard";
import { useContextMenu } from "./use-context-menu";
import { type ItemDropTargets, useItemDrag } from "./use-item-drag";

type ItemCommands = {
  items: readonly Item[];
  openDialog?: (requested: OpenItemDialog) => void;
  remove?: IntentName;
  duplicate?: IntentName;
  bulk?: {
    kind: "design" | "image";
    selection: Selection;
    remove: IntentName;
    copy: IntentName;
    move: IntentName;
    into: string | null;
  };
};

const PLACES = { image: "design", design: "project" } as const;
const PLACE_FIELD = { image: "designId", design: "projectId" } as const;

const FIELD = 'input:not([type="checkbox"]), textarea, select, [contenteditable]';
const ABOVE = "dialog[open], :popover-open, .viewer";

/** Handles keys and menus of the focused or selected cards (`shortcuts.ts` lists the keys). Returns the drop targets of dragged cards. */
export function useItemCommands(
  list: RefObject<HTMLElement | null>,
  { items, openDialog, remove, duplicate, bulk }: ItemCommands,
): RefObject<ItemDropTargets | null> {
  useContextMenu(list);
  const may = useMay();
  const mayRun = useMayRun();
  const submit = useSubmit();
  const send = (intent: IntentName, fields: Record<string, string>, items: readonly [string, string][]) => {
    const form = `${MENU_FORM}${intent}-${fields["id"] ?? items.join()}`.slice(0, 200);
    const body = new FormData();
    for (const [name, value] of Object.entries({ [INTENT_FIELD]: intent, [FORM_FIELD]: form, ...fields })) body.append(name, value);
    for (const [name, value] of items) body.append(name, value);
    void submit(body, { method: "post", navigate: false, fetcherKey: form });
  };
  const focused = (): string | null => {
    const { activeElement } = document;
    return activeElement && list.current?.contains(activeElement) && activeElement.matches(`a, input, ${MENU_OPENER}`)
      ? idOf(activeElement)
      : null;
  };
  const hasSelected = (): boolean => bulk !== undefined && bulk.selection.on && bulk.selection.count > 0;
  const selected = (): string[] => (bulk?.selection.on ? [...bulk.selection.chosen, ...bulk.selection.onOtherPages] : []);
  const chosen = (): string[] => {
    const ids = selected();
    const id = focused();
    return ids.length > 0 ? ids : id === null ? [] : [id];
  };

  const copied = (ids: string[], isCut: boolean, of: NonNullable<ItemCommands["bulk"]>): CopiedItems => ({
    kind: of.kind,
    ids,
    isCut,
    ...(hasSelected() && { count: of.selection.count, fields: of.selection.fields() }),
  });

  function removeChosen(): void {
    const id = focused();
    if (!may("delete")) return;
    if (bulk && hasSelected()) {
      send(bulk.remove, {}, bulk.selection.fields());
      return bulk.selection.end();
    }
    if (id === null) return;
    if (remove) send(remove, { id }, []);
    else if (bulk) send(bulk.remove, {}, [[SELECTED_FIELD, id]]);
  }

  function duplicateChosen(): void {
    const id = focused();
    if (!(duplicate ? mayRun(duplicate) : may("edit"))) return;
    if (bulk && bulk.into !== null && hasSelected()) sendTo(bulk.into, bulk.copy, bulk.kind, bulk.selection.fields());
    else if (id !== null && duplicate) send(duplicate, { id }, []);
  }

  const sendTo = (target: string, intent: IntentName, kind: "design" | "image", items: [string, string][]) =>
    send(intent, { [PLACE_FIELD[kind]]: target, stay: "yes" }, items);

  const dropTargets = useItemDrag(
    list,
    bulk && mayRun(bulk.move)
      ? {
          kind: bulk.kind,
          draggedWith: (id) => (selected().includes(id) ? copied(selected(), true, bulk) : { kind: bulk.kind, ids: [id], isCut: true }),
          namesOf: (ids) => items.filter(({ _id }) => ids.includes(_id)).map(({ name }) => name),
          move: (items, target) => sendTo(target, bulk.move, bulk.kind, fieldsOf(items)),
        }
      : null,
  );

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.altKey || event.shiftKey || isInField(event.target) || (chosen().length === 0 && !hasSelected()))
      return;
    const key = pressedKey(event);
    const item = items.find(({ _id }) => _id === focused());
    if (event.ctrlKey || event.metaKey) {
      if (key !== "d") return;
      event.preventDefault();
      duplicateChosen();
    } else if (key === "Delete") {
      event.preventDefault();
      removeChosen();
    } else if (key === "F2" && item && openDialog && may("edit")) {
      event.preventDefault();
      openDialog({ what: "rename", item });
    }
  });

  const onCopy = useEffectEvent((event: ClipboardEvent) => {
    const ids = chosen();
    if (!bulk || !event.clipboardData || ids.length === 0 || isInField(event.target) || getSelection()?.isCollapsed === false) return;
    event.preventDefault();
    const isCut = event.type === "cut" && mayRun(bulk.move);
    const names = items.filter(({ _id }) => ids.includes(_id)).map(({ name }) => name);
    const written = copied(ids, isCut, bulk);
    writeItems(event.clipboardData, written, names);
    void toast(`${count(written.count ?? ids.length, bulk.kind)} ${isCut ? "cut" : "copied"}. Paste into a ${PLACES[bulk.kind]}.`);
  });

  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const pasted = event.clipboardData && readItems(event.clipboardData);
    if (!bulk || !pasted || event.defaultPrevented || isInField(event.target)) return;
    event.preventDefault();
    if (!may("edit")) return void toast(`You cannot add ${pasted.kind}s to this project.`);
    if (pasted.kind === bulk.kind && bulk.into !== null)
      return sendTo(bulk.into, pasted.isCut ? bulk.move : bulk.copy, bulk.kind, fieldsOf(pasted));
    void toast(`Open a ${PLACES[pasted.kind]} to paste ${pasted.kind}s.`);
  });

  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    document.addEventListener("keydown", (event) => onKey(event), { signal });
    for (const type of ["copy", "cut"] as const) document.addEventListener(type, (event) => onCopy(event), { signal });
    document.addEventListener("paste", (event) => onPaste(event), { signal });
    return () => listeners.abort();
  }, []);
  return dropTargets;
}

const isInField = (target: EventTarget | null): boolean =>
  (target instanceof Element && target.matches(FIELD)) || document.querySelector(ABOVE) !== null;

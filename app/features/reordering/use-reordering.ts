import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { useSubmit } from "react-router";
import type { ItemDropTargets } from "~/features/selection/commands/use-item-drag";
import type { ListPage } from "~/lib/data/pagination/pages";
import { FORM_FIELD, INTENT_FIELD, type IntentName } from "~/lib/forms/intents";
import { MENU_FORM } from "~/lib/forms/dialogs/menu-forms";
import { idOf } from "~/features/selection/selectable-items";
import { reorderByKeyboard } from "./keyboard-reordering";
import { reorderByPointer } from "./pointer-reordering";
import { type ReorderTarget, HANDLE } from "./reorder-list";

type ReorderingOptions = {
  on: boolean;
  intent: IntentName;
  items: readonly { _id: string; name: string }[];
  page: Pick<ListPage<unknown>, "isFirst" | "next">;
  total: number | null;
  dropTargets?: RefObject<ItemDropTargets | null>;
};

export function useReordering(list: RefObject<HTMLElement | null>, options: ReorderingOptions): void {
  const submit = useSubmit();
  const { items, page, total } = options;
  const focusedId = useRef<string | null>(null);
  const byKeys = useRef<ReturnType<typeof reorderByKeyboard> | null>(null);
  useLayoutEffect(() => {
    byKeys.current?.followList();
    // React moves elements of a reordered list, and a moved element loses the focus.
    if (focusedId.current !== null && document.activeElement === document.body)
      handleOf(list.current, focusedId.current)?.focus({ preventScroll: true });
  });

  const reorder = useEffectEvent((id: string, aim: ReorderTarget) => {
    if ("beside" in aim && aim.beside === id) return;
    const form = `${MENU_FORM}${options.intent}-${id}`;
    const fields = { [INTENT_FIELD]: options.intent, [FORM_FIELD]: form, id, ...aim };
    void submit(fields, { method: "post", navigate: false, fetcherKey: form });
  });
  const isEnabled = useEffectEvent(() => options.on);
  const indexOf = useEffectEvent((id: string) => items.findIndex(({ _id }) => _id === id));
  const idAt = useEffectEvent((index: number) => items[index]?._id);
  const nameOf = useEffectEvent((id: string | undefined) => items.find(({ _id }) => _id === id)?.name ?? "");
  const hasMore = useEffectEvent(() => page.next !== null);
  const at = useEffectEvent((index: number) => {
    const all = page.next === null ? items.length : total;
    if (!page.isFirst || all === null) return `position ${index + 1} of ${items.length} on this page`;
    return `position ${index + 1} of ${all}`;
  });
  const dropTargets = useEffectEvent(() => options.dropTargets?.current ?? null);

  useEffect(() => {
    const reorderList = {
      isEnabled: () => isEnabled(),
      list: () => list.current,
      indexOf: (id: string) => indexOf(id),
      idAt: (index: number) => idAt(index),
      nameOf: (id: string | undefined) => nameOf(id),
      at: (index: number) => at(index),
      hasMore: () => hasMore(),
      reorder: (id: string, aim: ReorderTarget) => reorder(id, aim),
      dropTargets: () => dropTargets(),
    };
    const leave = () => (focusedId.current = null);
    const follow = ({ target }: FocusEvent) => {
      const handle = target instanceof HTMLElement ? target.closest<HTMLElement>(HANDLE) : null;
      focusedId.current = handle && list.current?.contains(handle) ? idOf(handle) : null;
    };
    const controller = new AbortController();
    const { signal } = controller;
    document.addEventListener("pointerdown", leave, { signal });
    document.addEventListener("keydown", ({ key }) => key === "Tab" && leave(), { signal, capture: true });
    document.addEventListener("focusin", follow, { signal });
    const stopPointer = reorderByPointer(reorderList);
    const keys = reorderByKeyboard(reorderList);
    byKeys.current = keys;
    return () => {
      controller.abort();
      stopPointer();
      keys.stop();
    };
  }, [list]);
}

function handleOf(list: HTMLElement | null, id: string): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`[data-pick="${CSS.escape(id)}"] ${HANDLE}`) ?? null;
}

import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef } from "react";
import { useSubmit } from "react-router";
import type { ListPage } from "~/data/pages";
import { FORM_FIELD, INTENT_FIELD } from "~/forms/intents";
import { MENU_FORM } from "~/forms/menu-action";
import { arrangeByKeys } from "./by-keys";
import { arrangeByPointer } from "./by-pointer";
import { type Aim, HANDLE } from "./shelf";

type Arranging = {
  /** Whether the list is in the order made by hand, and nothing else is done with it. */
  on: boolean;
  /** The intent that puts one thing beside another. */
  intent: string;
  items: readonly { _id: string; name: string }[];
  /** How the list begins and goes on: where other pages come before it, positions are told as this page's. */
  page: Pick<ListPage<unknown>, "isFirst" | "next">;
  /** How many there are in all; null where nobody has counted them. */
  total: number | null;
};

/**
 * Putting a list in order by hand, by pointer and by keyboard, for the things in it that are marked `data-pick`. However far one goes, it is one
 * small write once it is put down: what names its neighbour as it is then.
 */
export function useArranging(list: RefObject<HTMLElement | null>, arranging: Arranging): void {
  const submit = useSubmit();
  const { items, page, total } = arranging;
  /** Whose handle has the focus again once the list shows it elsewhere. */
  const carried = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (carried.current !== null) handleOf(list.current, carried.current)?.focus({ preventScroll: true });
  });

  const put = useEffectEvent((id: string, aim: Aim) => {
    if ("beside" in aim && aim.beside === id) return;
    const form = `${MENU_FORM}${arranging.intent}-${id}`;
    const fields = { [INTENT_FIELD]: arranging.intent, [FORM_FIELD]: form, id, ...aim };
    void submit(fields, { method: "post", navigate: false, fetcherKey: form });
  });
  const isOn = useEffectEvent(() => arranging.on);
  const indexOf = useEffectEvent((id: string) => items.findIndex(({ _id }) => _id === id));
  const idAt = useEffectEvent((index: number) => items[index]?._id);
  const nameOf = useEffectEvent((id: string | undefined) => items.find(({ _id }) => _id === id)?.name ?? "");
  const goesOn = useEffectEvent(() => page.next !== null);
  const at = useEffectEvent((index: number) => {
    const all = page.next === null ? items.length : total;
    if (!page.isFirst || all === null) return `position ${index + 1} of ${items.length} on this page`;
    return `position ${index + 1} of ${all}`;
  });

  useEffect(() => {
    const shelf = {
      isOn: () => isOn(),
      list: () => list.current,
      indexOf: (id: string) => indexOf(id),
      idAt: (index: number) => idAt(index),
      nameOf: (id: string | undefined) => nameOf(id),
      at: (index: number) => at(index),
      goesOn: () => goesOn(),
      put: (id: string, aim: Aim) => put(id, aim),
    };
    const leave = () => (carried.current = null);
    const over = new AbortController();
    const { signal } = over;
    document.addEventListener("pointerdown", leave, { signal });
    document.addEventListener("keydown", leave, { signal, capture: true });
    const stops = [arrangeByPointer(shelf), arrangeByKeys(shelf, (id) => (carried.current = id))];
    return () => {
      over.abort();
      for (const stop of stops) stop();
    };
  }, [list]);
}

function handleOf(list: HTMLElement | null, id: string): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`[data-pick="${CSS.escape(id)}"] ${HANDLE}`) ?? null;
}

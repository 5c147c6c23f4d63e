import { useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useActionData, useLocation, useNavigate, useSearchParams } from "react-router";
import type { FormAnswer } from "~/lib/forms/form-result";
import { SELECT } from "~/lib/forms/dialogs/open-dialog-param";
import { CHOSEN_FIELD, SELECTION_FORM, withSelect } from "./address";
import { between } from "./range";

export type Selection = {
  on: boolean;
  chosen: readonly string[];
  elsewhere: readonly string[];
  has: (id: string) => boolean;
  ids: readonly string[];
  begin: () => void;
  /** `upTo`: selects the range from the last toggled item. Starts a selection if none is active. */
  toggle: (id: string, upTo: boolean) => void;
  choose: (ids: readonly string[]) => void;
  clear: () => void;
  end: () => void;
  focus: (id: string) => void;
};

/** Starts by a URL parameter, without scripts. Survives rejected forms and changes of page or order; drops deleted items. */
export function useSelection(ids: readonly string[]): Selection {
  const view = withSelect(useLocation().search, false);
  const isRequested = useSearchParams()[0].has(SELECT);
  const refused = useActionData<FormAnswer | undefined>();
  const [on, setOn] = useState(isRequested);
  /** Selected id to the list view it was selected in. */
  const [marked, setMarked] = useState<ReadonlyMap<string, string>>(() => new Map(submittedIds(refused).map((id) => [id, view])));
  const anchor = useRef<string | null>(null);
  const leaveAddress = useLeaveAddress();
  const focus = useLaterFocus();

  const chosen = useMemo(() => ids.filter((id) => marked.has(id)), [ids, marked]);
  const elsewhere = useMemo(() => {
    const here = new Set(ids);
    return [...marked].flatMap(([id, at]) => (at === view || here.has(id) ? [] : id));
  }, [ids, marked, view]);
  const choose = (next: readonly string[]) => {
    setOn(true);
    setMarked(new Map([...elsewhere.map((id) => [id, marked.get(id) ?? ""] as const), ...next.map((id) => [id, view] as const)]));
  };

  function toggle(id: string, upTo: boolean) {
    // A range ends at the page: items between two pages are unknown here.
    if (upTo && anchor.current !== null && ids.includes(anchor.current)) return choose([...chosen, ...between(ids, anchor.current, id)]);
    anchor.current = id;
    choose(marked.has(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  }
  const readTicked = useEffectEvent(() => {
    const ticked = tickedOf(ids);
    if (ticked.some((id) => !marked.has(id)) || (ticked.length < chosen.length && on)) choose(ticked);
  });
  // Reads boxes ticked before hydration.
  useLayoutEffect(() => readTicked(), []);

  const newest = useRef(toggle);
  useLayoutEffect(() => {
    newest.current = toggle;
  });

  return {
    on,
    chosen,
    elsewhere,
    ids,
    has: (id) => marked.has(id),
    begin: () => setOn(true),
    choose,
    focus,
    // Items re-render only for their own state (`isSameItem`), so they may call an old `toggle`.
    toggle: (id, upTo) => newest.current(id, upTo),
    clear: () => setMarked(new Map()),
    end() {
      anchor.current = null;
      setOn(false);
      setMarked(new Map());
      leaveAddress();
    },
  };
}

export function selectFirst(selection: Selection, id: string): void {
  selection.focus(id);
  selection.toggle(id, false);
}

/** For `memo`: compares everything but the selection state of other items. */
export function isSameItem<Props extends { selection: Selection }>(idIn: (props: Props) => string) {
  return (before: Props, now: Props): boolean => {
    const [one, other] = [before.selection, now.selection];
    if (one !== other && (one.on !== other.on || one.has(idIn(before)) !== other.has(idIn(now)))) return false;
    const { selection: _, ...rest } = before;
    const { selection: __, ...otherNow } = now;
    return isShallowlyEqual(rest, otherNow);
  };
}

const isShallowlyEqual = (one: object, other: object) => {
  const entries = Object.entries(one);
  const others = new Map(Object.entries(other));
  return entries.length === others.size && entries.every(([name, value]) => others.has(name) && Object.is(value, others.get(name)));
};

function tickedOf(ids: readonly string[]): string[] {
  const boxes = document.querySelectorAll<HTMLInputElement>(`input[name="${CHOSEN_FIELD}"][form="${SELECTION_FORM}"]:checked`);
  const ticked = new Set(Array.from(boxes, ({ value }) => value));
  return ids.filter((id) => ticked.has(id));
}

function submittedIds(answer: FormAnswer | undefined): string[] {
  const submitted: unknown = answer?.form === SELECTION_FORM ? answer.result.initialValue?.[CHOSEN_FIELD] : undefined;
  return Array.isArray(submitted) ? submitted.filter((id) => typeof id === "string") : [];
}

function useLeaveAddress() {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return () => {
    const rest = withSelect(search, false);
    if (rest !== search) void navigate(pathname + rest, { replace: true, preventScrollReset: true });
  };
}

function useLaterFocus() {
  const wanted = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    controlOf(wanted.current)?.focus({ preventScroll: true });
    wanted.current = null;
  });
  return (id: string) => {
    wanted.current = id;
  };
}

export function controlOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-pick="${CSS.escape(id)}"] :is(input[name="${CHOSEN_FIELD}"], a[href])`);
}

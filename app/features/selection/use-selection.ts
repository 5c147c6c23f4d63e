import { useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useActionData, useLocation, useNavigate, useSearchParams } from "react-router";
import type { FormAnswer } from "~/lib/forms/form-result";
import { SELECT } from "~/lib/forms/dialogs/open-dialog-param";
import { SELECTED_FIELD, SELECT_ALL, SELECTION_FORM, withSelect } from "./address";
import { between } from "./range";
import { controlOf } from "./selectable-items";
import { DIRECT_MAX, wholeFields, type WholeSelection } from "./whole-selection";

export type SelectionScope = { field: string; total: number };

export type Selection = {
  on: boolean;
  chosen: readonly string[];
  onOtherPages: readonly string[];
  whole: WholeSelection | null;
  count: number;
  total: number;
  isWholePossible: boolean;
  fields: () => [string, string][];
  has: (id: string) => boolean;
  ids: readonly string[];
  begin: () => void;
  toggle: (id: string, upTo: boolean) => void;
  choose: (ids: readonly string[]) => void;
  chooseAll: () => void;
  clear: () => void;
  end: () => void;
  focus: (id: string) => void;
};

/** Manages a selection, which a URL parameter can start. It survives rejected forms and other pages or orders; drops deleted items. */
export function useSelection(ids: readonly string[], scope?: SelectionScope): Selection {
  const view = withSelect(useLocation().search, false);
  const isRequested = useSearchParams()[0].has(SELECT);
  const refused = useActionData<FormAnswer | undefined>();
  const [on, setOn] = useState(isRequested);
  const [marked, setMarked] = useState<ReadonlyMap<string, string>>(() => new Map(submittedIds(refused).map((id) => [id, view])));
  const isAllRequested = useSearchParams()[0].has(SELECT_ALL);
  const [except, setExcept] = useState<ReadonlySet<string> | null>(isAllRequested && scope ? new Set() : null);
  const whole = except && scope ? { all: scope.field, total: scope.total, except: [...except] } : null;
  const anchor = useRef<string | null>(null);
  const leaveAddress = useLeaveAddress();
  const focus = useLaterFocus();

  const chosen = useMemo(() => ids.filter((id) => (except ? !except.has(id) : marked.has(id))), [ids, marked, except]);
  const onOtherPages = useMemo(() => {
    if (except) return [];
    const shownIds = new Set(ids);
    return [...marked].flatMap(([id, at]) => (at === view || shownIds.has(id) ? [] : id));
  }, [ids, marked, view, except]);
  const choose = (next: readonly string[]) => {
    setOn(true);
    if (except) return setExcept(except.union(new Set(ids)).difference(new Set(next)));
    setMarked(new Map([...onOtherPages.map((id) => [id, marked.get(id) ?? ""] as const), ...next.map((id) => [id, view] as const)]));
  };

  function toggle(id: string, upTo: boolean) {
    if (upTo && anchor.current !== null && ids.includes(anchor.current)) return choose([...chosen, ...between(ids, anchor.current, id)]);
    anchor.current = id;
    if (except) return setExcept(except.has(id) ? except.difference(new Set([id])) : except.union(new Set([id])));
    choose(marked.has(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  }
  function chooseAll() {
    if (!scope || (scope.total <= ids.length && scope.total <= DIRECT_MAX)) return choose(ids);
    setOn(true);
    setMarked(new Map());
    setExcept(new Set());
  }
  const readTicked = useEffectEvent(() => {
    const ticked = tickedOf(ids);
    if (except) return setExcept(new Set(ids.filter((id) => on && !ticked.includes(id))));
    if (ticked.some((id) => !marked.has(id)) || (ticked.length < chosen.length && on)) choose(ticked);
  });
  useLayoutEffect(() => readTicked(), []);

  const newest = useRef(toggle);
  useLayoutEffect(() => {
    newest.current = toggle;
  });

  return {
    on,
    chosen,
    onOtherPages,
    whole,
    count: whole ? Math.max(0, whole.total - whole.except.length) : chosen.length + onOtherPages.length,
    total: scope ? Math.max(scope.total, ids.length) : ids.length,
    isWholePossible: scope !== undefined,
    fields: () => (whole ? wholeFields(whole) : [...chosen, ...onOtherPages].map((id) => [SELECTED_FIELD, id])),
    ids,
    has: (id) => (except ? !except.has(id) : marked.has(id)),
    begin: () => setOn(true),
    choose,
    focus,
    // Items re-render only for their own state (`isSameItem`), so they may call an old `toggle`.
    toggle: (id, upTo) => newest.current(id, upTo),
    chooseAll,
    clear() {
      setExcept(null);
      setMarked(new Map());
    },
    end() {
      anchor.current = null;
      setOn(false);
      setExcept(null);
      setMarked(new Map());
      leaveAddress();
    },
  };
}

export function selectFirst(selection: Selection, id: string): void {
  selection.focus(id);
  selection.toggle(id, false);
}

function tickedOf(ids: readonly string[]): string[] {
  const boxes = document.querySelectorAll<HTMLInputElement>(`input[name="${SELECTED_FIELD}"][form="${SELECTION_FORM}"]:checked`);
  const ticked = new Set(Array.from(boxes, ({ value }) => value));
  return ids.filter((id) => ticked.has(id));
}

function submittedIds(answer: FormAnswer | undefined): string[] {
  const submitted: unknown = answer?.form === SELECTION_FORM ? answer.result.initialValue?.[SELECTED_FIELD] : undefined;
  return Array.isArray(submitted) ? submitted.filter((id) => typeof id === "string") : [];
}

function useLeaveAddress() {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return () => {
    const closedSearch = withSelect(search, false);
    if (closedSearch !== search) void navigate(pathname + closedSearch, { replace: true, preventScrollReset: true });
  };
}

function useLaterFocus() {
  const pendingFocus = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (pendingFocus.current === null) return;
    controlOf(pendingFocus.current)?.focus({ preventScroll: true });
    pendingFocus.current = null;
  });
  return (id: string) => {
    pendingFocus.current = id;
  };
}

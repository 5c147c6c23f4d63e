import { useEffectEvent, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useActionData, useLocation, useNavigate, useSearchParams } from "react-router";
import type { FormAnswer } from "~/forms/answer";
import { listIn } from "~/forms/intents";
import { SELECT } from "~/forms/question";
import { CHOSEN_FIELD, SELECTION_FORM, withSelect } from "./address";
import { between } from "./range";

/** What is chosen of the things on a page, and the ways to choose; `on` while the page offers that. */
export type Selection = {
  on: boolean;
  /** Of the things on this page that are still there, in their order. */
  chosen: readonly string[];
  /** What was chosen on other pages of the same list, and is not seen now. */
  elsewhere: readonly string[];
  has: (id: string) => boolean;
  /** All things on this page that can be chosen. */
  ids: readonly string[];
  /** Whether the list goes on on other pages. */
  isPart: boolean;
  begin: () => void;
  /** Takes one in, or out; `upTo`: all from the last one up to it. Begins where nothing was chosen from yet. */
  toggle: (id: string, upTo: boolean) => void;
  /** Puts these in the place of what was chosen on this page. */
  choose: (ids: readonly string[]) => void;
  /** Leaves nothing chosen, on any page. */
  clear: () => void;
  end: () => void;
  /** Has the keyboard stand at one of the things once the page shows it. */
  focus: (id: string) => void;
};

/**
 * Choosing among a page's things, by their ids in their order. It begins by a link that carries it in the address, which is all there is without
 * scripts; with them nothing is loaded for it. What was refused without scripts is still chosen, and what has gone meanwhile no longer is. What was
 * chosen on one page of a long list, or in one order of it, stays chosen on the others.
 */
export function useSelection(ids: readonly string[], isPart: boolean): Selection {
  const view = withSelect(useLocation().search, false);
  const asked = useSearchParams()[0].has(SELECT);
  const refused = useActionData<FormAnswer | undefined>();
  const [on, setOn] = useState(asked);
  /** What is chosen, and in which view of the list that was. */
  const [marked, setMarked] = useState<ReadonlyMap<string, string>>(() => new Map(keptIn(refused).map((id) => [id, view])));
  /** From where a range reaches. */
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
    // A range ends where the page does: what lies between its ends on two pages is not known here.
    if (upTo && anchor.current !== null && ids.includes(anchor.current)) return choose([...chosen, ...between(ids, anchor.current, id)]);
    anchor.current = id;
    choose(marked.has(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  }
  const takeUp = useEffectEvent(() => {
    const ticked = tickedOf(ids);
    if (ticked.some((id) => !marked.has(id)) || (ticked.length < chosen.length && on)) choose(ticked);
  });
  // What was ticked before the scripts had come.
  useLayoutEffect(() => takeUp(), []);

  const newest = useRef(toggle);
  useLayoutEffect(() => {
    newest.current = toggle;
  });

  return {
    on,
    chosen,
    elsewhere,
    ids,
    isPart,
    has: (id) => marked.has(id),
    begin: () => setOn(true),
    choose,
    focus,
    // What shows a thing is rendered again only when its own mark changes (`sameThing`), and may hold what was given to it before others did.
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

/** For `memo`: whether what shows one thing of a list has nothing new to show, its own mark included. */
export function sameThing<Props extends { selection: Selection }>(idIn: (props: Props) => string) {
  return (before: Props, now: Props): boolean => {
    const [one, other] = [before.selection, now.selection];
    if (one !== other && (one.on !== other.on || one.has(idIn(before)) !== other.has(idIn(now)))) return false;
    const { selection: _, ...rest } = before;
    const { selection: __, ...restNow } = now;
    return isShallowlyEqual(rest, restNow);
  };
}

const isShallowlyEqual = (one: object, other: object) => {
  const entries = Object.entries(one);
  const others = new Map(Object.entries(other));
  return entries.length === others.size && entries.every(([name, value]) => others.has(name) && Object.is(value, others.get(name)));
};

/** Of these things, those whose check box on the page is ticked. */
function tickedOf(ids: readonly string[]): string[] {
  const boxes = document.querySelectorAll<HTMLInputElement>(`input[name="${CHOSEN_FIELD}"][form="${SELECTION_FORM}"]:checked`);
  const ticked = new Set(Array.from(boxes, ({ value }) => value));
  return ids.filter((id) => ticked.has(id));
}

function keptIn(answer: FormAnswer | undefined): string[] {
  const kept: unknown = answer?.form === SELECTION_FORM ? answer.result.initialValue?.[CHOSEN_FIELD] : undefined;
  return typeof kept === "string" ? listIn(kept) : [];
}

function useLeaveAddress() {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return () => {
    const rest = withSelect(search, false);
    if (rest !== search) void navigate(pathname + rest, { replace: true, preventScrollReset: true });
  };
}

/** Between a thing as a link and the same as a check box the element with the focus is another one. */
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

/** What of a thing on the page takes the focus: its check box, or its link. */
export function controlOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-pick="${CSS.escape(id)}"] :is(input[name="${CHOSEN_FIELD}"], a[href])`);
}

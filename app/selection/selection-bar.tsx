import { CheckCheck, Download, FolderInput, ListChecks, Trash2, X } from "lucide-react";
import { type ReactNode, type SubmitEvent, useEffect, useEffectEvent } from "react";
import { href, Link, useActionData, useFetcher, useLocation, useSubmit } from "react-router";
import type { FormAnswer } from "~/forms/answer";
import { FORM_FIELD, INTENT_FIELD } from "~/forms/intents";
import { Button, ButtonLink, buttonClass } from "~/ui/button";
import { count } from "~/ui/count";
import { Icon } from "~/ui/icon";
import { standsAtLowerEdge } from "~/ui/lower-edge";
import { toast } from "~/ui/toasts";
import { CHOSEN_FIELD, SELECTION_FORM, withSelect } from "./address";
import { TagButton, TagPopover } from "./tag-chosen";
import type { Selection } from "./use-selection";

/** Offers a page's things to be chosen from. */
export function SelectLink({ selection }: { selection: Selection }) {
  const { search } = useLocation();
  if (selection.on) return null;
  return (
    <ButtonLink
      to={{ search: withSelect(search, true) }}
      prefetch="none"
      data-command=""
      className="max-sm:w-9 max-sm:px-0 pointer-coarse:max-sm:w-11"
      onClick={(event) => {
        event.preventDefault();
        selection.begin();
        const [first] = selection.ids;
        if (first !== undefined) selection.focus(first);
      }}
    >
      <Icon of={ListChecks} />
      <span className="max-sm:sr-only">Select</span>
    </ButtonLink>
  );
}

type SelectionBarProps = {
  selection: Selection;
  /** "image", "design": what each of them is. */
  thing: "image" | "design";
  /** The intent that puts them in the trash. */
  trash: string;
  /** What else can be done with them: buttons with the name `INTENT_FIELD`. */
  children?: ReactNode;
};

const MOVE = { image: href("/move/images"), design: href("/move/designs") };
const PROBLEMS = "selection-problems";
const makeRoom = standsAtLowerEdge("selection");
const DOWNLOAD = href("/download/selection");
/** Has the page ask where to, rather than do something. */
export const ASK_WHERE = "where";

/**
 * What is done with all that is chosen: one form for the check boxes of the whole page, whose buttons say what. With scripts it says how many are
 * chosen, and ends once something was done with them. It stands before the list in the document, and at the window's lower edge for the eye, so that
 * nothing moves when it comes.
 */
export function SelectionBar({ selection, thing, trash, children }: SelectionBarProps) {
  const { pathname, search } = useLocation();
  const fetcher = useFetcher<FormAnswer | undefined>({ key: SELECTION_FORM });
  const submit = useSubmit();
  const fromPage = useActionData<FormAnswer | undefined>();
  const answer = fetcher.data ?? fromPage;
  const refusal = answer?.form === SELECTION_FORM ? answer.result : undefined;
  const problems = Object.values(refusal?.error ?? {}).flat();
  const isDone = fetcher.state === "idle" && fetcher.data?.result.status === "success";
  const end = useEffectEvent(selection.end);
  useEffect(() => {
    if (isDone) end();
  }, [isDone, fetcher.data]);

  if (!selection.on) return null;
  const { chosen, elsewhere, ids, isPart } = selection;
  const many = chosen.length + elsewhere.length;
  const areAll = chosen.length > 0 && chosen.length === ids.length;

  function send(event: SubmitEvent<HTMLFormElement>) {
    const { submitter } = event.nativeEvent;
    // Enter on a check box presses the first button of the form, which nobody sees then.
    if (submitter?.closest("[popover]:not(:popover-open)")) return event.preventDefault();
    const elsewhere = submitter?.getAttribute("formaction") ?? null;
    if (many > 0 && elsewhere === DOWNLOAD) return;
    event.preventDefault();
    if (many === 0) return void toast("Choose something first.");
    const sent = new FormData(event.currentTarget, submitter);
    if (elsewhere === null) void fetcher.submit(sent, { method: "post" });
    else void submit(sent, { method: "post", action: elsewhere });
  }

  return (
    <form id={SELECTION_FORM} ref={makeRoom} method="post" aria-label="Selection" onSubmit={send} className="selection-bar">
      <input type="hidden" name={FORM_FIELD} value={SELECTION_FORM} />
      <input type="hidden" name="kind" value={thing} />
      <input type="hidden" name="back" value={pathname + search} />
      <TagPopover thing={thing} refused={tagIn(refusal)} errorId={PROBLEMS} />
      {elsewhere.map((id) => (
        <input key={id} type="hidden" name={CHOSEN_FIELD} value={id} />
      ))}
      <p role="status" className="tabular min-w-32 flex-1 py-1 text-soft">
        {many > 0 ? (
          <>
            <strong className="font-medium text-ink">{count(many, thing)}</strong> selected
            {elsewhere.length > 0 ? `, ${elsewhere.length} of them on other pages` : null}
          </>
        ) : (
          `Choose ${thing}s, then what to do with them.`
        )}
      </p>
      <div className="flex flex-wrap items-center gap-1 max-sm:-ml-2.5">
        <button
          type="button"
          className={buttonClass({ look: "ghost", size: "sm" }, "noscript:hidden")}
          onClick={() => (areAll ? selection.clear() : selection.choose(ids))}
        >
          <Icon of={CheckCheck} />
          {areAll ? "None" : isPart ? "All of this page" : "All"}
        </button>
        <Button type="submit" look="ghost" size="sm" name={INTENT_FIELD} value={ASK_WHERE} formAction={MOVE[thing]}>
          <Icon of={FolderInput} />
          Move to…
        </Button>
        <TagButton />
        {children}
        <Button type="submit" look="ghost" size="sm" formAction={DOWNLOAD}>
          <Icon of={Download} />
          Download
        </Button>
        <Button type="submit" look="ghost" size="sm" name={INTENT_FIELD} value={trash} className="text-danger-text">
          <Icon of={Trash2} />
          Move to trash
        </Button>
        <Link
          to={pathname + withSelect(search, false)}
          prefetch="none"
          aria-label="Stop selecting"
          className={buttonClass({ look: "ghost", size: "icon-sm" })}
          onClick={(event) => {
            event.preventDefault();
            selection.end();
          }}
        >
          <Icon of={X} />
        </Link>
      </div>
      {problems.length > 0 ? (
        <p id={PROBLEMS} role="alert" className="basis-full pb-1 text-danger-text">
          {problems.join(" ")}
        </p>
      ) : null}
    </form>
  );
}

/** What was typed as a tag, where that is what was refused. */
function tagIn(refusal: FormAnswer["result"] | undefined): string | undefined {
  const typed: unknown = refusal?.error?.["tag"] && refusal.initialValue?.["tag"];
  return typeof typed === "string" ? typed : undefined;
}

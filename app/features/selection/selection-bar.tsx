import { CheckCheck, Download, FolderInput, Trash, X } from "lucide";
import { type ReactNode, type SubmitEvent, useEffect, useEffectEvent } from "react";
import { href, useActionData, useFetcher, useLocation, useSubmit } from "react-router";
import { requestDestination } from "~/features/selection/destinations/request-destination";
import type { FormAnswer } from "~/lib/forms/form-result";
import { FORM_FIELD, INTENT_FIELD, type IntentName } from "~/lib/forms/intents";
import { useMayRun } from "~/lib/rights/rights";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { count } from "~/lib/ui/count";
import { Icon } from "~/lib/ui/icons/icon";
import { Link } from "~/lib/ui/navigation/link";
import { bottomInsetRef } from "~/lib/ui/bottom-inset-ref";
import { toast } from "~/lib/ui/overlays/toasts";
import { SELECTED_FIELD, DESTINATION_PARAM, SELECTION_FORM, withSelect, withSelectAll } from "./address";
import { TagButton, TagPopover } from "./tag-selection";
import type { Selection } from "./use-selection";
import { WHOLE_FIELDS, WHOLE_LISTS, type WholeSelection } from "./whole-selection";

type SelectionBarProps = {
  selection: Selection;
  thing: "image" | "design";
  trash: IntentName;
  parentId?: string;
  children?: ReactNode;
};

const MOVE = { image: href("/move/images"), design: href("/move/designs") };
const PROBLEMS = "selection-problems";
const insetRef = bottomInsetRef("selection");
const DOWNLOAD = href("/download/selection");

/** Renders before the list in the document, but is fixed to the window's lower edge, so that nothing shifts. */
export function SelectionBar({ selection, thing, trash, parentId, children }: SelectionBarProps) {
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

  const mayRun = useMayRun();

  if (!selection.on) return null;
  const { chosen, onOtherPages, ids, whole, count: selectedCount, total } = selection;
  const mayTag = mayRun(thing === "image" ? "tagImages" : "tagDesigns");
  const areAll = selectedCount > 0 && selectedCount === total;

  function send(event: SubmitEvent<HTMLFormElement>) {
    const { submitter } = event.nativeEvent;
    // Enter in a check box submits with the form's first button. Ignores that button while it is hidden.
    if (submitter?.closest("[popover]:not(:popover-open)")) return event.preventDefault();
    const formAction = submitter?.getAttribute("formaction") ?? null;
    if (selectedCount > 0 && formAction === DOWNLOAD) return;
    event.preventDefault();
    if (selectedCount === 0) return void toast("Nothing selected.");
    const sent = new FormData(event.currentTarget, submitter);
    if (whole) {
      for (const name of [SELECTED_FIELD, ...WHOLE_FIELDS, ...WHOLE_LISTS]) sent.delete(name);
      for (const [name, value] of selection.fields()) sent.append(name, value);
    }
    if (formAction === null) void fetcher.submit(sent, { method: "post" });
    else void submit(sent, { method: "post", action: formAction });
  }

  return (
    <form id={SELECTION_FORM} ref={insetRef} method="post" aria-label="Selection" onSubmit={send} className="selection-bar">
      <input type="hidden" name={FORM_FIELD} value={SELECTION_FORM} />
      <input type="hidden" name="kind" value={thing} />
      <input type="hidden" name="back" value={pathname + search} />
      {mayTag ? <TagPopover thing={thing} refused={tagIn(refusal)} errorId={PROBLEMS} /> : null}
      {onOtherPages.map((id) => (
        <input key={id} type="hidden" name={SELECTED_FIELD} value={id} />
      ))}
      {whole ? <WholeInputs whole={whole} ids={ids} /> : null}
      <p role="status" className="tabular min-w-32 flex-1 py-1 text-soft">
        {selectedCount > 0 ? (
          <>
            <strong className="font-medium text-ink">{count(selectedCount, thing)}</strong> selected
            {onOtherPages.length > 0 ? `, ${onOtherPages.length} of them on other pages` : null}
          </>
        ) : (
          `Select ${thing}s`
        )}
      </p>
      <div className="flex flex-wrap items-center gap-1 max-sm:-ms-2.5">
        <button
          type="button"
          className={buttonClass({ variant: "ghost", size: "sm" }, "noscript:hidden")}
          onClick={() => (areAll ? selection.clear() : selection.chooseAll())}
        >
          <Icon of={CheckCheck} />
          {areAll ? "Clear" : `Select all (${total.toLocaleString("en")})`}
        </button>
        {selection.isWholePossible ? (
          <noscript>
            <Link
              to={pathname + (whole ? withSelect(search, true) : withSelectAll(search))}
              prefetch="none"
              className={buttonClass({ variant: "ghost", size: "sm" })}
            >
              <Icon of={CheckCheck} />
              {whole ? "Clear" : `Select all (${total.toLocaleString("en")})`}
            </Link>
          </noscript>
        ) : null}
        {mayRun(thing === "image" ? "moveImages" : "moveDesigns") ? (
          <Button
            type="submit"
            variant="ghost"
            size="sm"
            name={INTENT_FIELD}
            value={DESTINATION_PARAM}
            formAction={MOVE[thing]}
            onClick={(event) => {
              if (selectedCount === 0) return;
              const request = {
                kind: thing,
                ids: [...chosen, ...onOtherPages],
                count: selectedCount,
                fields: selection.fields(),
                from: parentId,
                staysOnPage: true,
              } as const;
              if (requestDestination(request)) event.preventDefault();
            }}
          >
            <Icon of={FolderInput} />
            Move to…
          </Button>
        ) : null}
        {mayTag ? <TagButton /> : null}
        {children}
        <Button type="submit" variant="ghost" size="sm" formAction={DOWNLOAD}>
          <Icon of={Download} />
          Download
        </Button>
        {mayRun(trash) ? (
          <Button type="submit" variant="ghost" size="sm" name={INTENT_FIELD} value={trash} className="text-danger-text">
            <Icon of={Trash} />
            Move to trash
          </Button>
        ) : null}
        <Link
          to={pathname + withSelect(search, false)}
          prefetch="none"
          aria-label="Stop selecting"
          className={buttonClass({ variant: "ghost", size: "icon-sm" })}
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

/** Without JavaScript the form contains the items that it showed, so that the server excludes the unticked ones. */
function WholeInputs({ whole: { all, total, except }, ids }: { whole: WholeSelection; ids: readonly string[] }) {
  const hidden = except.filter((id) => !ids.includes(id));
  return (
    <>
      <input type="hidden" name="all" value={all} />
      <input type="hidden" name="total" value={total} />
      {ids.map((id) => (
        <input key={id} type="hidden" name="shown" value={id} />
      ))}
      {hidden.map((id) => (
        <input key={id} type="hidden" name="except" value={id} />
      ))}
    </>
  );
}

function tagIn(refusal: FormAnswer["result"] | undefined): string | undefined {
  const typed: unknown = refusal?.error?.["tag"] && refusal.initialValue?.["tag"];
  return typeof typed === "string" ? typed : undefined;
}

import { useEffect, useId, useRef } from "react";
import { href, useFetcher } from "react-router";
import { Button } from "~/lib/ui/inputs/button";
import { Link } from "~/lib/ui/navigation/link";

export type SaveAnswer = { saveProblem: string | null };

type SaveLinkFormProps = { token: string; isSaved: boolean; problem: string | null };

export function SaveLinkForm({ token, isSaved, problem }: SaveLinkFormProps) {
  const fetcher = useFetcher<SaveAnswer>();
  const problemId = useId();
  const shownProblem = fetcher.data ? fetcher.data.saveProblem : problem;
  const isSavedNow = fetcher.data !== undefined && shownProblem === null;
  const saved = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSavedNow) saved.current?.querySelector("a")?.focus();
  }, [isSavedNow]);
  if (isSaved || isSavedNow)
    return (
      <div ref={saved}>
        <Link
          to={href("/shared")}
          reloadDocument
          className="flex items-center rounded-md py-2 text-sm text-soft hover:text-ink pointer-coarse:min-h-11"
        >
          Saved<span className="sr-only"> to “Shared with me”</span>
        </Link>
      </div>
    );
  return (
    <fetcher.Form method="post" action={href("/s/:token", { token })} className="flex flex-wrap items-center justify-end gap-x-3">
      {shownProblem === null ? null : (
        <p id={problemId} role="alert" className="text-sm text-danger-text">
          {shownProblem}
        </p>
      )}
      <Button type="submit" size="sm" aria-describedby={shownProblem === null ? undefined : problemId}>
        Save
        <span className="sr-only"> to “Shared with me”</span>
      </Button>
    </fetcher.Form>
  );
}

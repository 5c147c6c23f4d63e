import { X } from "lucide";
import { type SubmitEvent, useEffect, useEffectEvent } from "react";
import { href, useLocation } from "react-router";
import { connectedConvex } from "~/lib/data/connection/connection";
import type { Preload } from "~/lib/data/preload";
import { useLive } from "~/lib/data/use-live";
import { revertStored } from "~/lib/forms/undo";
import { count } from "~/lib/ui/count";
import { Icon } from "~/lib/ui/icons/icon";
import { Button } from "~/lib/ui/inputs/button";
import { Link } from "~/lib/ui/navigation/link";
import { isolate } from "~/lib/ui/isolate";
import { type JobAction, JOB_ACTIONS } from "./job-actions";
import { type BulkJob, bulkText } from "./bulk-text";

const CLOSES_AFTER = 10_000;

export function BulkJobs({ jobs }: { jobs: Preload<BulkJob[]> }) {
  const shown = useLive(jobs);
  if (shown.length === 0) return null;
  return (
    <section
      aria-label="Bulk actions"
      data-print="hide"
      className="sticky top-0 z-10 grid gap-px border-b bg-raised max-md:top-14 md:group-data-[sidebar=hidden]/shell:top-14"
    >
      {shown.map((job) => (
        <Job key={job._id} job={job} />
      ))}
    </section>
  );
}

function Job({ job }: { job: BulkJob }) {
  const { _id, step, state, phase, done, failed, total } = job;
  const { pathname } = useLocation();
  const isRunning = state === "running";
  const text = bulkText(job);
  const direction = phase === "undo" ? "redo" : "undo";
  const close = useEffectEvent(() => void connectedConvex()?.mutation(JOB_ACTIONS.dismiss, { id: _id }));
  const isClosing = state === "done" && failed === 0;
  useEffect(() => {
    if (!isClosing) return;
    const timer = setTimeout(() => close(), CLOSES_AFTER);
    return () => clearTimeout(timer);
  }, [isClosing]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1 px-4 py-2 md:px-6">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p role="status" className="min-w-0">
          {text}
        </p>
        {isRunning ? (
          <>
            <progress value={done + failed} max={total} aria-label={text} className="h-1.5 min-w-24 flex-1" />
            <span className="tabular text-sm text-soft">
              {(done + failed).toLocaleString("en")} of {total.toLocaleString("en")}
            </span>
            {pathname === href("/bulk") ? null : (
              <noscript>
                <Link to={href("/bulk")} prefetch="none" className="text-sm underline">
                  View progress
                </Link>
              </noscript>
            )}
          </>
        ) : null}
        <span className="ms-auto flex gap-1">
          {isRunning ? <Act job={job} act="cancel" label="Cancel" /> : null}
          {state === "cancelled" ? <Act job={job} act="resume" label="Continue" /> : null}
          {/* A copy that stopped for lack of storage has no undo step. */}
          {isRunning || step === "" ? null : <Undo step={step} text={text} direction={direction} />}
          {isRunning ? null : <Act job={job} act="dismiss" label="Dismiss" />}
        </span>
      </div>
      {failed > 0 ? <Failures job={job} /> : null}
    </div>
  );
}

function Failures({ job: { failed, failures, kind } }: { job: BulkJob }) {
  return (
    <details>
      <summary className="w-fit cursor-pointer text-danger-text pointer-coarse:py-2.5">{failed.toLocaleString("en")} failed</summary>
      <ul className="grid max-h-40 gap-0.5 overflow-y-auto py-1 text-sm">
        {failures.map(({ id, name, reason }) => (
          <li key={id}>
            <span className="font-medium">{name === null ? `1 ${kind}` : isolate(name)}</span>: {reason}
          </li>
        ))}
      </ul>
      {failed > failures.length ? <p className="text-sm text-faint">and {count(failed - failures.length, "more", "more")}</p> : null}
    </details>
  );
}

function Act({ job: { _id }, act, label }: { job: BulkJob; act: JobAction; label: string }) {
  const { pathname, search } = useLocation();
  function send(event: SubmitEvent<HTMLFormElement>) {
    const convex = connectedConvex();
    if (!convex) return;
    event.preventDefault();
    void convex.mutation(JOB_ACTIONS[act], { id: _id });
  }
  return (
    <form method="post" action={href("/bulk")} onSubmit={send}>
      <input type="hidden" name="id" value={_id} />
      <input type="hidden" name="back" value={pathname + search} />
      <Button type="submit" variant="ghost" size={act === "dismiss" ? "icon-sm" : "sm"} name="act" value={act} aria-label={label}>
        {act === "dismiss" ? <Icon of={X} /> : label}
      </Button>
    </form>
  );
}

function Undo({ step, text, direction }: { step: string; text: string; direction: "undo" | "redo" }) {
  const { pathname, search } = useLocation();
  function send(event: SubmitEvent<HTMLFormElement>) {
    if (!connectedConvex()) return;
    event.preventDefault();
    revertStored(step, text, direction);
  }
  return (
    <form method="post" action={href("/undo")} onSubmit={send}>
      <input type="hidden" name="step" value={step} />
      <input type="hidden" name="redo" value={direction === "redo" ? "yes" : ""} />
      <input type="hidden" name="back" value={pathname + search} />
      <Button type="submit" variant="ghost" size="sm">
        {direction === "redo" ? "Redo" : "Undo"}
      </Button>
    </form>
  );
}

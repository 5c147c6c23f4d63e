import { AccountForm, useAccountForm } from "~/features/accounts/settings/account-form";
import { count } from "~/lib/ui/count";
import { RowList } from "~/lib/ui/row-list";
import { Day } from "~/lib/ui/time/day";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import type { FailedCall, JobsState, RunningBulkAction } from "#convex/admin/jobs";
import { PersonLink } from "../person-link";
import { ActionRow } from "../rows";

export function FailedJobs({ jobs }: { jobs: readonly FailedCall[] }) {
  return (
    <RowList label="Failed jobs">
      {jobs.map((job) => (
        <ActionRow key={job.id}>
          <div className="grid min-w-0 flex-1 basis-64 gap-0.5">
            <p className="font-mono text-sm wrap-anywhere">{job.name}</p>
            <p className="text-sm wrap-anywhere text-danger-text">{job.reason}</p>
            <p className="text-sm text-faint">
              Failed <RelativeTime at={job.at} />
            </p>
          </div>
          <RepeatJob job={job} />
        </ActionRow>
      ))}
    </RowList>
  );
}

function RepeatJob({ job: { id, name } }: { job: FailedCall }) {
  const state = useAccountForm({ id: `repeat-${id}`, intent: "repeatJob" });
  return (
    <AccountForm
      state={state}
      className="grid gap-3"
      hidden={{ id }}
      successTexts={{ [`job-repeated-${id}`]: "The job runs again." }}
      submit={
        <>
          Retry<span className="sr-only"> {name}</span>
        </>
      }
    />
  );
}

export function PendingJobs({ jobs }: { jobs: JobsState["pending"] }) {
  return (
    <RowList label="Pending jobs">
      {jobs.map(({ id, name, at }) => (
        <ActionRow key={id}>
          <span className="font-mono text-sm wrap-anywhere">{name}</span>
          <span className="text-sm text-faint">
            Due on <Day at={at} />
          </span>
        </ActionRow>
      ))}
    </RowList>
  );
}

export function RunningBulkActions({ actions }: { actions: readonly RunningBulkAction[] }) {
  return (
    <RowList label="Running bulk actions">
      {actions.map(({ id, person, type, startedAt, done, failed, total }) => (
        <ActionRow key={id}>
          <span className="flex flex-wrap items-center gap-x-2">
            <span className="font-medium">{BULK_TYPES[type] ?? type}</span> <span className="text-faint">by</span>{" "}
            <PersonLink person={person} />
          </span>
          <span className="tabular text-sm text-faint">
            {done} of {count(total, "item")}
            {failed > 0 ? `, ${failed} failed` : ""}, started <RelativeTime at={startedAt} />
          </span>
        </ActionRow>
      ))}
    </RowList>
  );
}

const BULK_TYPES: Record<string, string> = {
  trash: "Move to trash",
  move: "Move",
  copy: "Copy",
  tag: "Tag",
  untag: "Remove tag",
  favourite: "Favourite",
  review: "Review",
};

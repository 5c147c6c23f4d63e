import { clsx } from "clsx";
import type { ReactNode } from "react";
import { href } from "react-router";
import { activityDays } from "~/features/projects/activity-days";
import { Link } from "~/lib/ui/navigation/link";
import { RowList } from "~/lib/ui/row-list";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import { useDateSettings } from "~/lib/ui/time/use-date-settings";
import type { ShownAuditEntry } from "#convex/auditLog";
import { actorText, auditText } from "./audit-text";

type AuditListProps<Entry> = {
  entries: readonly Entry[];
  label: string;
  linksProjects?: boolean;
  detailsOf?: (entry: Entry) => ReactNode;
};

export function AuditList<Entry extends ShownAuditEntry>({ entries, label, linksProjects = false, detailsOf }: AuditListProps<Entry>) {
  const settings = useDateSettings();
  return activityDays(entries, settings).map(({ day, entries: ofDay }) => (
    <section key={day} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h3 lang={settings.locale} dir="auto" className="text-sm font-medium text-soft" suppressHydrationWarning>
        {day}
      </h3>
      <RowList label={`${label} on ${day}`} isOrdered>
        {ofDay.map((entry) => (
          <AuditRow key={entry._id} entry={entry} linksProject={linksProjects}>
            {detailsOf?.(entry)}
          </AuditRow>
        ))}
      </RowList>
    </section>
  ));
}

type AuditRowProps = { entry: ShownAuditEntry; linksProject: boolean; children: ReactNode };

function AuditRow({ entry, linksProject, children }: AuditRowProps) {
  const { at, result, address, target } = entry;
  const about = [actorText(entry), address === undefined ? null : `network ${address}`].filter((text) => text !== null);
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 bg-card px-4 py-2.5">
      <span className={clsx("min-w-0 flex-1 basis-56 wrap-anywhere", result === "failure" && "text-danger-text")}>
        {auditText(entry)}
        {linksProject && target?.kind === "project" && entry.action !== "item.deleted" ? (
          <>
            {" "}
            <Link to={href("/projects/:id", { id: target.id })} prefetch="intent" className="text-accent-text underline underline-offset-4">
              Project
            </Link>
          </>
        ) : null}
        {entry.details?.isLast === true ? (
          <span className="block text-sm text-soft">Further failures within the hour are not listed.</span>
        ) : null}
        {children}
        {about.length > 0 ? <span className="block text-sm text-faint">{about.join(" · ")}</span> : null}
      </span>
      <span className="text-sm text-faint">
        <RelativeTime at={at} />
      </span>
    </li>
  );
}

import { href } from "react-router";
import { Section } from "~/features/accounts/settings/section";
import { LogEntryPeople } from "~/features/administration/log-entry-people";
import { AuditExports } from "~/features/audit/audit-exports";
import { filterSearch, logFilterFieldsIn, logFilterOf, PERSON_LENGTH } from "~/features/audit/audit-filter";
import { AuditFilters, SelectFilter, TextFilter } from "~/features/audit/audit-filters";
import { AuditList } from "~/features/audit/audit-list";
import { convexFor } from "~/lib/data/convex.server";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { configContext } from "~/lib/http/context";
import { count } from "~/lib/ui/count";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { api } from "#convex/_generated/api";
import type { LogEntry } from "#convex/admin/auditLog";
import { AUDIT_CATEGORIES } from "#convex/model/audit/auditActions";
import type { Route } from "./+types/admin.audit-log";

export const meta: Route.MetaFunction = () => [{ title: "Audit log · Administration · Atelier" }];

const SHOWN = 50;

export async function loader({ context, url }: Route.LoaderArgs) {
  const fields = logFilterFieldsIn(url.searchParams);
  const cursor = url.searchParams.get(LATER_PAGES);
  const paginationOpts = { cursor, numItems: SHOWN };
  const events = await convexFor(context).preload(api.admin.auditLog.list, { ...logFilterOf(fields), paginationOpts });
  return { events, fields, isFirst: cursor === null, days: context.get(configContext).auditLogRetentionDays };
}

export const shouldRevalidate = liveRevalidation;

const peopleOf = (entry: LogEntry) => <LogEntryPeople entry={entry} />;

export default function AuditLog({ loaderData: { events, fields, isFirst, days } }: Route.ComponentProps) {
  const page = useEndless(events);
  const isFiltered = filterSearch(fields) !== "";
  return (
    <Section
      title="Audit log"
      about={`Events of all accounts and of the installation in the last ${count(days, "day")} (AUDIT_LOG_RETENTION_DAYS). Exports are recorded, too.`}
    >
      <AuditFilters
        key={filterSearch(fields)}
        fields={fields}
        categories={AUDIT_CATEGORIES}
        isFiltered={isFiltered}
        to={href("/admin/audit-log")}
        before={<TextFilter name="person" label="Email address or user id" value={fields.person} maxLength={PERSON_LENGTH} />}
        after={
          <SelectFilter name="result" label="Result" value={fields.result}>
            <option value="">All</option>
            <option value="success">Success</option>
            <option value="failure">Failure</option>
          </SelectFilter>
        }
      />
      {page.rows.length > 0 ? (
        <AuditList entries={page.rows} label="Audit log" detailsOf={peopleOf} />
      ) : (
        <p className="text-soft">{isFiltered ? "No events match the filters." : "No events yet."}</p>
      )}
      <MorePages itemNoun="events" page={{ ...page, isFirst }} />
      <AuditExports path={href("/admin/audit-log/export")} searchOf={(format) => filterSearch(fields, { format })} />
    </Section>
  );
}

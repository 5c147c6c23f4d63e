import { href } from "react-router";
import { AuditExports } from "~/features/audit/audit-exports";
import { auditFilterOf, filterFieldsIn, filterSearch } from "~/features/audit/audit-filter";
import { AuditFilters } from "~/features/audit/audit-filters";
import { AuditList } from "~/features/audit/audit-list";
import { Section } from "~/features/accounts/settings/section";
import { convexFor } from "~/lib/data/convex.server";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { configContext } from "~/lib/http/context";
import { count } from "~/lib/ui/count";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { api } from "#convex/_generated/api";
import { AUDIT_CATEGORIES, type AuditCategory } from "#convex/model/audit/auditActions";
import type { Route } from "./+types/account.activity";

export const meta: Route.MetaFunction = () => [{ title: "Account activity · Atelier" }];

const SHOWN = 50;

export async function loader({ context, url }: Route.LoaderArgs) {
  const fields = filterFieldsIn(url.searchParams);
  const cursor = url.searchParams.get(LATER_PAGES);
  const filter = auditFilterOf(fields);
  const events = await convexFor(context).preload(api.auditLog.listAll, { ...filter, paginationOpts: { cursor, numItems: SHOWN } });
  return { events, fields, isFirst: cursor === null, days: context.get(configContext).auditLogRetentionDays };
}

export const shouldRevalidate = liveRevalidation;

const OWN_CATEGORIES = AUDIT_CATEGORIES.filter((each: AuditCategory) => each !== "operation");

export default function AccountActivity({ loaderData: { events, fields, isFirst, days } }: Route.ComponentProps) {
  const page = useEndless(events);
  const isFiltered = filterSearch(fields) !== "";
  return (
    <Section
      title="Account activity"
      about={`Sign-ins, changes to your account, sharing, exports and permanent deletions of the last ${count(days, "day")}. Changes to projects are in each project's activity.`}
    >
      <AuditFilters
        key={filterSearch(fields)}
        fields={fields}
        categories={OWN_CATEGORIES}
        isFiltered={isFiltered}
        to={href("/account/activity")}
      />
      {page.rows.length > 0 ? (
        <AuditList entries={page.rows} label="Account activity" linksProjects />
      ) : (
        <p className="text-soft">{isFiltered ? "No activity matches the filters." : "No account activity yet."}</p>
      )}
      <MorePages itemNoun="entries" page={{ ...page, isFirst }} />
      <AuditExports path={href("/account/activity/export")} searchOf={(format) => filterSearch(fields, { format })} />
    </Section>
  );
}

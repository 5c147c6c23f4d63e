import { Download } from "lucide-react";
import { Form, href, useSubmit } from "react-router";
import { AuditList } from "~/features/audit/audit-list";
import { auditFilterOf, type FilterFields, filterFieldsIn, filterSearch } from "~/features/audit/audit-filter";
import { CATEGORY_NAMES } from "~/features/audit/audit-text";
import { Section } from "~/features/accounts/settings/section";
import { convexFor } from "~/lib/data/convex.server";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { configContext } from "~/lib/http/context";
import { count } from "~/lib/ui/count";
import { Icon } from "~/lib/ui/icons/icon";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { Field } from "~/lib/ui/inputs/field";
import { Select } from "~/lib/ui/inputs/select";
import { TextInput } from "~/lib/ui/inputs/text-input";
import { Link } from "~/lib/ui/navigation/link";
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
  const events = await convexFor(context).preload(api.auditLog.list, { ...filter, paginationOpts: { cursor, numItems: SHOWN } });
  return { events, fields, isFirst: cursor === null, days: context.get(configContext).auditLogRetentionDays };
}

export const shouldRevalidate = liveRevalidation;

export default function AccountActivity({ loaderData: { events, fields, isFirst, days } }: Route.ComponentProps) {
  const page = useEndless(events);
  const isFiltered = filterSearch(fields) !== "";
  return (
    <Section
      title="Account activity"
      about={`Sign-ins, changes of your account, sharing, exports and permanent deletions of the last ${count(days, "day")}. Changes of projects are in each project's activity.`}
    >
      <Filters key={filterSearch(fields)} fields={fields} isFiltered={isFiltered} />
      {page.rows.length > 0 ? (
        <AuditList entries={page.rows} />
      ) : (
        <p className="text-soft">{isFiltered ? "No activity matches the filters." : "No account activity yet."}</p>
      )}
      <MorePages itemNoun="entries" page={{ ...page, isFirst }} />
      <div className="flex flex-wrap gap-2">
        {(["csv", "json"] as const).map((format) => (
          <a
            key={format}
            href={`${href("/account/activity/export")}?${filterSearch(fields, { format })}`}
            download
            className={buttonClass()}
          >
            <Icon of={Download} />
            Export as {format.toUpperCase()}
          </a>
        ))}
      </div>
    </Section>
  );
}

/** People have no events of this category. */
const OWN_CATEGORIES = AUDIT_CATEGORIES.filter((each: AuditCategory) => each !== "operation");

function Filters({ fields: { category, from, to }, isFiltered }: { fields: FilterFields; isFiltered: boolean }) {
  const submit = useSubmit();
  const id = (name: string) => `audit-${name}`;
  const day = (name: "from" | "to", label: string, value: string) => (
    <Field htmlFor={id(name)} label={label} errorId={`${id(name)}-error`} className="min-w-36 flex-1">
      <TextInput id={id(name)} name={name} type="date" defaultValue={value} />
    </Field>
  );
  return (
    <Form method="get" className="flex flex-wrap items-end gap-3" aria-label="Filter">
      <Field htmlFor={id("category")} label="Kind" errorId={id("category-error")} className="min-w-48 flex-1">
        <Select
          id={id("category")}
          name="category"
          defaultValue={category}
          onChange={({ currentTarget: { form } }) => void submit(form, { preventScrollReset: true })}
        >
          <option value="">All</option>
          {OWN_CATEGORIES.map((each) => (
            <option key={each} value={each}>
              {CATEGORY_NAMES[each]}
            </option>
          ))}
        </Select>
      </Field>
      {day("from", "From", from)}
      {day("to", "To", to)}
      <Button type="submit">Filter</Button>
      {isFiltered ? (
        <Link
          to={href("/account/activity")}
          prefetch="intent"
          className="py-2 text-sm text-accent-text hover:underline pointer-coarse:py-3"
        >
          Clear filters
        </Link>
      ) : null}
    </Form>
  );
}

import type { ReactNode } from "react";
import { Form, useSubmit } from "react-router";
import { Button } from "~/lib/ui/inputs/button";
import { Field } from "~/lib/ui/inputs/field";
import { Select } from "~/lib/ui/inputs/select";
import { TextInput } from "~/lib/ui/inputs/text-input";
import { Link } from "~/lib/ui/navigation/link";
import type { AuditCategory } from "#convex/model/audit/auditActions";
import type { FilterFields } from "./audit-filter";
import { CATEGORY_NAMES } from "./audit-text";

type AuditFiltersProps = {
  fields: FilterFields;
  categories: readonly AuditCategory[];
  isFiltered: boolean;
  to: string;
  before?: ReactNode;
  after?: ReactNode;
};

export function AuditFilters({ fields: { category, from, to: last }, categories, isFiltered, to, before, after }: AuditFiltersProps) {
  return (
    <Form method="get" className="flex flex-wrap items-end gap-3" aria-label="Filter">
      {before}
      <SelectFilter name="category" label="Kind" value={category}>
        <option value="">All</option>
        {categories.map((each) => (
          <option key={each} value={each}>
            {CATEGORY_NAMES[each]}
          </option>
        ))}
      </SelectFilter>
      {after}
      <DayFilter name="from" label="From" value={from} />
      <DayFilter name="to" label="To" value={last} />
      <Button type="submit">Filter</Button>
      {isFiltered ? (
        <Link to={to} prefetch="intent" className="py-2 text-sm text-accent-text hover:underline pointer-coarse:py-3">
          Clear filters
        </Link>
      ) : null}
    </Form>
  );
}

type FilterProps = { name: string; label: string; value: string };

export function SelectFilter({ name, label, value, children }: FilterProps & { children: ReactNode }) {
  const submit = useSubmit();
  const id = `audit-${name}`;
  return (
    <Field htmlFor={id} label={label} errorId={`${id}-error`} className="min-w-40 flex-1">
      <Select
        id={id}
        name={name}
        defaultValue={value}
        onChange={({ currentTarget: { form } }) => void submit(form, { preventScrollReset: true })}
      >
        {children}
      </Select>
    </Field>
  );
}

export function TextFilter({ name, label, value, maxLength }: FilterProps & { maxLength: number }) {
  const id = `audit-${name}`;
  return (
    <Field htmlFor={id} label={label} errorId={`${id}-error`} className="min-w-48 flex-1">
      <TextInput
        id={id}
        name={name}
        defaultValue={value}
        maxLength={maxLength}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </Field>
  );
}

function DayFilter({ name, label, value }: FilterProps) {
  const id = `audit-${name}`;
  return (
    <Field htmlFor={id} label={label} errorId={`${id}-error`} className="min-w-36 flex-1">
      <TextInput id={id} name={name} type="date" defaultValue={value} />
    </Field>
  );
}

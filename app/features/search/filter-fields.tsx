import type { ComponentProps, ReactNode } from "react";
import { ACCEPTED } from "~/features/images/display/accepted-types";
import { KnownTags } from "~/features/tags/known-tags";
import { Link } from "~/lib/ui/navigation/link";
import { Select } from "~/lib/ui/inputs/select";
import { TextInput } from "~/lib/ui/inputs/text-input";
import { REVIEW_FILTERS, STATUS_NAMES } from "#convex/model/review/statuses";
import { COLOURS, type Filters, filtersIn, isFiltered, KINDS, ORIENTATIONS, searchAddress, SIZES } from "./filters";

type FilterFieldsProps = {
  filters: Filters;
  knownTags: string[];
  projects: { _id: string; name: string }[];
  onChange: (name: keyof Filters, value: string) => void;
};

export function FilterFields({ filters, knownTags, projects, onChange }: FilterFieldsProps) {
  const field = (name: Exclude<keyof Filters, "q">) => ({
    id: `search-${name}`,
    name,
    value: filters[name],
    onChange: ({ target }: { target: { value: string } }) => onChange(name, target.value),
  });
  return (
    <details open={isFiltered(filters) || undefined} className="grid gap-3">
      <summary className="w-fit cursor-pointer rounded-md py-1 text-sm text-soft hover:text-ink pointer-coarse:py-3">Filters</summary>
      <div className="mt-2 grid grid-cols-2 gap-3 sm:grid-cols-3">
        <Labelled label="Tag" name="tag">
          <TextInput {...field("tag")} list="search-tags" autoComplete="off" autoCapitalize="none" />
          <KnownTags id="search-tags" tags={knownTags} />
        </Labelled>
        <Labelled label="Kind" name="kind">
          <Select {...field("kind")}>
            <option value="">Any</option>
            {KINDS.map(([kind, name]) => (
              <option key={kind} value={kind}>
                {name}
              </option>
            ))}
          </Select>
        </Labelled>
        <Labelled label="Image type" name="type">
          <Select {...field("type")}>
            <option value="">Any</option>
            {Object.entries(ACCEPTED).map(([type, { name }]) => (
              <option key={type} value={type}>
                {name}
              </option>
            ))}
          </Select>
        </Labelled>
        <Labelled label="Project" name="project">
          <Select {...field("project")}>
            <option value="">Any</option>
            {projects.map(({ _id, name }) => (
              <option key={_id} value={_id} dir="auto">
                {name}
              </option>
            ))}
          </Select>
        </Labelled>
        <Choices label="Review status" of={STATUSES} {...field("review")} />
        <Choices label="Orientation" of={ORIENTATIONS} {...field("orientation")} />
        <Choices label="Image size" of={SIZES} {...field("size")} />
        <Choices label="Colour" of={COLOURS} {...field("colour")} />
        <Labelled label="Added from" name="from">
          <TextInput {...field("from")} type="date" />
        </Labelled>
        <Labelled label="Added until" name="to">
          <TextInput {...field("to")} type="date" />
        </Labelled>
      </div>
      <p className="mt-2 text-sm text-faint">
        The filters for project, review status, orientation, size and colour apply to 1,000 results at a time. Open the next page for more.
      </p>
      {isFiltered(filters) ? (
        <Link
          to={searchAddress(filtersIn(new URLSearchParams({ q: filters.q })))}
          prefetch="intent"
          className="mt-2 inline-block py-1 text-sm text-accent-text hover:underline"
        >
          Clear filters
        </Link>
      ) : null}
    </details>
  );
}

const STATUSES = REVIEW_FILTERS.map((status) => [status, STATUS_NAMES[status]] as const);

type ChoicesProps = ComponentProps<typeof Select> & { label: string; name: string; of: readonly (readonly [string, string])[] };

function Choices({ label, of, ...field }: ChoicesProps) {
  return (
    <Labelled label={label} name={field.name}>
      <Select {...field}>
        <option value="">Any</option>
        {of.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
    </Labelled>
  );
}

function Labelled({ label, name, children }: { label: string; name: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1">
      <label htmlFor={`search-${name}`} className="text-sm font-medium text-soft">
        {label}
      </label>
      {children}
    </div>
  );
}

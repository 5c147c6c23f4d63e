import { isolate } from "~/lib/ui/isolate";
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { Form, href, redirect, useLocation, useSearchParams } from "react-router";
import { connectedConvex } from "~/lib/data/connection/connection";
import { convexFor } from "~/lib/data/convex.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { DensityPicker } from "~/features/images/gallery/density-picker";
import { FilterFields } from "~/features/search/filter-fields";
import { afterIn, type Filters, FILTERS, filtersIn, isFiltered, searchArgs, searchAddress } from "~/features/search/filters";
import { ResultList } from "~/features/search/result-list";
import { resultSummary } from "~/features/search/result-summary";
import { SearchInput } from "~/features/search/search-input";
import { useSuggestions } from "~/features/search/suggestions";
import { useSearch } from "~/features/search/use-search";
import { KnownTags } from "~/features/tags/known-tags";
import { Button, ButtonLink } from "~/lib/ui/inputs/button";
import { Page, PageHeader } from "~/lib/ui/page";
import { api } from "#convex/_generated/api";
import { SEARCH_MAX } from "#convex/model/rules";
import type { Route } from "./+types/search";

export const meta: Route.MetaFunction = ({ location }) => [{ title: titleOf(filtersIn(new URLSearchParams(location.search))) }];

function titleOf({ q, tag }: Filters): string {
  const requested = [isolate(q.trim()), tag.trim() && `tagged “${isolate(tag.trim())}”`].filter(Boolean).join(", ");
  return `${requested ? `${requested} · ` : ""}Search · Atelier`;
}

export async function loader({ url: { searchParams }, context }: Route.LoaderArgs) {
  const filters = filtersIn(searchParams);
  const after = afterIn(searchParams);
  if (FILTERS.some((name) => searchParams.get(name) === "")) throw redirect(searchAddress(filters, after));
  const convex = convexFor(context);
  const [loaded, knownTags, projects] = await Promise.all([
    convex.preload(api.search.find, searchArgs(filters, after, SEARCH_MAX)),
    convex.preload(api.tags.getTags, {}),
    convex.preload(api.projects.getProjects, { sort: "name" }),
  ]);
  return {
    loaded,
    knownTags,
    projects: { ...projects, value: projects.value.map(({ _id, name }) => ({ _id, name })) },
    maxLength: SEARCH_MAX,
  };
}

export const shouldRevalidate = liveRevalidation;

export default function Search({ loaderData: { loaded, knownTags, projects, maxLength } }: Route.ComponentProps) {
  const { form, filters, after, change } = useSearchForm();
  const question = searchArgs(filters, after, maxLength);
  const { found, behind } = useSearch(loaded, question);
  const known = useLive(knownTags);
  const named = useLive(projects);
  const suggestions = useSuggestions(filters.q, found, known);
  useEffect(() => {
    document.title = titleOf(filters);
  }, [filters]);
  return (
    <Page>
      <PageHeader title="Search" />
      <Form
        ref={form}
        replace
        role="search"
        aria-label="This page"
        action={href("/search")}
        className="grid max-w-3xl gap-3"
        onSubmit={(event) => {
          // The results are current already; a response from the server would overwrite later input.
          if (connectedConvex()) event.preventDefault();
        }}
      >
        <div className="flex gap-2">
          <div className="flex-1">
            <SearchInput
              aria-label="Search terms"
              placeholder="Projects, designs, images"
              maxLength={maxLength}
              autoFocus
              list="search-suggestions"
              value={filters.q}
              onChange={({ target }) => change("q", target.value)}
            />
            <KnownTags id="search-suggestions" tags={suggestions} />
          </div>
          <Button type="submit">Search</Button>
        </div>
        <FilterFields filters={filters} knownTags={known} projects={named} onChange={change} />
      </Form>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p role="status" className="text-soft">
          {behind ? "Searching…" : resultSummary(question.text, isFiltered(filters), found)}
        </p>
        {found.projects.length + found.designs.length + found.images.length > 0 ? <DensityPicker /> : null}
      </div>
      <div aria-busy={behind} className="grid gap-8 transition-opacity aria-busy:opacity-60">
        <ResultList
          {...found}
          query={question.text}
          addressOf={(kind) => (question.kind === undefined ? searchAddress({ ...filters, kind }) : null)}
        />
      </div>
      {question.after === undefined && found.next === null ? null : (
        <nav aria-label="More" className="flex gap-2">
          {question.after === undefined ? null : <ButtonLink to={searchAddress(filters)}>First page</ButtonLink>}
          {found.next === null ? null : <ButtonLink to={searchAddress(filters, found.next)}>Next page</ButtonLink>}
        </nav>
      )}
    </Page>
  );
}

function useSearchForm() {
  const [search] = useSearchParams();
  const { key } = useLocation();
  const arriving = { key, filters: filtersIn(search), after: afterIn(search) };
  const [current, setCurrent] = useState(arriving);
  if (key !== current.key) setCurrent(arriving);

  function applyFilters(filters: Filters) {
    setCurrent({ key, filters, after: null });
    window.history.replaceState(window.history.state, "", searchAddress(filters));
  }

  const form = useRef<HTMLFormElement>(null);
  const readTyped = useEffectEvent(() => {
    const typed = form.current && filtersTyped(form.current);
    if (typed && searchAddress(typed) !== searchAddress(current.filters)) applyFilters(typed);
  });
  useLayoutEffect(() => readTyped(), []);

  return { form, ...current, change: (name: keyof Filters, value: string) => applyFilters({ ...current.filters, [name]: value }) };
}

function filtersTyped(form: HTMLFormElement): Filters {
  const params = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") params.set(name, value);
  return filtersIn(params);
}

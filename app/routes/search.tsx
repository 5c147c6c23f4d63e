import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { Form, href, redirect, useLocation, useSearchParams } from "react-router";
import { connectedConvex } from "~/data/connection";
import { convexFor } from "~/data/convex.server";
import { liveRevalidation } from "~/data/should-revalidate";
import { useLive } from "~/data/use-live";
import { FilterFields } from "~/search/filter-fields";
import { afterIn, type Filters, FILTERS, filtersIn, isFiltered, questionOf, searchAddress } from "~/search/filters";
import { FoundList } from "~/search/found-list";
import { SearchInput } from "~/search/search-field";
import { useFind } from "~/search/use-find";
import { Button, ButtonLink } from "~/ui/button";
import { count } from "~/ui/count";
import { Page, PageHeader } from "~/ui/page";
import { api } from "#convex/_generated/api";
import type { Found } from "#convex/search";
import { SEARCH_MAX } from "#convex/rules";
import type { Route } from "./+types/search";

export const meta: Route.MetaFunction = ({ location }) => [{ title: titleOf(filtersIn(new URLSearchParams(location.search))) }];

function titleOf({ q, tag }: Filters): string {
  const asked = [q.trim(), tag.trim() && `tagged “${tag.trim()}”`].filter(Boolean).join(", ");
  return `${asked ? `${asked} · ` : ""}Search · Atelier`;
}

export async function loader({ url: { searchParams }, context }: Route.LoaderArgs) {
  const filters = filtersIn(searchParams);
  const after = afterIn(searchParams);
  // A form sends its empty fields too.
  if (FILTERS.some((name) => searchParams.get(name) === "")) throw redirect(searchAddress(filters, after));
  const convex = convexFor(context);
  const [loaded, knownTags] = await Promise.all([
    convex.preload(api.search.find, questionOf(filters, after, SEARCH_MAX)),
    convex.preload(api.tags.getTags, {}),
  ]);
  return { loaded, knownTags, maxLength: SEARCH_MAX };
}

export const shouldRevalidate = liveRevalidation;

/**
 * The search: a form that asks the server, and, while the connection stands, matches as one types. The address follows what is typed without
 * being gone to, so that it can be kept, shared and returned to, and nothing is loaded for it.
 */
export default function Search({ loaderData: { loaded, knownTags, maxLength } }: Route.ComponentProps) {
  const { form, filters, after, change } = useAsked();
  const question = questionOf(filters, after, maxLength);
  const { found, behind } = useFind(loaded, question);
  const known = useLive(knownTags);
  // As the address does, which the router is not told of.
  useEffect(() => {
    document.title = titleOf(filters);
  }, [filters]);
  return (
    <Page className="grid-cols-[minmax(0,48rem)]">
      <PageHeader title="Search" />
      <Form
        ref={form}
        replace
        role="search"
        aria-label="This page"
        action={href("/search")}
        className="grid gap-3"
        onSubmit={(event) => {
          // What it would ask for is shown already, and stands in the address; an answer from the server could only undo what is typed meanwhile.
          if (connectedConvex()) event.preventDefault();
        }}
      >
        <div className="flex gap-2">
          <div className="flex-1">
            <SearchInput
              aria-label="Words to search by"
              placeholder="Projects, designs, images"
              maxLength={maxLength}
              autoFocus
              value={filters.q}
              onChange={({ target }) => change("q", target.value)}
            />
          </div>
          <Button type="submit">Search</Button>
        </div>
        <FilterFields filters={filters} known={known} onChange={change} />
      </Form>
      <p role="status" className="text-soft">
        {behind ? "Searching…" : told(question.text, isFiltered(filters), found)}
      </p>
      <div aria-busy={behind} className="grid gap-8 transition-opacity aria-busy:opacity-60">
        <FoundList {...found} allOf={(kind) => (question.kind === undefined ? searchAddress({ ...filters, kind }) : null)} />
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

/** What stands in the form: what is typed and chosen, until the visitor goes to another address. */
function useAsked() {
  const [search] = useSearchParams();
  const { key } = useLocation();
  const arriving = { key, filters: filtersIn(search), after: afterIn(search) };
  const [asked, setAsked] = useState(arriving);
  if (key !== asked.key) setAsked(arriving);

  function ask(filters: Filters) {
    // What is asked anew begins with its first page.
    setAsked({ key, filters, after: null });
    window.history.replaceState(window.history.state, "", searchAddress(filters));
  }

  const form = useRef<HTMLFormElement>(null);
  const takeUp = useEffectEvent(() => {
    const typed = form.current && filtersTyped(form.current);
    if (typed && searchAddress(typed) !== searchAddress(asked.filters)) ask(typed);
  });
  // What was typed before the scripts had come.
  useLayoutEffect(() => takeUp(), []);

  return { form, ...asked, change: (name: keyof Filters, value: string) => ask({ ...asked.filters, [name]: value }) };
}

/** What its fields hold. */
function filtersTyped(form: HTMLFormElement): Filters {
  const params = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") params.set(name, value);
  return filtersIn(params);
}

function told(text: string, filtered: boolean, { projects, designs, images, more, next }: Found): string {
  const kinds = [
    projects.length > 0 && count(projects.length, "project"),
    designs.length > 0 && count(designs.length, "design"),
    images.length > 0 && count(images.length, "image"),
  ].filter((each) => each !== false);
  if (kinds.length > 0) return `${new Intl.ListFormat("en-GB").format(kinds)}${more.length > 0 || next !== null ? ", and more" : ""}.`;
  if (text === "" && !filtered) {
    return "Find projects, designs and images by the words of their names, descriptions, captions and tags. The last word may be only begun.";
  }
  return filtered ? "Nothing has all that is asked for." : `Nothing is found by “${text}”.`;
}

import { useState } from "react";
import { Form, href, useLocation, useSearchParams } from "react-router";
import { convexFor } from "~/data/convex.server";
import { liveRevalidation } from "~/data/should-revalidate";
import { FoundList } from "~/search/found-list";
import { SearchInput } from "~/search/search-field";
import { searchText } from "~/search/text";
import { useFind } from "~/search/use-find";
import { Button } from "~/ui/button";
import { count } from "~/ui/count";
import { Page, PageHeader } from "~/ui/page";
import { api } from "#convex/_generated/api";
import type { Found } from "#convex/search";
import { SEARCH_MAX } from "#convex/rules";
import type { Route } from "./+types/search";

export const meta: Route.MetaFunction = ({ location }) => {
  const text = new URLSearchParams(location.search).get("q")?.trim();
  return [{ title: `${text ? `${text} · ` : ""}Search · Atelier` }];
};

export async function loader({ url, context }: Route.LoaderArgs) {
  const text = searchText(url.searchParams.get("q") ?? "", SEARCH_MAX);
  return { loaded: await convexFor(context).preload(api.search.find, { text }), maxLength: SEARCH_MAX };
}

export const shouldRevalidate = liveRevalidation;

/**
 * The search: a form that asks the server, and, while the connection stands, matches as one types. The address follows what is typed without
 * being gone to, so that it can be kept, shared and returned to, and nothing is loaded for it.
 */
export default function Search({ loaderData: { loaded, maxLength } }: Route.ComponentProps) {
  const [typed, setTyped] = useTyped();
  const text = searchText(typed, maxLength);
  const { found, behind } = useFind(loaded, text);
  return (
    <Page className="max-w-3xl">
      <PageHeader title="Search" />
      <Form replace role="search" aria-label="This page" action={href("/search")} className="flex gap-2">
        <div className="flex-1">
          <SearchInput
            aria-label="Words to search by"
            placeholder="Projects, designs, images"
            maxLength={maxLength}
            autoFocus
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              const address = `${href("/search")}${target.value.trim() === "" ? "" : `?${new URLSearchParams({ q: target.value })}`}`;
              window.history.replaceState(window.history.state, "", address);
            }}
          />
        </div>
        <Button type="submit">Search</Button>
      </Form>
      <p role="status" className="text-soft">
        {behind ? "Searching…" : told(text, found)}
      </p>
      <div aria-busy={behind} className="grid gap-8 transition-opacity aria-busy:opacity-60">
        <FoundList {...found} />
      </div>
    </Page>
  );
}

/** What stands in the field: what is typed, until the visitor goes to another address. */
function useTyped() {
  const [search] = useSearchParams();
  const { key } = useLocation();
  const asked = search.get("q") ?? "";
  const [typed, setTyped] = useState(asked);
  const [arrived, setArrived] = useState(key);
  if (key !== arrived) {
    setArrived(key);
    setTyped(asked);
  }
  return [typed, setTyped] as const;
}

function told(text: string, { projects, designs, images }: Found): string {
  if (text === "") return "Find projects, designs and images by the words of their names. The last word may be only begun.";
  const kinds = [
    projects.length > 0 && count(projects.length, "project"),
    designs.length > 0 && count(designs.length, "design"),
    images.length > 0 && count(images.length, "image"),
  ].filter((each) => each !== false);
  return kinds.length === 0 ? `Nothing is called “${text}”.` : `${new Intl.ListFormat("en-GB").format(kinds)}.`;
}

import { href } from "react-router";
import { accountAction } from "~/features/accounts/account-action.server";
import { Section } from "~/features/accounts/settings/section";
import { AdministeredLinks } from "~/features/administration/administered-links";
import { administeredLinkIntents } from "~/features/administration/link-intents.server";
import { SearchForm } from "~/features/administration/search-form";
import { PERSON_LENGTH } from "~/features/audit/audit-filter";
import { convexFor } from "~/lib/data/convex.server";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { configContext } from "~/lib/http/context";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { api } from "#convex/_generated/api";
import { cutText } from "#convex/model/cutText";
import type { Route } from "./+types/admin.links";

export const meta: Route.MetaFunction = () => [{ title: "Links · Administration · Atelier" }];

const SHOWN = 50;

export async function loader({ context, url }: Route.LoaderArgs) {
  const person = cutText((url.searchParams.get("person") ?? "").trim(), PERSON_LENGTH);
  const cursor = url.searchParams.get(LATER_PAGES);
  const args = { ...(person !== "" && { person }), paginationOpts: { cursor, numItems: SHOWN } };
  const links = await convexFor(context).preload(api.admin.links.list, args);
  return { links, person, isFirst: cursor === null, enabled: context.get(configContext).publicLinks.enabled };
}

export const action = accountAction(administeredLinkIntents);
export const shouldRevalidate = liveRevalidation;

export default function Links({ loaderData: { links, person, isFirst, enabled } }: Route.ComponentProps) {
  const page = useEndless(links);
  const state = enabled ? "" : " Public links are turned off (PUBLIC_LINKS), so nobody can open them.";
  return (
    <Section
      title="Public links"
      about={`Anyone with a link can view its project, design or image. Administrators see neither addresses nor names of links.${state}`}
    >
      <SearchForm
        to={href("/admin/links")}
        name="person"
        value={person}
        label="Email address or user id of the creator"
        placeholder="Email address or user id"
        maxLength={PERSON_LENGTH}
        submit="Filter"
      />
      {page.rows.length > 0 ? (
        <AdministeredLinks links={page.rows} />
      ) : (
        <p className="text-soft">{person === "" ? "There are no public links." : "This person has no public links."}</p>
      )}
      <MorePages itemNoun="links" page={{ ...page, isFirst }} />
    </Section>
  );
}

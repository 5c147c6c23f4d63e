import { href } from "react-router";
import { accountAction } from "~/features/accounts/account-action.server";
import { Section } from "~/features/accounts/settings/section";
import { InvitationList, InviteForm } from "~/features/administration/people/invitations";
import { invitationFields, invitationIntents } from "~/features/administration/people/people-intents.server";
import { PeopleList } from "~/features/administration/people/people-list";
import { SearchForm } from "~/features/administration/search-form";
import { mailProviderLink } from "~/features/accounts/mail/mail-provider-link";
import { convexFor } from "~/lib/data/convex.server";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { constraintOf } from "~/lib/forms/constraint.server";
import { configContext } from "~/lib/http/context";
import { isolate } from "~/lib/ui/isolate";
import { Link } from "~/lib/ui/navigation/link";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { api } from "#convex/_generated/api";
import { cutText } from "#convex/model/cutText";
import type { Route } from "./+types/admin.people";

export const meta: Route.MetaFunction = () => [{ title: "People · Administration · Atelier" }];

const SHOWN = 50;
const TEXT_LENGTH = 200;
const FILTERS = ["administrators", "disabled"] as const;

export async function loader({ context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const { accounts, ...config } = context.get(configContext);
  const cursor = url.searchParams.get(LATER_PAGES);
  const text = cutText(url.searchParams.get("q") ?? "", TEXT_LENGTH);
  const only = FILTERS.find((each) => each === url.searchParams.get("only"));
  const [people, invitations] = await Promise.all([
    convex.preload(api.admin.people.list, { text, ...(only && { only }), paginationOpts: { cursor, numItems: SHOWN } }),
    convex.preload(api.admin.invitations.list, {}),
  ]);
  return {
    people,
    invitations,
    text,
    only: only ?? null,
    isFirst: cursor === null,
    signUp: accounts.signUp,
    sendsMail: mailProviderLink(config) !== null,
    constraint: constraintOf(invitationFields),
  };
}

export const action = accountAction(invitationIntents);
export const shouldRevalidate = liveRevalidation;

const SIGN_UP_TEXTS = {
  open: "Everyone can create an account.",
  invited: "Only people with an invitation can create an account.",
  closed: "Nobody can create an account.",
};

export default function People({ loaderData }: Route.ComponentProps) {
  const { text, only, isFirst, signUp, sendsMail, constraint } = loaderData;
  const page = useEndless(loaderData.people);
  const invitations = useLive(loaderData.invitations);
  return (
    <>
      <section aria-labelledby="people" className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <h2 id="people" className="text-lg">
          People
        </h2>
        <SearchForm to={href("/admin")} name="q" value={text} label="Name or email address" maxLength={TEXT_LENGTH} submit="Search" />
        <nav aria-label="Filter" className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
          <FilterLink search="" label="All" current={only === null && text === ""} />
          <FilterLink search="?only=administrators" label="Administrators" current={only === "administrators" && text === ""} />
          <FilterLink search="?only=disabled" label="Disabled" current={only === "disabled" && text === ""} />
        </nav>
        {page.rows.length > 0 ? <PeopleList people={page.rows} /> : <p className="text-soft">{emptyText(text, only)}</p>}
        <MorePages itemNoun="people" page={{ ...page, isFirst }} />
      </section>
      <Section title="Sign-up" about={`${SIGN_UP_TEXTS[signUp]} The setting ACCOUNTS_SIGN_UP decides.`}>
        {signUp === "closed" ? null : <InviteForm constraint={constraint} sendsMail={sendsMail} />}
        {invitations.length > 0 ? <InvitationList invitations={invitations} /> : null}
      </Section>
    </>
  );
}

function FilterLink({ search, label, current }: { search: string; label: string; current: boolean }) {
  return (
    <Link
      to={href("/admin") + search}
      prefetch="intent"
      aria-current={current ? "true" : undefined}
      className="flex min-h-6 min-w-6 items-center text-soft underline underline-offset-4 hover:text-ink aria-[current=true]:font-medium aria-[current=true]:text-ink aria-[current=true]:no-underline pointer-coarse:min-h-11 pointer-coarse:min-w-11"
    >
      {label}
    </Link>
  );
}

function emptyText(text: string, only: (typeof FILTERS)[number] | null): string {
  if (text !== "") return `No results for “${isolate(text)}”.`;
  if (only === "administrators") return "No account has the role. The administrators come from an issuer's group.";
  return only === "disabled" ? "No account is disabled." : "There are no accounts.";
}

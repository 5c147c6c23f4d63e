import { href } from "react-router";
import { accountAction } from "~/features/accounts/account-action.server";
import { personIntents } from "~/features/administration/people/people-intents.server";
import {
  PersonAccess,
  PersonDeletion,
  PersonQuota,
  PersonRole,
  PersonSignIn,
  PersonSummary,
} from "~/features/administration/people/person-view";
import { mailProviderLink } from "~/features/accounts/mail/mail-provider-link";
import { convexFor } from "~/lib/data/convex.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { configContext } from "~/lib/http/context";
import { isolate } from "~/lib/ui/isolate";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/admin.person";

const titleFor = (name: string) => titleOf(`${isolate(name)} · Administration`);

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleFor(loaderData ? loaderData.person.value.name || loaderData.person.value.email : "Person") },
];

export async function loader({ params: { id }, context }: Route.LoaderArgs) {
  const config = context.get(configContext);
  return {
    person: await convexFor(context).preload(api.admin.people.get, { userId: id }),
    defaultQuota: config.storageQuotaBytes,
    sendsMail: mailProviderLink(config) !== null,
  };
}

export const action = accountAction(personIntents);
export const shouldRevalidate = liveRevalidation;

export default function Person({ loaderData: { person: preloaded, defaultQuota, sendsMail } }: Route.ComponentProps) {
  const person = useLive(preloaded);
  const name = person.name || person.email;
  useTitle(titleFor(name));
  return (
    <>
      <div className="grid gap-1">
        <Breadcrumb trail={[{ to: href("/admin"), name: "People" }]} />
        <h2 dir="auto" className="text-xl wrap-anywhere">
          {name}
        </h2>
      </div>
      <PersonSummary person={person} />
      <PersonQuota person={person} defaultQuota={defaultQuota} />
      <PersonSignIn person={person} sendsMail={sendsMail} />
      {person.isAdministrator || person.isGroupAdministrator ? <PersonRole person={person} /> : null}
      {person.isSelf ? null : <PersonAccess person={person} />}
      {person.isSelf ? null : <PersonDeletion person={person} />}
    </>
  );
}

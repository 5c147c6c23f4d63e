import { accountAction } from "~/features/accounts/account-action.server";
import { mailProviderLink } from "~/features/accounts/mail/mail-provider-link";
import { providerName } from "~/features/accounts/session/provider-names";
import { Section } from "~/features/accounts/settings/section";
import { checkIssuers } from "~/features/administration/operation/check-issuers.server";
import { mailIntents } from "~/features/administration/operation/mail-intents.server";
import { IssuerStates, MailAttempts, MailQueue, TestMailForm } from "~/features/administration/operation/mail-view";
import { convexFor } from "~/lib/data/convex.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { useMe } from "~/lib/data/use-me";
import { configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/admin.mail";

export const meta: Route.MetaFunction = () => [{ title: "Email and providers · Administration · Atelier" }];

export async function loader({ context }: Route.LoaderArgs) {
  const config = context.get(configContext);
  const [mail, issuers] = await Promise.all([convexFor(context).preload(api.admin.mail.get, {}), checkIssuers(config)]);
  return {
    mail,
    issuers,
    sendsMail: mailProviderLink(config) !== null,
    mailFrom: config.mailFrom,
    providers: Object.keys(config.socialProviders),
  };
}

export const action = accountAction(mailIntents);
export const shouldRevalidate = liveRevalidation;

export default function Mail({ loaderData }: Route.ComponentProps) {
  const { issuers, sendsMail, mailFrom, providers } = loaderData;
  const state = useLive(loaderData.mail);
  const email = useMe()?.email ?? "your address";
  const about = sendsMail
    ? `Messages are sent from ${mailFrom}. Administrators see no recipients and contents.`
    : "This installation does not send email, because SMTP_URL is not set.";
  return (
    <>
      <Section title="Email" about={about}>
        <MailQueue state={state} />
        {sendsMail ? <TestMailForm email={email} /> : null}
        {state.attempts.length > 0 ? (
          <MailAttempts attempts={state.attempts} />
        ) : (
          <p className="text-soft">No message was sent in the last seven days.</p>
        )}
      </Section>
      <Section title="Single sign-on" about="Each issuer was asked for its metadata when this page was loaded.">
        {issuers.length > 0 ? <IssuerStates issuers={issuers} /> : <p className="text-soft">No issuer is set up.</p>}
      </Section>
      <Section title="Social providers" about="Providers with which people can sign in. Their settings are listed under Settings.">
        <p className="text-soft">{providers.length > 0 ? providers.map(providerName).join(", ") : "No provider is set up."}</p>
      </Section>
    </>
  );
}

import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { ProviderRedirect } from "~/features/accounts/session/provider-redirect";
import { type LinkObstacle, linkableProviders } from "~/features/accounts/auth-api/providers/linkable-providers.server";
import { configuredName } from "~/features/accounts/auth-api/providers/social-providers.server";
import { AccountForm, useAccountForm } from "~/features/accounts/settings/account-form";
import { accountAction } from "~/features/accounts/account-action.server";
import { connectionIntents } from "~/features/accounts/settings/connections.server";
import { Section } from "~/features/accounts/settings/section";
import { convexFor } from "~/lib/data/convex.server";
import { useLive } from "~/lib/data/use-live";
import { configContext } from "~/lib/http/context";
import { Link } from "~/lib/ui/navigation/link";
import { RowList } from "~/lib/ui/row-list";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/account.connections";

export const meta: Route.MetaFunction = () => [{ title: "Connections · Atelier" }];

export async function loader({ context }: Route.LoaderArgs) {
  const config = context.get(configContext);
  const connections = await convexFor(context).preload(api.accounts.mine.getConnections, {});
  const providers = linkableProviders(config);
  const ids = [...providers.map(({ id }) => id), ...connections.value.map(({ providerId }) => providerId), "credential"];
  return {
    connections,
    providers,
    names: Object.fromEntries(ids.map((id) => [id, configuredName(config, id)])),
    linking: config.accounts.linking,
    passwords: config.accounts.emailAndPassword,
    unlinkLast: config.accounts.unlinkLast,
  };
}

export const action = accountAction(connectionIntents);

export default function Connections({
  loaderData: { connections, providers, names, linking, passwords, unlinkLast },
}: Route.ComponentProps) {
  const linked = useLive(connections);
  const nameOf = (id: string) => names[id] ?? id;
  const unlinked = providers.filter(({ id }) => !linked.some(({ providerId }) => providerId === id));
  const open = !linking ? [] : unlinked.filter(({ obstacle }) => obstacle === null);
  const blocked = !linking ? [] : unlinked.filter(({ obstacle }) => obstacle !== null);
  const isLastMethod = linked.length === 1 && !unlinkLast;
  return (
    <>
      <Section title="Sign-in methods" about="You can sign in with any of these accounts.">
        <RowList>
          {linked.map((connection) => (
            <li key={connection.id} className="bg-card p-4">
              <ConnectionRow
                connection={connection}
                name={nameOf(connection.providerId)}
                stays={isLastMethod}
                advice={{ password: passwords, link: linking }}
              />
            </li>
          ))}
        </RowList>
      </Section>
      <Section
        title="Link another account"
        about={
          providers.length === 0
            ? "No sign-in provider is configured for this installation."
            : !linking
              ? "This installation does not allow linking further accounts."
              : unlinked.length === 0
                ? "You have linked every available provider."
                : "You can then sign in with this account, too."
        }
      >
        {open.length > 0 ? (
          <ul className="flex flex-wrap gap-3">
            {open.map(({ id }) => (
              <li key={id} className="has-[[role=alert]]:basis-full">
                <LinkForm provider={id} name={nameOf(id)} />
              </li>
            ))}
          </ul>
        ) : null}
        {blocked.length > 0 ? (
          <ul className="grid gap-2 text-sm text-soft">
            {blocked.map(({ id, obstacle }) => (
              <li key={id}>
                <BlockedLink name={nameOf(id)} id={id} obstacle={obstacle} />
              </li>
            ))}
          </ul>
        ) : null}
      </Section>
    </>
  );
}

type Connection = FunctionReturnType<typeof api.accounts.mine.getConnections>[number];

type Advice = { password: boolean; link: boolean };

type ConnectionRowProps = { connection: Connection; name: string; stays: boolean; advice: Advice };

function ConnectionRow({ connection: { id, providerId, accountId, createdAt }, name, stays, advice }: ConnectionRowProps) {
  const password = providerId === "credential";
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
      <div className="grid min-w-0 gap-0.5">
        <h3 className="text-base font-medium">{name}</h3>
        <p className="text-sm wrap-anywhere text-faint">
          {password ? null : <>{accountId} · </>}Linked <RelativeTime at={createdAt} />
        </p>
      </div>
      {stays ? (
        <p className="max-w-xs text-sm text-soft">
          This is your only sign-in method, so it cannot be removed. <AddFirst password={advice.password && !password} link={advice.link} />
        </p>
      ) : (
        <UnlinkForm id={id} name={name} providerId={providerId} accountId={accountId} />
      )}
    </div>
  );
}

function AddFirst({ password, link }: Advice) {
  if (!password) return link ? "Link another account first." : null;
  return (
    <>
      <Link to={href("/account/security")} prefetch="intent" className="text-accent-text underline underline-offset-4">
        Set a password
      </Link>{" "}
      {link ? "or link another account first." : "first."}
    </>
  );
}

function UnlinkForm({ id, name, providerId, accountId }: { id: string; name: string; providerId: string; accountId: string }) {
  const state = useAccountForm({ id: `unlink-${id}`, intent: "unlink" });
  const submit = providerId === "credential" ? "Remove" : "Unlink";
  return (
    <AccountForm
      state={state}
      className="grid gap-3"
      hidden={{ providerId, accountId }}
      submit={
        <>
          {submit}
          <span className="sr-only"> {name}</span>
        </>
      }
    />
  );
}

function BlockedLink({ name, id, obstacle }: { name: string; id: string; obstacle: LinkObstacle }) {
  const reason =
    obstacle === "ACCOUNTS_TRUSTED_PROVIDERS" ? "it does not report a verified email address" : "it does not report an email address";
  const setting = obstacle === "ACCOUNTS_TRUSTED_PROVIDERS" ? `${obstacle}=${id}` : `${obstacle}=true`;
  return (
    <>
      {name} cannot be linked: {reason}. The operator can allow it with <code className="font-mono wrap-anywhere">{setting}</code>.
    </>
  );
}

function LinkForm({ provider, name }: { provider: string; name: string }) {
  const state = useAccountForm({ id: `link-${provider}`, intent: "link" });
  if (state.answer?.leaveFor) return <ProviderRedirect url={state.answer.leaveFor} name={name} />;
  return <AccountForm state={state} hidden={{ provider }} submit={`Link ${name}`} />;
}

import type { FunctionReturnType } from "convex/server";
import { Link, href } from "react-router";
import { providerName } from "~/accounts/providers";
import { AccountForm, useAccountForm } from "~/accounts/screens/account-form";
import { accountAction } from "~/accounts/screens/account-action.server";
import { connectionIntents } from "~/accounts/screens/connections.server";
import { Section } from "~/accounts/screens/section";
import { convexFor } from "~/data/convex.server";
import { useLive } from "~/data/use-live";
import { configContext } from "~/http/context";
import { RelativeTime } from "~/ui/relative-time";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/account.connections";

export const meta: Route.MetaFunction = () => [{ title: "Connections · Atelier" }];

export async function loader({ context }: Route.LoaderArgs) {
  const { socialProviders, accounts } = context.get(configContext);
  return {
    connections: await convexFor(context).preload(api.accounts.mine.getConnections, {}),
    providers: accounts.linking ? Object.keys(socialProviders) : [],
    unlinkLast: accounts.unlinkLast,
  };
}

export const action = accountAction(connectionIntents);

/** The ways in which somebody can sign in: a password, and the providers whose accounts are linked. */
export default function Connections({ loaderData: { connections, providers, unlinkLast } }: Route.ComponentProps) {
  const linked = useLive(connections);
  const open = providers.filter((id) => !linked.some(({ providerId }) => providerId === id));
  const lastStays = linked.length === 1 && !unlinkLast;
  return (
    <>
      <Section title="Ways to sign in" about="Each of these opens your account.">
        <ul className="grid gap-px overflow-hidden rounded-md border bg-line">
          {linked.map((connection) => (
            <li key={connection.id} className="bg-card p-4">
              <ConnectionRow connection={connection} stays={lastStays} />
            </li>
          ))}
        </ul>
      </Section>
      <Section
        title="Link another account"
        about={
          providers.length === 0
            ? "The people who run this installation have not switched on any sign-in provider."
            : open.length === 0
              ? "Every provider that is switched on is linked."
              : "Then you can sign in with it as well."
        }
      >
        {open.length > 0 ? (
          <ul className="flex flex-wrap gap-3">
            {open.map((provider) => (
              <li key={provider} className="has-[[role=alert]]:basis-full">
                <LinkForm provider={provider} />
              </li>
            ))}
          </ul>
        ) : null}
      </Section>
    </>
  );
}

type Connection = FunctionReturnType<typeof api.accounts.mine.getConnections>[number];

function ConnectionRow({ connection: { id, providerId, accountId, createdAt }, stays }: { connection: Connection; stays: boolean }) {
  const name = providerName(providerId);
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
          This is the only way into your account, so it cannot go. {password ? "Link another account first." : <SetPasswordFirst />}
        </p>
      ) : (
        <UnlinkForm id={id} name={name} providerId={providerId} accountId={accountId} />
      )}
    </div>
  );
}

const SetPasswordFirst = () => (
  <>
    <Link to={href("/account/security")} prefetch="intent" className="text-accent-text underline underline-offset-4">
      Set a password
    </Link>{" "}
    or link another account first.
  </>
);

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

function LinkForm({ provider }: { provider: string }) {
  const state = useAccountForm({ id: `link-${provider}`, intent: "link" });
  return <AccountForm state={state} hidden={{ provider }} submit={`Link ${providerName(provider)}`} />;
}

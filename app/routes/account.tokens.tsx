import { href } from "react-router";
import { accountAction } from "~/features/accounts/account-action.server";
import { AccessTokenRow, CreateAccessToken } from "~/features/accounts/settings/access-token-section";
import { accessTokenIntents } from "~/features/accounts/settings/access-tokens.server";
import { Section } from "~/features/accounts/settings/section";
import { convexFor } from "~/lib/data/convex.server";
import { useLive } from "~/lib/data/use-live";
import { RowList } from "~/lib/ui/row-list";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/account.tokens";

export const meta: Route.MetaFunction = () => [{ title: "Access tokens · Atelier" }];

export async function loader({ context }: Route.LoaderArgs) {
  return { tokens: await convexFor(context).preload(api.accounts.accessTokens.list, {}) };
}

export const action = accountAction(accessTokenIntents);

export default function AccessTokens({ loaderData }: Route.ComponentProps) {
  const tokens = useLive(loaderData.tokens);
  return (
    <Section
      title="Access tokens"
      about={
        <>
          Programs use them to call the HTTP API on your behalf.{" "}
          <a className="underline" href={href("/api/v1/*", { "*": "openapi.json" })}>
            OpenAPI document
          </a>
        </>
      }
    >
      <CreateAccessToken />
      {tokens.length > 0 ? (
        <RowList label="Access tokens">
          {tokens.map((token) => (
            <li key={token._id} className="bg-card p-4">
              <AccessTokenRow token={token} />
            </li>
          ))}
        </RowList>
      ) : null}
    </Section>
  );
}

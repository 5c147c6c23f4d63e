import type { RouterContextProvider } from "react-router";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import type { AccessScope } from "#convex/model/accounts/accessTokens";
import { unauthenticated } from "#convex/model/errors";

/** Returns the id of a token's user. Throws "unauthenticated" also for a token without the scope. */
export async function userOfToken(context: Readonly<RouterContextProvider>, tokenHash: string, scope: AccessScope): Promise<string> {
  const holder = await serviceConvex(context.get(configContext)).query(api.accounts.accessTokens.find, { tokenHash });
  if (!holder?.scopes.includes(scope)) throw unauthenticated();
  return holder.userId;
}

import { redirect } from "react-router";
import { AUTH_PATH } from "~/features/accounts/auth-api/auth.server";
import { passToAuth } from "~/features/accounts/auth-api/auth-request.server";
import { callbackAtItsOrigin } from "~/features/accounts/auth-api/plugins/providers/provider-callbacks.server";
import { CONVEX_TOKEN_ADDRESS } from "~/features/accounts/session/convex/convex-token";
import { convexTokenResponse } from "~/features/accounts/session/convex/convex-token.server";
import { configContext } from "~/lib/http/context";
import { MAGIC_LINK_PATH, magicLinkIn, switchAccountAddress } from "~/features/accounts/auth-api/sign-in-link.server";
import type { Route } from "./+types/api.auth.$";

export async function loader({ request, context, url }: Route.LoaderArgs) {
  if (url.pathname === CONVEX_TOKEN_ADDRESS) return convexTokenResponse(context);
  const callback = request.method === "GET" ? callbackAtItsOrigin(context.get(configContext), url) : null;
  if (callback !== null) return redirect(callback);
  const link = request.method === "GET" && url.pathname === AUTH_PATH + MAGIC_LINK_PATH ? magicLinkIn(url.searchParams) : null;
  const question = link && (await switchAccountAddress(link, { request, context }));
  return question === null ? passToAuth({ request, context }) : redirect(question);
}

export const action = ({ request, context }: Route.ActionArgs) => passToAuth({ request, context });

import { passToAuth } from "~/accounts/auth-request.server";
import { CONVEX_TOKEN_ADDRESS } from "~/accounts/convex-token";
import { convexTokenAnswer } from "~/accounts/convex-token.server";
import type { Route } from "./+types/api.auth.$";

/** Better Auth, mounted; and beside it where the browser fetches its next token for the deployment. */
export const loader = ({ request, context, url }: Route.LoaderArgs) =>
  url.pathname === CONVEX_TOKEN_ADDRESS ? convexTokenAnswer(context) : passToAuth({ request, context });

export const action = ({ request, context }: Route.ActionArgs) => passToAuth({ request, context });

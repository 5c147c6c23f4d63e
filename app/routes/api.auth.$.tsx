import { passToAuth } from "~/accounts/auth-request.server";
import { CONVEX_TOKEN_PATH, convexTokenAnswer } from "~/accounts/convex-token.server";
import type { Route } from "./+types/api.auth.$";

/** Better Auth, mounted; and beside it where the browser fetches its next token for the deployment. */
export const loader = ({ request, context, params }: Route.LoaderArgs) =>
  params["*"] === CONVEX_TOKEN_PATH ? convexTokenAnswer(context) : passToAuth({ request, context });

export const action = ({ request, context }: Route.ActionArgs) => passToAuth({ request, context });

import { configContext } from "~/lib/http/context";
import { authFor } from "../auth-api/auth.server";
import { redirectToSignIn } from "../session/session.server";
import type { FormRequest } from "../account-action.server";
import { Rejection } from "../rejection.server";

const FRESH_FOR = 24 * 60 * 60 * 1000;

/** Returns the session if it is fresh, so that an unattended page cannot take over an account. Throws `Rejection`. `within`: in ms. */
export async function requireRecentSignIn({ request, context }: Pick<FormRequest, "request" | "context">, within = FRESH_FOR) {
  const found = await authFor(context.get(configContext), request).api.getSession({ headers: request.headers });
  if (!found) throw redirectToSignIn(request);
  if (Date.now() - found.session.createdAt.getTime() >= within)
    throw new Rejection("Session is not fresh", { status: 403, code: "SESSION_NOT_FRESH" });
  return found;
}

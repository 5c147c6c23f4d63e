import { redirect } from "react-router";
import { isPrefetch } from "remix-utils/is-prefetch";
import { z } from "zod";
import { type ActionRequest, isDocumentRequest } from "~/lib/forms/is-document-request.server";
import { configContext } from "~/lib/http/context";
import { hasFlash } from "~/lib/http/middleware/flash.server";
import { originOf } from "~/lib/http/origin.server";
import { safeRedirectPath } from "../../session/safe-redirect";
import { postToAuth, relayCookies } from "../auth-request.server";

const started = z.object({ url: z.url() });

/** Parameters for which /sign-in is shown: a message, or `stay` (docs/single-sign-on.md). */
const SHOWN_FOR = ["error", "notice", "stay"];

/** Starts a sign-in at the only issuer (`ACCOUNTS_SIGN_IN_REDIRECT`). Returns the redirect; null to show /sign-in, as after sign-out. */
export async function issuerRedirect({ request, context, url }: ActionRequest): Promise<Response | null> {
  const config = context.get(configContext);
  const [issuer] = config.issuers;
  if (!config.accounts.signInRedirect || !issuer) return null;
  if (request.method !== "GET" || !isDocumentRequest(request) || isPrefetch(request) || hasFlash(request)) return null;
  if (SHOWN_FOR.some((name) => url.searchParams.has(name))) return null;
  const target = safeRedirectPath(url.searchParams.get("redirectTo"));
  const answer = await postToAuth({ request: fromOwnPage(request, originOf(config, request)), context }, "/sign-in/social", {
    provider: issuer.id,
    callbackURL: target,
    newUserCallbackURL: target,
    errorCallbackURL: "/error",
    disableRedirect: true,
  });
  const { success, data } = started.safeParse(await answer.json().catch(() => null));
  if (answer.ok && success) return redirect(data.url, { headers: relayCookies(answer) });
  const error = answer.status === 429 ? "TOO_MANY_REQUESTS" : "issuer_unavailable";
  return redirect(`/sign-in?${new URLSearchParams({ redirectTo: target, error })}`);
}

/** A navigation has no origin, which Better Auth requires of requests with cookies. */
function fromOwnPage({ url, headers }: Request, origin: string): Request {
  const copy = new Headers({ Origin: origin });
  for (const name of ["Accept-Language", "User-Agent"]) copy.set(name, headers.get(name) ?? "");
  return new Request(url, { headers: copy });
}

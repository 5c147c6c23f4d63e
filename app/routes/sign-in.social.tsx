import { data, redirect } from "react-router";
import { AuthPage } from "~/features/accounts/auth-page";
import { ProviderRedirect } from "~/features/accounts/session/provider-redirect";
import { INVITATION } from "~/features/accounts/invitations/invitations.server";
import { postToAuth, relayCookies } from "~/features/accounts/auth-api/auth-request.server";
import { ISSUER_UNAVAILABLE } from "~/features/accounts/auth-api/issuers/issuer-provider.server";
import { configuredName } from "~/features/accounts/auth-api/providers/social-providers.server";
import { safeRedirectPath } from "~/features/accounts/session/safe-redirect";
import { checkFieldNames } from "~/lib/http/forms/field-names";
import { configContext } from "~/lib/http/context";
import { readFormData } from "~/lib/http/forms/form.server";
import { ErrorScreen } from "~/lib/ui/errors/error-screen";
import type { Route } from "./+types/sign-in.social";

/** Middleware, because a loader would also run after the action. */
export const middleware: Route.MiddlewareFunction[] = [
  ({ request }, next) => {
    if (request.method !== "POST") throw redirect("/sign-in");
    return next();
  },
];

export async function action({ request, context }: Route.ActionArgs) {
  const form = await readFormData(request);
  checkFieldNames(form, { once: ["provider", "redirectTo", INVITATION] });
  const provider = form.get("provider");
  const callbackURL = safeRedirectPath(form.get("redirectTo"));
  const invitation = form.get(INVITATION);
  const answer = await postToAuth({ request, context }, "/sign-in/social", {
    provider: typeof provider === "string" ? provider : "",
    callbackURL,
    newUserCallbackURL: callbackURL,
    errorCallbackURL: "/error",
    disableRedirect: true,
    ...(typeof invitation === "string" && { additionalData: { [INVITATION]: invitation } }),
  });
  const headers = relayCookies(answer);
  if (answer.status === 404) return redirect("/error?error=oauth_provider_not_found", { status: 303, headers });
  const body: unknown = await answer.json().catch(() => null);
  if (textIn(body, "code") === ISSUER_UNAVAILABLE) return redirect("/error?error=issuer_unavailable", { status: 303, headers });
  const url = answer.ok ? textIn(body, "url") : null;
  if (url !== null) {
    const name = configuredName(context.get(configContext), typeof provider === "string" ? provider : "");
    return data({ url, name }, { headers });
  }
  const retryAfter = answer.headers.get("Retry-After");
  if (retryAfter !== null) headers.set("Retry-After", retryAfter);
  throw data(null, { status: answer.ok ? 502 : answer.status, headers });
}

export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

export default function SignInSocial({ actionData }: Route.ComponentProps) {
  if (!actionData) return null;
  return (
    <AuthPage title="Sign in">
      <ProviderRedirect {...actionData} />
    </AuthPage>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <ErrorScreen error={error} atRoot />;
}

function textIn(body: unknown, field: "code" | "url"): string | null {
  const value: unknown = typeof body === "object" && body !== null ? Reflect.get(body, field) : null;
  return typeof value === "string" ? value : null;
}

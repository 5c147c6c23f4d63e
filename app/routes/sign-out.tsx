import { data, redirect, redirectDocument } from "react-router";
import { z } from "zod";
import { AuthPage } from "~/features/accounts/auth-page";
import { postToAuth, relayCookies } from "~/features/accounts/auth-api/auth-request.server";
import { ProviderRedirect } from "~/features/accounts/session/provider-redirect";
import { renewVisitor } from "~/features/accounts/session/session.server";
import { safeRedirectPath } from "~/features/accounts/session/safe-redirect";
import { isDocumentRequest } from "~/lib/forms/is-document-request.server";
import { configContext } from "~/lib/http/context";
import { setFlash } from "~/lib/http/middleware/flash.server";
import { originOf } from "~/lib/http/origin.server";
import { ErrorScreen } from "~/lib/ui/errors/error-screen";
import type { Route } from "./+types/sign-out";

/** Rejects GET, so that a link cannot sign a user out. A loader would also run after the action. */
export const middleware: Route.MiddlewareFunction[] = [
  ({ request }, next) => {
    if (request.method !== "POST") throw redirect("/");
    return next();
  },
];

const signedOut = z.object({ url: z.url().optional() });

/** Ends the session in all tabs and redirects to /sign-in (specification 2), through the issuer of the session with `END_SESSION`. */
export async function action({ request, context, url }: Route.ActionArgs) {
  const config = context.get(configContext);
  const callbackURL = `${config.origins[0] ?? originOf(config, request)}/sign-in`;
  const answer = await postToAuth({ request, context }, "/sign-out", { callbackURL, disableRedirect: true });
  if (!answer.ok) throw data(null, { status: answer.status, headers: relayCookies(answer) });
  const target = url.searchParams.get("redirectTo");
  if (target === null) setFlash(context, "You are signed out.");
  const issuer = target === null ? signedOut.parse(await answer.json()).url : undefined;
  if (issuer !== undefined) {
    await renewVisitor(context);
    const headers = relayCookies(answer);
    return isDocumentRequest(request) ? data({ url: issuer }, { headers }) : redirect(issuer, { headers });
  }
  const search = target === null ? "" : `?${new URLSearchParams({ redirectTo: safeRedirectPath(target) })}`;
  return redirectDocument(`/sign-in${search}`, { status: 303, headers: relayCookies(answer) });
}

export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

export default function SignOut({ actionData }: Route.ComponentProps) {
  if (!actionData) return null;
  return (
    <AuthPage title="Signed out">
      <ProviderRedirect url={actionData.url} name="your sign-in provider" />
    </AuthPage>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <ErrorScreen error={error} atRoot />;
}

import { data, redirect } from "react-router";
import { postToAuth, relayCookies } from "~/accounts/auth-request.server";
import { safeTarget } from "~/accounts/safe-target";
import { formOf } from "~/http/form.server";
import { FaultScreen } from "~/ui/error-screen";
import type { Route } from "./+types/sign-in.social";

/** There is nothing to see here: the buttons stand on /sign-in and /sign-up. */
export const loader = () => redirect("/sign-in");

/** Leads to a provider's pages, from where the visitor comes back to /api/auth/callback. */
export async function action({ request, context }: Route.ActionArgs) {
  const form = await formOf(request);
  const provider = form.get("provider");
  const callbackURL = safeTarget(form.get("redirectTo"));
  const answer = await postToAuth({ request, context }, "/sign-in/social", {
    // A file is no provider's name.
    provider: typeof provider === "string" ? provider : "",
    callbackURL,
    newUserCallbackURL: callbackURL,
    errorCallbackURL: "/error",
    disableRedirect: true,
  });
  const headers = relayCookies(answer);
  if (answer.status === 404) return redirect("/error?error=oauth_provider_not_found", { status: 303, headers });
  const url = answer.ok ? addressIn(await answer.json()) : null;
  if (url !== null) return redirect(url, { status: 303, headers });
  const retryAfter = answer.headers.get("Retry-After");
  if (retryAfter !== null) headers.set("Retry-After", retryAfter);
  throw data(null, { status: answer.ok ? 502 : answer.status, headers });
}

/** Says when to try again (`Retry-After`), where the answer knows it. */
export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

/** Both ways lead on; what does not is shown below. */
export default function SignInSocial() {
  return null;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <FaultScreen error={error} atRoot />;
}

function addressIn(body: unknown): string | null {
  const url = typeof body === "object" && body !== null && "url" in body ? body.url : null;
  return typeof url === "string" ? url : null;
}

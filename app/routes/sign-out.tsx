import { data, redirect, redirectDocument } from "react-router";
import { postToAuth, relayCookies } from "~/features/accounts/auth-api/auth-request.server";
import { safeRedirectPath } from "~/features/accounts/session/safe-redirect";
import { setFlash } from "~/lib/http/middleware/flash.server";
import { ErrorScreen } from "~/lib/ui/errors/error-screen";
import type { Route } from "./+types/sign-out";

/** Redirects only, because a link must not sign out. */
export const loader = () => redirect("/");

/** Ends the session in all tabs and redirects to /sign-in (specification 2), with `redirectTo` for signing in again. */
export async function action({ request, context, url }: Route.ActionArgs) {
  const answer = await postToAuth({ request, context }, "/sign-out");
  if (!answer.ok) throw data(null, { status: answer.status, headers: relayCookies(answer) });
  const target = url.searchParams.get("redirectTo");
  if (target === null) setFlash(context, "You are signed out.");
  const search = target === null ? "" : `?${new URLSearchParams({ redirectTo: safeRedirectPath(target) })}`;
  return redirectDocument(`/sign-in${search}`, { status: 303, headers: relayCookies(answer) });
}

export default function SignOut() {
  return null;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <ErrorScreen error={error} atRoot />;
}

import { data, redirect, redirectDocument } from "react-router";
import { postToAuth, relayCookies } from "~/accounts/auth-request.server";
import { safeTarget } from "~/accounts/safe-target";
import { tell } from "~/http/flash.server";
import { FaultScreen } from "~/ui/error-screen";
import type { Route } from "./+types/sign-out";

/** A link signs nobody out: only the form does. */
export const loader = () => redirect("/");

/** Ends the session, here and in every open tab, and leads to /sign-in (specification 2); from there back, where somebody is only to sign in anew. */
export async function action({ request, context, url }: Route.ActionArgs) {
  const answer = await postToAuth({ request, context }, "/sign-out");
  if (!answer.ok) throw data(null, { status: answer.status, headers: relayCookies(answer) });
  const wanted = url.searchParams.get("redirectTo");
  if (wanted === null) tell(context, "You are signed out.");
  const search = wanted === null ? "" : `?${new URLSearchParams({ redirectTo: safeTarget(wanted) })}`;
  return redirectDocument(`/sign-in${search}`, { status: 303, headers: relayCookies(answer) });
}

/** Both ways lead on; what does not is shown below. */
export default function SignOut() {
  return null;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <FaultScreen error={error} atRoot />;
}

import { data, redirect, redirectDocument } from "react-router";
import { postToAuth, relayCookies } from "~/accounts/auth-request.server";
import { tell } from "~/http/flash.server";
import type { Route } from "./+types/sign-out";

/** A link signs nobody out: only the form does. */
export const loader = () => redirect("/");

/** Ends the session, here and in every open tab, and leads to /sign-in (specification 2). */
export async function action({ request, context }: Route.ActionArgs) {
  const answer = await postToAuth({ request, context }, "/sign-out");
  if (!answer.ok) throw data(null, { status: answer.status, headers: relayCookies(answer) });
  tell(context, "You are signed out.");
  return redirectDocument("/sign-in", { status: 303, headers: relayCookies(answer) });
}

import { href, redirect } from "react-router";
import { getVisitor } from "~/features/accounts/session/session.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import type { Route } from "./+types/home";

export async function loader({ context }: Route.LoaderArgs) {
  return redirect((await getVisitor(context)) ? href("/projects") : href("/sign-in"));
}

export const action = methodNotAllowed("GET", "HEAD");

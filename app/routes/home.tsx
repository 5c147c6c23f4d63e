import { href, redirect } from "react-router";
import { visitor } from "~/accounts/session.server";
import type { Route } from "./+types/home";

/** Leads to /projects, or to /sign-in (specification 2). */
export async function loader({ context }: Route.LoaderArgs) {
  return redirect((await visitor(context)) ? href("/projects") : href("/sign-in"));
}

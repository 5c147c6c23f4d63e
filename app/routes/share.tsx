import { href, redirect } from "react-router";
import { getVisitor, redirectToSignIn } from "~/features/accounts/session/session.server";
import { storeShared } from "~/features/uploads/server/shared-files.server";
import type { Route } from "./+types/share";

export async function action({ request, context }: Route.ActionArgs) {
  await storeShared(request, context);
  return redirect(href("/share/images"), 303);
}

export async function loader({ request, context }: Route.LoaderArgs) {
  if (!(await getVisitor(context))) throw redirectToSignIn(request);
  return redirect(href("/share/images"));
}

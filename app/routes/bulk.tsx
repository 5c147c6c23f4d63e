import { redirect } from "react-router";
import { safeRedirectPath } from "~/features/accounts/session/safe-redirect";
import { getVisitor, redirectToSignIn } from "~/features/accounts/session/session.server";
import { BULK_ACTS } from "~/features/selection/bulk/bulk-acts";
import { convexFor } from "~/lib/data/convex.server";
import { textOf } from "~/lib/forms/intents";
import { unsavedResponse } from "~/lib/http/disk-full.server";
import { badForm, checkFieldNames } from "~/lib/http/forms/field-names";
import { readFormData } from "~/lib/http/forms/form.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import type { Route } from "./+types/bulk";

export const loader = methodNotAllowed("POST");

export async function action({ request, context }: Route.ActionArgs) {
  const sent = await readFormData(request);
  checkFieldNames(sent, { once: ["id", "act", "back"] });
  if (!(await getVisitor(context))) throw redirectToSignIn(request);
  const act = textOf(sent, "act");
  if (!Object.hasOwn(BULK_ACTS, act)) throw badForm();
  const mutation = Object.entries(BULK_ACTS).find(([name]) => name === act)?.[1];
  try {
    if (mutation) await convexFor(context).mutation(mutation, { id: textOf(sent, "id") });
  } catch (error) {
    throw unsavedResponse(error) ?? error;
  }
  return redirect(safeRedirectPath(sent.get("back")), 303);
}

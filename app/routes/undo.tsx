import { redirect } from "react-router";
import { safeRedirectPath } from "~/features/accounts/session/safe-redirect";
import { getVisitor, redirectToSignIn } from "~/features/accounts/session/session.server";
import { convexFor } from "~/lib/data/convex.server";
import { DISK_FULL_TEXT, refusalOf } from "~/lib/data/error-responses";
import { textOf } from "~/lib/forms/intents";
import { revertProblem } from "~/lib/forms/undo";
import { isDiskFull, unsavedResponse } from "~/lib/http/disk-full.server";
import { checkFieldNames } from "~/lib/http/forms/field-names";
import { readFormData } from "~/lib/http/forms/form.server";
import { setFlash } from "~/lib/http/middleware/flash.server";
import { methodNotAllowed } from "~/lib/http/middleware/method-not-allowed.server";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/undo";

export const loader = methodNotAllowed("POST");

export async function action({ request, context }: Route.ActionArgs) {
  const sent = await readFormData(request);
  checkFieldNames(sent, { once: ["step", "redo", "back"] });
  if (!(await getVisitor(context))) throw redirectToSignIn(request);
  const step = textOf(sent, "step");
  const isRedo = textOf(sent, "redo") !== "";
  try {
    await convexFor(context).mutation(api.undo.revert, { step });
    setFlash(context, isRedo ? "Redone" : "Undone", { step, redo: !isRedo });
  } catch (error) {
    const refusal = refusalOf(error);
    const isUnstored = isDiskFull(error);
    if (!isUnstored && (!refusal || refusal.code === "unauthenticated")) throw unsavedResponse(error) ?? error;
    setFlash(context, isUnstored ? DISK_FULL_TEXT : revertProblem(error), isUnstored ? { step, redo: isRedo } : undefined);
  }
  return redirect(safeRedirectPath(sent.get("back")), 303);
}

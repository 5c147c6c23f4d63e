import { type ActionFunctionArgs, data, redirect } from "react-router";
import { convexFor } from "~/lib/data/convex.server";
import { setFlash } from "~/lib/http/middleware/flash.server";
import { readFormData } from "~/lib/http/forms/form.server";
import { isDiskFull } from "~/lib/http/disk-full.server";
import { Unavailable } from "~/lib/http/unavailable.server";
import { type FormAnswer, rejectedForm, unansweredForm, unstoredForm, type Unsent } from "./form-result";
import { type FormValues, type Intents, readForm, successText } from "./intents";
import { withoutOpenDialog } from "./dialogs/open-dialog-param";
import { isDocumentRequest } from "./is-document-request.server";
import { randomId } from "~/lib/random-id";

/** Runs a form's intent on the server. Success redirects (303), so that reloading sends nothing twice; a rejection answers 422. */
export const serverAction =
  (intents: Intents, otherFields: readonly string[] = []) =>
  async ({ request, context, url }: ActionFunctionArgs) => {
    const sent = await readFormData(request);
    const { intent, form, values } = readForm(intents, sent, otherFields);
    try {
      const step = randomId();
      const target = await intent.run((mutation, args) => convexFor(context).mutation(mutation, args), values, step);
      if (intent.message) setFlash(context, successText(intent.message, values), intent.isUndoable ? { step, redo: false } : undefined);
      return redirect(target ?? url.pathname + withoutOpenDialog(url.search), 303);
    } catch (error) {
      // The form's page cannot be rendered either, so the error screen shows the form.
      if (error instanceof Unavailable && !isDiskFull(error) && isDocumentRequest(request))
        throw data<Unsent>({ unsent: { action: url.pathname + url.search, fields: textsOf(sent) } }, UNAVAILABLE);
      return data<FormAnswer>(...failedForm(error, form, values));
    }
  };

/** Returns the arguments of `data` for a form whose work failed: 422, 507 or 503. Throws errors that no form can show. */
export function failedForm(error: unknown, form: string, values: FormValues): [FormAnswer, ResponseInit] {
  if (isDiskFull(error)) return [unstoredForm(form, values), DISK_FULL];
  if (error instanceof Unavailable) return [unansweredForm(form, values), UNAVAILABLE];
  const answer = rejectedForm(error, form, values);
  if (!answer) throw error;
  return [answer, UNPROCESSABLE];
}

const UNPROCESSABLE = { status: 422, statusText: "Unprocessable Content" };
const DISK_FULL = { status: 507, statusText: "Insufficient Storage" };
const UNAVAILABLE = { status: 503, statusText: "Service Unavailable" };

function textsOf(sent: FormData): [string, string][] {
  return [...sent].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
}

import { type ActionFunctionArgs, data, redirect } from "react-router";
import { convexFor } from "~/data/convex.server";
import { tell } from "~/http/flash.server";
import { formOf } from "~/http/form.server";
import { Unavailable } from "~/http/unavailable.server";
import { type FormAnswer, refused, unanswered, type Unsent } from "./answer";
import { type Intents, readForm, textOfTold } from "./intents";
import { withoutQuestion } from "./question";

/**
 * A route's action: runs a form's intent on the server. Done, it leads on (303), so that reloading sends nothing twice; refused, it answers
 * 422 with what was typed and the messages beside their fields. `liveAction` is the same for the browser.
 */
export const serverAction =
  (intents: Intents) =>
  async ({ request, context, url }: ActionFunctionArgs) => {
    const sent = await formOf(request);
    const { intent, form, values } = readForm(intents, sent);
    try {
      const target = await intent.run((mutation, args) => convexFor(context).mutation(mutation, args), values);
      if (intent.told) tell(context, textOfTold(intent.told, values), intent.told.undo ? { to: "/trash", name: "Trash" } : undefined);
      return redirect(target ?? url.pathname + withoutQuestion(url.search), 303);
    } catch (error) {
      if (error instanceof Unavailable) {
        // The page that the form stood in cannot be made either: the error screen takes the form over.
        if (isDocument(request)) throw data<Unsent>({ unsent: { action: url.pathname + url.search, fields: textsOf(sent) } }, UNAVAILABLE);
        return data<FormAnswer>(unanswered(form, values), UNAVAILABLE);
      }
      const answer = refused(error, form, values);
      if (!answer) throw error;
      return data<FormAnswer>(answer, { status: 422, statusText: "Unprocessable Content" });
    }
  };

const UNAVAILABLE = { status: 503, statusText: "Service Unavailable" };

/** Sent by the browser itself, not by a script of ours, which asks for data. */
export function isDocument(request: Request): boolean {
  return !new URL(request.url).pathname.endsWith(".data");
}

function textsOf(sent: FormData): [string, string][] {
  return [...sent].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []));
}

import { type ClientActionFunctionArgs, redirect } from "react-router";
import { connectedConvex, lastForm, reconnectingConvex } from "~/lib/data/connection/connection";
import { withJoinedQueries } from "~/lib/data/joined-queries";
import { isServerReady } from "~/lib/data/connection/reach-server";
import { redirectOf, refusalOf } from "~/lib/data/error-responses";
import { acceptedForm, type FormAnswer, rejectedForm, unansweredForm } from "./form-result";
import { announce } from "~/lib/ui/overlays/announcer";
import { offerUndo } from "~/lib/forms/undo";
import { randomId } from "~/lib/random-id";
import { toast } from "~/lib/ui/overlays/toasts";
import { type FormValues, type Intent, type Intents, readForm, successText } from "./intents";
import { MENU_FORM } from "./dialogs/menu-forms";

/** Runs an intent over the websocket with its optimistic update. While disconnected, uses the app server, or queues the mutation. */
export const liveAction =
  (intents: Intents, otherFields: readonly string[] = []) =>
  async ({ request, serverAction }: ClientActionFunctionArgs): Promise<FormAnswer | Response | undefined> => {
    const { intent, form, values } = readForm(intents, await request.clone().formData(), otherFields);
    const overHttp = async () => {
      lastForm.isOverHttp = true;
      const answer = await serverAction<FormAnswer | undefined>().catch((error: unknown) => {
        if (error instanceof TypeError) return unansweredForm(form, values);
        throw error;
      });
      if (answer && form.startsWith(MENU_FORM)) toastProblem(answer);
      return answer;
    };

    const convex = reconnectingConvex();
    // Checked before sending, because it is unknown whether a lost request ran.
    if (!convex || (!connectedConvex() && (await isServerReady()))) return overHttp();
    lastForm.isOverHttp = false;
    const sentFrom = currentPath();
    try {
      const step = randomId();
      const running = intent.run(
        (mutation, args, optimistic) => convex.mutation(mutation, args, optimistic && { optimisticUpdate: withJoinedQueries(optimistic) }),
        values,
        step,
      );
      showMessage(intent, values, { id: step, done: running });
      const target = await running;
      return target === null || target === currentPath() || currentPath() !== sentFrom ? acceptedForm(form) : redirect(target);
    } catch (error) {
      if (refusalOf(error)?.code === "unauthenticated") return overHttp();
      const target = redirectOf(error);
      if (target !== null) return redirect(target);
      const answer = rejectedForm(error, form, values);
      if (!answer) throw error;
      if (form.startsWith(MENU_FORM)) toastProblem(answer);
      return answer;
    }
  };

const currentPath = () => location.pathname + location.search;

function toastProblem({ result }: FormAnswer): void {
  if (result.status !== "error") return;
  void toast(
    Object.values(result.error ?? {})
      .flat()
      .join(" "),
  );
}

function showMessage({ message, isUndoable }: Intent, values: FormValues, { id, done }: { id: string; done: Promise<unknown> }): void {
  if (!message) return;
  const text = successText(message, values);
  // Registered at once: Ctrl+Z may follow before a module is loaded.
  if (isUndoable) void offerUndo({ id, text, done });
  else void done.then(() => (message.quietly ? announce(text) : toast(text))).catch(() => {});
}

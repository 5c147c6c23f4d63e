import { type ClientActionFunctionArgs, redirect } from "react-router";
import { connectedConvex, reconnectingConvex } from "~/data/connection";
import { redirectOf, refusalOf } from "~/data/refusals";
import { accepted, type FormAnswer, refused, unanswered } from "./answer";
import { announce } from "~/ui/announcer";
import { toast } from "~/ui/toasts";
import { type FormValues, idsIn, type Intents, readForm, textOfTold, type Told } from "./intents";
import { MENU_FORM } from "./menu-action";

/**
 * A route's clientAction: runs the same intent as the route's action, over the websocket and with its optimistic update. Nothing is posted and
 * no loader runs again, since the live answers bring what changed. Without a connection the form takes the server's way; where no server could
 * take it either, it waits in the client, shown as if it were done, and goes out when the connection is back: once, as all that the client sends.
 */
export const liveAction =
  (intents: Intents) =>
  async ({ request, serverAction }: ClientActionFunctionArgs): Promise<FormAnswer | Response | undefined> => {
    const { intent, form, values } = readForm(intents, await request.clone().formData());
    const overHttp = () =>
      serverAction<FormAnswer | undefined>().catch((error: unknown) => {
        // The request itself failed: there is no network.
        if (error instanceof TypeError) return unanswered(form, values);
        throw error;
      });

    const convex = reconnectingConvex();
    if (!convex || (!connectedConvex() && (await serverIsReady()))) return overHttp();
    const sentFrom = here();
    try {
      const running = intent.run(
        (mutation, args, optimistic) => convex.mutation(mutation, args, optimistic && { optimisticUpdate: optimistic }),
        values,
      );
      say(intent.told, values, running);
      const target = await running;
      // Whoever has gone elsewhere while it waited is not called back.
      return target === null || target === here() || here() !== sentFrom ? accepted(form) : redirect(target);
    } catch (error) {
      // The session has ended: the server knows the way to sign in.
      if (refusalOf(error)?.code === "unauthenticated") return overHttp();
      const target = redirectOf(error);
      if (target !== null) return redirect(target);
      const answer = refused(error, form, values);
      if (!answer) throw error;
      if (form.startsWith(MENU_FORM))
        void toast(
          Object.values(answer.result.error ?? {})
            .flat()
            .join(" "),
        );
      return answer;
    }
  };

const here = () => location.pathname + location.search;

/**
 * Whether the app's server could take a form, and the deployment behind it. Asked before a form is given to it: of one that was lost on the way
 * nobody knows whether it was taken.
 */
async function serverIsReady(): Promise<boolean> {
  if (!navigator.onLine) return false;
  return fetch("/readyz", { cache: "no-store" }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Says that it is done, once it is; a refusal is told in the form. */
function say(told: Told | undefined, values: FormValues, done: Promise<unknown>): void {
  if (!told) return;
  const text = textOfTold(told, values);
  if (told.undo) void import("~/trash/undo").then(({ offerUndo }) => offerUndo(text, idsIn(values), done));
  else void done.then(() => (told.quietly ? announce(text) : toast(text))).catch(() => {});
}

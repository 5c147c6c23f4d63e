import { type ClientActionFunctionArgs, redirect } from "react-router";
import { connectedConvex } from "~/data/browser";
import { redirectOf, refusalOf } from "~/data/refusals";
import { accepted, type FormAnswer, refused, unanswered } from "./answer";
import { type Intents, readForm } from "./intents";

/**
 * A route's clientAction: runs the same intent as the route's action, over the websocket and with its optimistic update. Nothing is posted and
 * no loader runs again, since the live answers bring what changed. Without a connection the form takes the server's way.
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

    const convex = connectedConvex();
    if (!convex) return overHttp();
    try {
      const target = await intent.run(
        (mutation, args, optimistic) => convex.mutation(mutation, args, optimistic && { optimisticUpdate: optimistic }),
        values,
      );
      return target === null || target === location.pathname + location.search ? accepted(form) : redirect(target);
    } catch (error) {
      // The session has ended: the server knows the way to sign in.
      if (refusalOf(error)?.code === "unauthenticated") return overHttp();
      const target = redirectOf(error);
      if (target !== null) return redirect(target);
      const answer = refused(error, form, values);
      if (!answer) throw error;
      return answer;
    }
  };

import { type ActionFunctionArgs, data } from "react-router";
import { serverAction } from "~/forms/action.server";
import type { FormAnswer } from "~/forms/answer";
import { INTENT_FIELD, type Intents, listOf } from "~/forms/intents";
import { formOf } from "~/http/form.server";
import { CHOSEN_FIELD } from "./address";
import { ASK_WHERE } from "./selection-bar";

/**
 * The action of a page that asks where to all that was chosen is to go. What was chosen comes in a form, as it is too long for an address: so the
 * page is made of what the form brings (`ask`), and again where the moving is refused.
 */
export async function askedWhere<Asked>(
  args: ActionFunctionArgs,
  intents: Intents,
  ask: (sent: FormData, ids: string[]) => Promise<Asked>,
) {
  const sent = await formOf(args.request);
  const ids = listOf(sent, CHOSEN_FIELD);
  if (sent.get(INTENT_FIELD) === ASK_WHERE) return { where: await ask(sent, ids) };
  const answer = await serverAction(intents)(args);
  if (answer instanceof Response) return answer;
  return data<FormAnswer & { where: Asked }>({ ...answer.data, where: await ask(sent, ids) }, answer.init ?? undefined);
}

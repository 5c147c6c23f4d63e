import { type ActionFunctionArgs, data } from "react-router";
import { serverAction } from "~/lib/forms/action.server";
import type { FormAnswer } from "~/lib/forms/form-result";
import { checkFields, INTENT_FIELD, type Intents, listOf } from "~/lib/forms/intents";
import { readFormData } from "~/lib/http/forms/form.server";
import { CHOSEN_FIELD, SELECTION_FIELDS } from "./address";
import { DESTINATION_PARAM } from "./selection-bar";

/** The selection is posted, being too long for a URL; a rejected move shows the page again. `others` are the page's further fields. */
export async function requestedDestination<Destination>(
  args: ActionFunctionArgs,
  intents: Intents,
  ask: (sent: FormData, ids: string[]) => Promise<Destination>,
  others: readonly string[] = [],
) {
  const sent = await readFormData(args.request);
  const names = [...SELECTION_FIELDS, ...others];
  checkFields(intents, sent, names);
  const ids = listOf(sent, CHOSEN_FIELD);
  if (sent.get(INTENT_FIELD) === DESTINATION_PARAM) return { where: await ask(sent, ids) };
  const answer = await serverAction(intents, names)(args);
  if (answer instanceof Response) return answer;
  return data<FormAnswer & { where: Destination }>({ ...answer.data, where: await ask(sent, ids) }, answer.init ?? undefined);
}

import { type ActionFunctionArgs, data } from "react-router";
import { serverAction } from "~/lib/forms/action.server";
import type { FormAnswer } from "~/lib/forms/form-result";
import { checkFields, type FormValues, INTENT_FIELD, type IntentName, type Intents, listOf, textOf } from "~/lib/forms/intents";
import { readFormData } from "~/lib/http/forms/form.server";
import { SELECTED_FIELD, DESTINATION_PARAM, SELECTION_FIELDS } from "../address";
import { countIn, WHOLE_FIELDS, WHOLE_LISTS } from "../whole-selection";

type Selected = { count: number; fields: FormValues; place: string | undefined };

const PLACE = /^\/(?:design|projects)\/([^/?]+)(?:\?|$)/;

function selectedIn(sent: FormData): Selected {
  const lists = Object.fromEntries([SELECTED_FIELD, ...WHOLE_LISTS].map((name) => [name, listOf(sent, name)]));
  const texts = Object.fromEntries(WHOLE_FIELDS.filter((name) => sent.has(name)).map((name) => [name, textOf(sent, name)]));
  const back = textOf(sent, "back");
  const fields: FormValues = { ...lists, ...texts, ...(back !== "" && { back }) };
  return { count: countIn(fields), fields, place: PLACE.exec(back)?.[1] };
}

const CREATIONS = new Set<unknown>(["createDesign", "createProject"] satisfies IntentName[]);

const isCreation = (sent: FormData): boolean => CREATIONS.has(sent.get(INTENT_FIELD));

/** Reads a posted selection, which can be too long for a URL. After a rejection or a new destination, the page is shown again. */
export async function destinationAction<Destination>(
  args: ActionFunctionArgs,
  intents: Intents,
  loadDestination: (sent: FormData, ids: string[], selected: Selected) => Promise<Destination>,
  otherFields: readonly string[] = [],
) {
  const sent = await readFormData(args.request);
  const names = [...SELECTION_FIELDS, ...otherFields];
  checkFields(intents, sent, names);
  const ids = listOf(sent, SELECTED_FIELD);
  const selected = selectedIn(sent);
  if (sent.get(INTENT_FIELD) === DESTINATION_PARAM) return { where: await loadDestination(sent, ids, selected) };
  const answer = await serverAction(intents, names)(args);
  if (answer instanceof Response) return isCreation(sent) ? { where: await loadDestination(sent, ids, selected) } : answer;
  return data<FormAnswer & { where: Destination }>(
    { ...answer.data, where: await loadDestination(sent, ids, selected) },
    answer.init ?? undefined,
  );
}

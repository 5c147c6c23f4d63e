import type { OptimisticUpdate } from "convex/browser";
import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";
import { data } from "react-router";
import { count } from "~/ui/count";

type Mutation = FunctionReference<"mutation">;

/** Runs a mutation: over the websocket in the browser, over HTTP on the server. */
export type RunMutation = <M extends Mutation>(
  mutation: M,
  args: FunctionArgs<M>,
  optimistic: OptimisticUpdate<FunctionArgs<M>> | undefined,
) => Promise<FunctionReturnType<M>>;

/**
 * What is said once it is done: a toast, or a banner without scripts. `quietly`: with scripts it is seen where it happens, and only a screen
 * reader says it.
 */
export type Told = {
  text: string;
  /** What each of the form's `ids` is: the text then begins with how many there were. */
  each?: string;
  quietly?: true;
  /** What the form's `id`, or its `ids`, names went to the trash, from which it can be had back at once. */
  undo?: true;
};

/** What is said of a form that was done. */
export const textOfTold = ({ text, each }: Told, values: FormValues): string =>
  each === undefined ? text : `${count(idsIn(values).length, each)} ${text}`;

/** What a form was about: one thing, or several. */
export const idsIn = (values: FormValues): string[] => listIn(values["ids"] ?? values["id"] ?? "");

/** What a form can ask for; made by `intent`, and the same for both ways that a form can take. */
export type Intent = {
  fields: readonly string[];
  told?: Told | undefined;
  /** Answers where to go afterwards; null: stay. */
  run(run: RunMutation, values: FormValues): Promise<string | null>;
};

/** A room's intents by their names, as they stand in the form's field `intent`. */
export type Intents = Readonly<Record<string, Intent>>;

/** The fields of a form as they were typed. */
export type FormValues = Readonly<Record<string, string>>;

type IntentSpec<M extends Mutation, Field extends string> = {
  mutation: M;
  /** The form's fields that are read; one that is missing reads as empty. */
  fields: readonly Field[];
  args: (of: (field: Field) => string) => FunctionArgs<M>;
  /** What the visitor sees until the deployment has answered. */
  optimistic?: OptimisticUpdate<FunctionArgs<M>>;
  /** Where to go when it is done; without it the page stays. */
  then?: (result: FunctionReturnType<M>, args: FunctionArgs<M>) => string;
  /** What to say when it is done. */
  told?: Told;
};

/**
 * Describes one thing that a form can do: once, for both of its ways. The rules for the fields are not here: the mutation checks them.
 *
 * @example
 * rename: intent({ mutation: api.projects.rename, fields: ["id", "name"], args: (of) => ({ id: of("id"), name: of("name") }) })
 */
export function intent<M extends Mutation, const Field extends string>(spec: IntentSpec<M, Field>): Intent {
  const { mutation, fields, args: toArgs, optimistic, then, told } = spec;
  return {
    fields,
    told,
    async run(run, values) {
      const args = toArgs((field) => values[field] ?? "");
      const result = await run(mutation, args, optimistic);
      return then ? then(result, args) : null;
    },
  };
}

/** The field that names the intent, and the one that names the form, so that the answer stands under the form that was sent. */
export const INTENT_FIELD = "intent";
export const FORM_FIELD = "form";

/** The value of a button that says what a form asks for, and some of its fields: so that one form serves several buttons. */
export const intentWith = (intent: string, values: FormValues): string => `${intent}?${new URLSearchParams(values)}`;

/** Reads a sent form. Throws 400 for an intent that this route does not know. */
export function readForm(intents: Intents, sent: FormData): { intent: Intent; form: string; values: FormValues } {
  const [name = "", pressed] = textOf(sent, INTENT_FIELD).split("?", 2);
  const known = Object.hasOwn(intents, name) ? intents[name] : undefined;
  if (!known) throw data(null, { status: 400, statusText: "Bad Request" });
  const ofButton = new URLSearchParams(pressed);
  const values = Object.fromEntries(known.fields.map((field) => [field, ofButton.get(field) ?? textOf(sent, field)]));
  return { intent: known, form: textOf(sent, FORM_FIELD), values };
}

/** A field that is sent several times, as check boxes are, reads as a list of its values: with commas, which no id has. */
function textOf(sent: FormData, field: string): string {
  return sent
    .getAll(field)
    .filter((value) => typeof value === "string")
    .join(",");
}

/** The values of a field that is sent several times. */
export const listOf = (sent: FormData, field: string): string[] => listIn(textOf(sent, field));

/** The values of such a field as an intent gets it. */
export const listIn = (text: string): string[] => text.split(",").filter((each) => each !== "");

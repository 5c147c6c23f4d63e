import type { OptimisticUpdate } from "convex/browser";
import type { FunctionArgs, FunctionReference, FunctionReturnType } from "convex/server";
import { badForm, checkFieldNames } from "~/lib/http/forms/field-names";
import { count } from "~/lib/ui/count";

type Mutation = FunctionReference<"mutation">;

/** Each feature adds its table of intents, so that a misspelt intent does not compile. */
export interface IntentTables {}

export type NamesOf<Table> = Table extends unknown ? Extract<keyof Table, string> : never;

export type IntentName = NamesOf<IntentTables[keyof IntentTables]>;

export type RunMutation = <M extends Mutation>(
  mutation: M,
  args: FunctionArgs<M>,
  optimistic: OptimisticUpdate<FunctionArgs<M>> | undefined,
) => Promise<FunctionReturnType<M>>;

/** The message after success. `quietly`: only screen readers announce it. */
export type SuccessMessage = {
  text: string | ((values: FormValues) => string);
  each?: string;
  quietly?: true;
};

export function successText({ text, each }: SuccessMessage, values: FormValues): string {
  const messageText = typeof text === "string" ? text : text(values);
  return each === undefined ? messageText : `${count(idsIn(values).length, each)} ${messageText}`;
}

const idsIn = ({ ids, id }: FormValues): string[] => [ids ?? id ?? []].flat();

export type Intent = {
  fields: readonly string[];
  lists: readonly string[];
  optional: readonly string[];
  message?: SuccessMessage | undefined;
  isUndoable: boolean;
  /** Returns the next address, or null to stay. `step` names the change for undo. */
  run(run: RunMutation, values: FormValues, step?: string): Promise<string | null>;
};

export type Intents = Readonly<Record<string, Intent>>;

export type FormValues = Readonly<Record<string, string | string[]>>;

type ValuesOf<Field extends string, List extends string, Optional extends string> = Readonly<
  Record<Field, string> & Record<List, string[]> & Partial<Record<Optional, string>>
>;

type IntentSpec<M extends Mutation, Field extends string, List extends string, Optional extends string> = {
  mutation: M;
  fields?: readonly Field[];
  lists?: readonly List[];
  optional?: readonly Optional[];
  args: (values: ValuesOf<Field, List, Optional>) => FunctionArgs<M>;
  optimistic?: OptimisticUpdate<FunctionArgs<M>>;
  then?: (result: FunctionReturnType<M>, args: FunctionArgs<M>, values: ValuesOf<Field, List, Optional>) => string | null;
  message?: SuccessMessage;
  undo?: true;
};

export function intent<
  M extends Mutation,
  const Field extends string = never,
  const List extends string = never,
  const Optional extends string = never,
>(spec: IntentSpec<M, Field, List, Optional>): Intent {
  const { mutation, fields = [], lists = [], optional = [], args: toArgs, optimistic, then, message, undo = false } = spec;
  const isComplete = (values: FormValues): values is ValuesOf<Field, List, Optional> =>
    fields.every((field) => typeof values[field] === "string") && lists.every((list) => Array.isArray(values[list]));
  return {
    fields,
    lists,
    optional,
    message,
    isUndoable: undo,
    async run(run, values, step) {
      if (!isComplete(values)) throw badForm();
      const args = undo && step !== undefined ? { ...toArgs(values), step } : toArgs(values);
      const result = await run(mutation, args, optimistic);
      return then ? then(result, args, values) : null;
    },
  };
}

export const withRedirect = <const Field extends string>(
  intent: Intent,
  fields: readonly Field[],
  address: (value: (field: Field) => string) => string,
): Intent => ({
  ...intent,
  fields: [...intent.fields, ...fields],
  async run(run, values, step) {
    await intent.run(run, values, step);
    return address((field) => encodeURIComponent(String(values[field] ?? "")));
  },
});

export const INTENT_FIELD = "intent";
export const FORM_FIELD = "form";

/** Encodes an intent and fields in a button's value, so that one form serves several buttons. */
export const intentWith = (intent: IntentName, values: Readonly<Record<string, string>>): string =>
  `${intent}?${new URLSearchParams(values)}`;

/** Throws 400 for unknown or repeated fields. One form can have the fields of several intents. */
export function checkFields(intents: Intents, sent: FormData, otherFields: readonly string[] = []): void {
  const all = Object.values(intents);
  checkFieldNames(sent, {
    once: [INTENT_FIELD, FORM_FIELD, ...all.flatMap(({ fields, optional }) => [...fields, ...optional]), ...otherFields],
    repeated: all.flatMap(({ lists }) => lists),
  });
}

/** Throws 400 for an unknown intent or invalid fields. */
export function readForm(
  intents: Intents,
  sent: FormData,
  otherFields: readonly string[] = [],
): { intent: Intent; form: string; values: FormValues } {
  checkFields(intents, sent, otherFields);
  const [name = "", pressed] = textOf(sent, INTENT_FIELD).split("?", 2);
  const intent = Object.hasOwn(intents, name) ? intents[name] : undefined;
  if (!intent) throw badForm();
  const ofButton = new URLSearchParams(pressed);
  checkFieldNames(ofButton, { once: intent.fields });
  const values = Object.fromEntries<string | string[]>([
    ...intent.fields.map((field) => [field, ofButton.get(field) ?? textOf(sent, field)] as const),
    ...intent.lists.map((field) => [field, listOf(sent, field)] as const),
    ...intent.optional.filter((field) => sent.has(field)).map((field) => [field, textOf(sent, field)] as const),
  ]);
  return { intent, form: textOf(sent, FORM_FIELD), values };
}

export function textOf(sent: FormData, field: string): string {
  const value = sent.get(field);
  return typeof value === "string" ? value : "";
}

export const listOf = (sent: FormData, field: string): string[] =>
  sent.getAll(field).filter((value): value is string => typeof value === "string" && value !== "");

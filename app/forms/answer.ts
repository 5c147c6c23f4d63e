import type { SubmissionResult } from "@conform-to/react";
import { refusalOf } from "~/data/refusals";
import type { FormValues } from "./intents";

/** What a form gets back when it did not lead on: whose form it was, and what is to be told, in conform's terms. */
export type FormAnswer = { form: string; result: SubmissionResult };

/** conform's name for what concerns a form as a whole. */
const WHOLE_FORM = "";

/** A refused form: what was typed, and the messages beside their fields. Null when the error is no refusal, but a fault. */
export function refused(error: unknown, form: string, values: FormValues): FormAnswer | null {
  const refusal = refusalOf(error);
  switch (refusal?.code) {
    case "invalid":
      return answer(form, values, besideShownFields(refusal.fieldErrors ?? {}, values, refusal.message));
    case "conflict":
    case "limit":
      return answer(form, values, { [WHOLE_FORM]: [refusal.message ?? "This cannot be done at the moment."] });
    case "not_found":
      return answer(form, values, { [WHOLE_FORM]: ["This is no longer here. Somebody may have deleted it meanwhile."] });
    default:
      return null;
  }
}

/** For when nobody can tell whether it was done, or it surely was not. */
export function unanswered(form: string, values: FormValues): FormAnswer {
  return answer(form, values, { [WHOLE_FORM]: ["The server does not answer. What you typed is still here: try again in a moment."] });
}

export function accepted(form: string): FormAnswer {
  return { form, result: { status: "success" } };
}

function answer(form: string, values: FormValues, error: Record<string, string[]>): FormAnswer {
  return { form, result: { status: "error", initialValue: { ...values }, error } };
}

/** A message about something that is no field of this form must not get lost: it stands over the form. */
function besideShownFields(errors: Record<string, string[]>, values: FormValues, message: string | undefined): Record<string, string[]> {
  const beside: Record<string, string[]> = message ? { [WHOLE_FORM]: [message] } : {};
  for (const [field, messages] of Object.entries(errors))
    (beside[Object.hasOwn(values, field) ? field : WHOLE_FORM] ??= []).push(...messages);
  return beside;
}

/** What an error screen needs to send a form again that could not be taken: by hand of a browser without scripts, whose page is gone. */
export type Unsent = { unsent: { action: string; fields: [string, string][] } };

export function isUnsent(value: unknown): value is Unsent {
  return typeof value === "object" && value !== null && "unsent" in value;
}

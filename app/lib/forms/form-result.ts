import type { SubmissionResult } from "@conform-to/react";
import { DISK_FULL_TEXT, refusalOf } from "~/lib/data/error-responses";
import type { FormValues } from "./intents";

export type FormAnswer = { form: string; result: SubmissionResult; current?: string };

const WHOLE_FORM = "";

export function rejectedForm(error: unknown, form: string, values: FormValues): FormAnswer | null {
  const refusal = refusalOf(error);
  switch (refusal?.code) {
    case "invalid":
      return answer(form, values, errorsByField(refusal.fieldErrors ?? {}, values, refusal.message));
    case "conflict":
    case "limit":
      if (refusal.current !== undefined) return { ...answer(form, values, {}), current: refusal.current };
      return answer(form, values, { [WHOLE_FORM]: [refusal.message ?? "This action is not available right now."] });
    case "not_found":
      return answer(form, values, { [WHOLE_FORM]: ["This item no longer exists, or you can no longer change it."] });
    default:
      return null;
  }
}

export function unansweredForm(form: string, values: FormValues): FormAnswer {
  return answer(form, values, { [WHOLE_FORM]: ["The server is not responding. Your input is kept. Try again in a moment."] });
}

export function unstoredForm(form: string, values: FormValues): FormAnswer {
  return answer(form, values, { [WHOLE_FORM]: [DISK_FULL_TEXT] });
}

export function acceptedForm(form: string): FormAnswer {
  return { form, result: { status: "success" } };
}

function answer(form: string, values: FormValues, error: Record<string, string[]>): FormAnswer {
  return { form, result: { status: "error", initialValue: { ...values }, error } };
}

function errorsByField(errors: Record<string, string[]>, values: FormValues, message: string | undefined): Record<string, string[]> {
  const beside: Record<string, string[]> = message ? { [WHOLE_FORM]: [message] } : {};
  for (const [field, messages] of Object.entries(errors))
    (beside[Object.hasOwn(values, field) ? field : WHOLE_FORM] ??= []).push(...messages);
  return beside;
}

export type Unsent = { unsent: { action: string; fields: [string, string][] } };

export function isUnsent(value: unknown): value is Unsent {
  return typeof value === "object" && value !== null && "unsent" in value;
}

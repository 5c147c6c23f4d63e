import type { FormMetadata, SubmissionResult, useForm } from "@conform-to/react";
import { useLayoutEffect, useRef, useState } from "react";
import type { FormField } from "./fields/field-props";

export type Constraint = Parameters<typeof useForm>[0]["constraint"];

type AnsweredFormOptions = {
  id: string;
  answer: SubmissionResult | undefined;
  constraint?: Constraint;
  defaultValue?: Record<string, string> | undefined;
};

export type AnsweredForm = Pick<FormMetadata, "id" | "errorId" | "errors" | "allErrors">;

/** Replaces conform's `useForm` for server-side validation, which keeps 9 KiB out of the first load (docs/decisions/092-bundle-size.md). */
export function useAnsweredForm({ id, answer, constraint = {}, defaultValue = {} }: AnsweredFormOptions) {
  const begin = () => ({ id, values: answer?.initialValue ?? defaultValue, last: answer });
  const [shown, setShown] = useState(begin);
  if (shown.id !== id) setShown(begin);
  else if (answer && answer !== shown.last) setShown({ ...shown, last: answer });

  const allErrors: Record<string, string[]> = {};
  for (const [name, errors] of Object.entries(shown.last?.error ?? {})) if (errors) allErrors[name] = errors;
  useEnterRefused(id, shown.last, allErrors);

  const form: AnsweredForm = { id, errorId: `${id}-error`, errors: allErrors[""], allErrors };
  const fieldOf = (name: string): FormField => {
    const fieldId = `${id}-${name}`;
    const own = { id: fieldId, name, formId: id, errorId: `${fieldId}-error`, errors: allErrors[name], initialValue: shown.values[name] };
    return { ...constraint[name], ...own };
  };
  const fields: Record<string, FormField> = new Proxy({}, { get: (_, name) => (typeof name === "string" ? fieldOf(name) : undefined) });
  return [form, fields] as const;
}

/** Returns a form's props, like conform's `getFormProps`. Browser validation would hide the server's messages. */
export const formProps = ({ id, errors, errorId }: AnsweredForm) => ({
  id,
  noValidate: true,
  ...(errors && { "aria-describedby": errorId }),
});

function useEnterRefused(id: string, answer: SubmissionResult | undefined, errors: Record<string, string[]>): void {
  const seen = useRef(answer);
  useLayoutEffect(() => {
    if (answer === seen.current) return;
    seen.current = answer;
    const form = document.getElementById(id);
    if (answer?.status !== "error" || !(form instanceof HTMLFormElement)) return;
    const refused = [...form.elements].find((element) => isField(element) && errors[element.name]);
    if (refused instanceof HTMLElement) refused.focus();
  });
}

const isField = (element: Element): element is HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;

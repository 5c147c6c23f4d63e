import type { FormMetadata, SubmissionResult, useForm } from "@conform-to/react";
import { useLayoutEffect, useRef, useState } from "react";
import type { FormField } from "./field-props";

/** HTML's attributes for a form's fields, made by the loader from the server's rules (`getZodConstraint`). */
export type Constraint = Parameters<typeof useForm>[0]["constraint"];

type AnsweredFormOptions = {
  id: string;
  /** The action's answer, in conform's terms, when the form did not lead on. */
  answer: SubmissionResult | undefined;
  constraint?: Constraint;
  /** What the fields hold at first. */
  defaultValue?: Record<string, string> | undefined;
};

/** What concerns a form as a whole. */
export type AnsweredForm = Pick<FormMetadata, "id" | "errorId" | "errors" | "allErrors">;

/**
 * What conform's `useForm` is for a form that the server alone judges: its answer beside the fields, what was typed kept, and the first field that was refused
 * entered. Nothing is judged in the browser, so conform's code for that, 9 KiB, is in no page's first load (docs/decisions/092-files-that-travel-together.md).
 */
export function useAnsweredForm({ id, answer, constraint = {}, defaultValue = {} }: AnsweredFormOptions) {
  const begin = () => ({ id, values: answer?.initialValue ?? defaultValue, last: answer });
  const [told, tell] = useState(begin);
  // Another form in this one's place begins anew; an answer stands until the next.
  if (told.id !== id) tell(begin);
  else if (answer && answer !== told.last) tell({ ...told, last: answer });

  const allErrors: Record<string, string[]> = {};
  for (const [name, errors] of Object.entries(told.last?.error ?? {})) if (errors) allErrors[name] = errors;
  useEnterRefused(id, told.last, allErrors);

  const form: AnsweredForm = { id, errorId: `${id}-error`, errors: allErrors[""], allErrors };
  const fieldOf = (name: string): FormField => {
    const fieldId = `${id}-${name}`;
    const own = { id: fieldId, name, formId: id, errorId: `${fieldId}-error`, errors: allErrors[name], initialValue: told.values[name] };
    return { ...constraint[name], ...own };
  };
  const fields: Record<string, FormField> = new Proxy({}, { get: (_, name) => (typeof name === "string" ? fieldOf(name) : undefined) });
  return [form, fields] as const;
}

/** The form element's attributes, by conform's rules (`getFormProps`): the server's messages stand beside the fields, and the browser's would hide them. */
export const formProps = ({ id, errors, errorId }: AnsweredForm) => ({
  id,
  noValidate: true,
  ...(errors && { "aria-describedby": errorId }),
});

/** When an answer comes, the first field of the form that it refuses has the focus. The one that a page was loaded with finds it there (`autoFocus`). */
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

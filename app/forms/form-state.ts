import type { SubmissionResult } from "@conform-to/react";
import { type InputHTMLAttributes, useLayoutEffect, useRef, useState } from "react";

/** HTML's attributes by the fields' names, as `getZodConstraint` makes them from the server's rules. */
export type Constraint = Record<string, Rule | undefined>;
type Rule = {
  required?: boolean | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  pattern?: string | undefined;
};

/** A field of a form, for the control that it is typed into. */
export type FieldState = Rule & {
  id: string;
  name: string;
  /** Another one once the form was emptied: the control starts anew. */
  key: string | undefined;
  errorId: string;
  errors: string[] | undefined;
  initialValue: unknown;
};

export type FormState = {
  id: string;
  errorId: string;
  /** What concerns the form as a whole. */
  errors: string[] | undefined;
  /** By the fields' names, in the order in which the server told them; "" is the whole form. */
  allErrors: Readonly<Record<string, string[]>>;
};

type FormOptions = {
  id: string;
  /** conform's answer to the form when it was sent last. */
  lastResult: SubmissionResult | undefined;
  constraint?: Constraint | undefined;
  defaultValue?: Record<string, string> | undefined;
};

type Shown = {
  of: string;
  result: SubmissionResult | undefined;
  errors: Record<string, string[]>;
  initial: Record<string, unknown>;
  /** How often it was emptied. */
  round: number;
};

/**
 * A form's state in conform's terms: what its fields hold at first, and what the last answer says of them. conform's own hook (9 KiB in each
 * page's first load) also judges fields in the browser and keeps lists of them; our rules are the server's alone, and our forms are flat.
 */
export function useFormState({ id, lastResult, constraint = {}, defaultValue = {} }: FormOptions): [FormState, Record<string, FieldState>] {
  const [shown, show] = useState<Shown>(() => ({
    of: id,
    result: lastResult,
    errors: errorsIn(lastResult, {}),
    initial: lastResult?.initialValue ?? defaultValue,
    round: 0,
  }));
  const empty = { of: id, result: lastResult, errors: {}, initial: defaultValue, round: shown.round + 1 };
  let now = shown;
  if (shown.of !== id) now = empty;
  else if (lastResult && lastResult !== shown.result)
    now = lastResult.initialValue === null ? empty : { ...shown, result: lastResult, errors: errorsIn(lastResult, shown.errors) };
  if (now !== shown) show(now);

  // A refusal that came with the page is not for here: its field has `autofocus`.
  const { result, errors, initial, round } = now;
  const told = useRef(result);
  useLayoutEffect(() => {
    if (result === told.current) return;
    told.current = result;
    if (result?.status === "error") focusFirst(id, errors);
  }, [id, result, errors]);

  const fields = new Proxy<Record<string, FieldState>>(
    {},
    {
      get: (_, name) =>
        typeof name === "string"
          ? {
              ...constraint[name],
              id: `${id}-${name}`,
              name,
              key: round > 0 ? `${round}/${name}` : undefined,
              errorId: `${id}-${name}-error`,
              errors: errors[name],
              initialValue: initial[name],
            }
          : undefined,
    },
  );
  return [{ id, errorId: `${id}-error`, errors: errors[""], allErrors: errors }, fields];
}

/** What is told of each field; `null` is conform's word for "as before". */
function errorsIn(result: SubmissionResult | undefined, before: Record<string, string[]>): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  for (const [name, told] of Object.entries(result?.error ?? {})) {
    const messages = told ?? before[name];
    if (messages) errors[name] = messages;
  }
  return errors;
}

function focusFirst(id: string, errors: Record<string, string[]>): void {
  for (const element of document.forms.namedItem(id)?.elements ?? [])
    if (element instanceof HTMLElement && errors[element.getAttribute("name") ?? ""]) return element.focus();
}

/** The attributes of the form element itself. Nothing is judged by the browser, whose messages are not ours. */
export function formProps({ id, errors, errorId }: FormState) {
  return { id, noValidate: true, ...(errors && { "aria-describedby": errorId }) };
}

/** The attributes of a field's control; `key` is to be given apart, as React wants it. */
export function inputProps(
  field: FieldState,
  type: "text" | "email" | "password" | "checkbox",
): InputHTMLAttributes<HTMLInputElement> & { id: string; name: string } {
  const { id, name, required, minLength, maxLength, pattern, errors, errorId, initialValue } = field;
  return {
    id,
    name,
    type,
    ...(required && { required }),
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && { pattern }),
    ...(errors && { "aria-invalid": true, "aria-describedby": errorId }),
    ...(type === "checkbox"
      ? { value: "on", defaultChecked: initialValue === "on" }
      : typeof initialValue === "string" && { defaultValue: initialValue }),
  };
}

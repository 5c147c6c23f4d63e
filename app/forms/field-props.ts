/** What is told of a field to who draws it: as conform tells it, and forms that the server alone judges (`answered-form.ts`). */
export type FormField = {
  id: string;
  name: string;
  formId: string;
  errorId: string;
  errors?: string[] | undefined;
  initialValue?: unknown;
  required?: boolean | undefined;
  minLength?: number | undefined;
  pattern?: string | undefined;
};

/**
 * A text field's attributes, by conform's rules (`getInputProps`), without its code: a page's first load has this alone. The rule for the greatest
 * length is left to the answer: as an attribute it would cut a long text silently while it is pasted.
 */
export function inputProps(field: FormField) {
  const { required, minLength, pattern, initialValue } = field;
  return {
    ...common(field),
    ...(required && { required }),
    ...(minLength !== undefined && { minLength }),
    ...(pattern !== undefined && { pattern }),
    ...(typeof initialValue === "string" && initialValue !== "" && { defaultValue: initialValue }),
  };
}

/** A check box's attributes; it sends `on`. */
export function checkboxProps(field: FormField) {
  return { ...common(field), type: "checkbox", value: "on", defaultChecked: field.initialValue === "on" };
}

const common = ({ id, name, formId, errorId, errors }: FormField) => ({
  id,
  name,
  form: formId,
  ...(errors && { "aria-invalid": true, "aria-describedby": errorId }),
});

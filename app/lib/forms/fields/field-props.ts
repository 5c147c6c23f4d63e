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

/** Mirrors conform's `getInputProps` without loading it. Omits maxLength, which would silently cut pasted text. */
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

export function checkboxProps(field: FormField) {
  return { ...common(field), type: "checkbox", value: "on", defaultChecked: field.initialValue === "on" };
}

const common = ({ id, name, formId, errorId, errors }: FormField) => ({
  id,
  name,
  form: formId,
  ...(errors && { "aria-invalid": true, "aria-describedby": errorId }),
});

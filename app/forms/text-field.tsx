import type { ComponentProps } from "react";
import { Field } from "~/ui/field";
import { TextInput } from "~/ui/text-input";
import { type FormField, inputProps } from "./field-props";

type TextFieldProps = Omit<ComponentProps<"input">, "form"> & {
  field: FormField | undefined;
  label: string;
  hideLabel?: boolean;
  /** What to know before typing; a message takes its place. */
  hint?: string;
  type?: "text" | "email" | "password";
};

/** A labelled text field of a form, its message beside it. */
export function TextField({ field, label, hideLabel, hint, type = "text", className, ...rest }: TextFieldProps) {
  if (!field) return null;
  const hintId = hint && !field.errors ? `${field.id}-hint` : undefined;
  const props = inputProps(field);
  // React focuses by itself and leaves the attribute out, by which a dialog finds what to focus each time that it opens.
  const ref = rest.autoFocus ? (input: HTMLInputElement | null) => input?.setAttribute("autofocus", "") : undefined;
  return (
    <Field
      htmlFor={field.id}
      label={label}
      errorId={field.errorId}
      errors={field.errors}
      hint={hint}
      hintId={hintId}
      hideLabel={hideLabel}
      className={className}
    >
      <TextInput ref={ref} type={type} {...props} aria-describedby={props["aria-describedby"] ?? hintId} {...rest} />
    </Field>
  );
}

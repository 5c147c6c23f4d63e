import { type FieldMetadata, getInputProps } from "@conform-to/react";
import type { ComponentProps } from "react";
import { Field } from "~/ui/field";
import { TextInput } from "~/ui/text-input";

type TextFieldProps = Omit<ComponentProps<"input">, "form"> & {
  field: FieldMetadata<unknown, Record<string, unknown>> | undefined;
  label: string;
  hideLabel?: boolean;
  /** What to know before typing; a message takes its place. */
  hint?: string;
  type?: "text" | "email" | "password";
};

/**
 * A labelled text field of a conform form, its message beside it. The rule for the length is left to the answer: as an attribute it would cut
 * a long text silently while it is pasted.
 */
export function TextField({ field, label, hideLabel, hint, type = "text", className, ...rest }: TextFieldProps) {
  if (!field) return null;
  const hintId = hint && !field.errors ? `${field.id}-hint` : undefined;
  const { maxLength: _, key, ...props } = getInputProps(field, { type });
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
      <TextInput key={key} ref={ref} {...props} aria-describedby={props["aria-describedby"] ?? hintId} {...rest} />
    </Field>
  );
}

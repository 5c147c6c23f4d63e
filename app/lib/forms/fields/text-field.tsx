import type { ComponentProps } from "react";
import { autofocusRef } from "~/lib/ui/inputs/autofocus-ref";
import { Field } from "~/lib/ui/inputs/field";
import { TextInput } from "~/lib/ui/inputs/text-input";
import { type FormField, inputProps } from "./field-props";

type TextFieldProps = Omit<ComponentProps<"input">, "form"> & {
  field: FormField | undefined;
  label: string;
  hideLabel?: boolean;
  hint?: string;
  type?: "text" | "email" | "password";
};

export function TextField({ field, label, hideLabel, hint, type = "text", className, ...rest }: TextFieldProps) {
  if (!field) return null;
  const hintId = hint && !field.errors ? `${field.id}-hint` : undefined;
  const props = inputProps(field);
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
      <TextInput
        ref={rest.autoFocus ? autofocusRef : undefined}
        type={type}
        {...props}
        aria-describedby={props["aria-describedby"] ?? hintId}
        {...rest}
      />
    </Field>
  );
}

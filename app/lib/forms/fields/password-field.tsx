import { Eye, EyeOff } from "lucide";
import { type ComponentProps, useState } from "react";
import { Button } from "~/lib/ui/inputs/button";
import { Field } from "~/lib/ui/inputs/field";
import { Icon } from "~/lib/ui/icons/icon";
import { TextInput } from "~/lib/ui/inputs/text-input";
import { useScripted } from "~/lib/ui/use-scripted";
import { type FormField, inputProps } from "./field-props";

type PasswordFieldProps = Omit<ComponentProps<"input">, "type"> & {
  id: string;
  name: string;
  label: string;
  autoComplete: "current-password" | "new-password";
  errors?: readonly string[] | undefined;
  hint?: string;
};

export function PasswordField({ id, label, errors, hint, className, ...rest }: PasswordFieldProps) {
  const [shown, show] = useState(false);
  const isScripted = useScripted();
  const refused = errors !== undefined && errors.length > 0;
  const [errorId, hintId] = [`${id}-error`, `${id}-hint`];
  return (
    <Field htmlFor={id} label={label} errorId={errorId} errors={errors} hint={hint} hintId={hintId} className={className}>
      <div className="relative">
        <TextInput
          id={id}
          type={shown ? "text" : "password"}
          autoCapitalize="none"
          spellCheck={false}
          className="pe-11"
          aria-invalid={refused || undefined}
          aria-describedby={refused ? errorId : hint ? hintId : undefined}
          {...rest}
        />
        {isScripted ? (
          <Button
            variant="ghost"
            size="icon-sm"
            // Without the word "password", so that the field's label names only the field.
            aria-label={shown ? "Hide characters" : "Show characters"}
            aria-controls={id}
            className="absolute inset-y-0 end-0.5 my-auto"
            onClick={() => show(!shown)}
          >
            <Icon of={shown ? EyeOff : Eye} />
          </Button>
        ) : null}
      </div>
    </Field>
  );
}

type FormPasswordFieldProps = Pick<PasswordFieldProps, "label" | "autoComplete" | "hint" | "autoFocus"> & {
  field: FormField | undefined;
};

export function FormPasswordField({ field, ...rest }: FormPasswordFieldProps) {
  if (!field) return null;
  const { minLength: _, ...props } = inputProps(field);
  return <PasswordField {...props} id={field.id} name={field.name} errors={field.errors} {...rest} />;
}

import type { ReactNode } from "react";
import { Form, useNavigation } from "react-router";
import { type AnsweredForm, formProps } from "~/lib/forms/use-form-result";
import { Button } from "~/lib/ui/inputs/button";
import { FieldErrors } from "~/lib/ui/inputs/field";
import { LastUsed } from "./last-used";

export const isFirstInvalidField = (form: AnsweredForm, field: string): boolean => Object.keys(form.allErrors)[0] === field;

type AuthFormProps = {
  form: AnsweredForm;
  submit: string;
  last?: boolean;
  children: ReactNode;
  secondaryActions?: ReactNode;
};

export function AuthForm({ form, submit, last = false, children, secondaryActions }: AuthFormProps) {
  const sending = useNavigation().formMethod === "POST";
  return (
    <Form method="post" className="grid gap-5" {...formProps(form)}>
      <FieldErrors id={form.errorId} errors={form.errors} />
      {children}
      <LastUsed id={`${form.id}-last-used`} is={last}>
        {(describedBy) => (
          <Button
            type="submit"
            variant="primary"
            aria-disabled={sending}
            aria-describedby={describedBy}
            onClick={(event) => sending && event.preventDefault()}
          >
            {submit}
          </Button>
        )}
      </LastUsed>
      {secondaryActions}
    </Form>
  );
}

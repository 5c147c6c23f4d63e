import type { ReactNode } from "react";
import { Form, useNavigation } from "react-router";
import { type AnsweredForm, formProps } from "~/forms/answered-form";
import { Button } from "~/ui/button";
import { FieldErrors } from "~/ui/field";
import { LastUsed } from "./last-used";

/** Whether a field is the first that was refused, and is to be put right first: so for a browser without scripts, where nothing else focuses it. */
export const isFirstRefused = (form: AnsweredForm, field: string): boolean => Object.keys(form.allErrors)[0] === field;

type AuthFormProps = {
  form: AnsweredForm;
  /** What the button says that sends it. */
  submit: string;
  /** Whether this is how somebody signed in last. */
  last?: boolean;
  children: ReactNode;
  /** Other ways on, below the button. */
  others?: ReactNode;
};

/** The form element of a `useAnsweredForm`, with what concerns it as a whole told at its head. */
export function AuthForm({ form, submit, last = false, children, others }: AuthFormProps) {
  const sending = useNavigation().formMethod === "POST";
  return (
    <Form method="post" className="grid gap-5" {...formProps(form)}>
      <FieldErrors id={form.errorId} errors={form.errors} />
      {children}
      <LastUsed id={`${form.id}-last-used`} is={last}>
        {(describedBy) => (
          <Button
            type="submit"
            look="primary"
            aria-disabled={sending}
            aria-describedby={describedBy}
            onClick={(event) => sending && event.preventDefault()}
          >
            {submit}
          </Button>
        )}
      </LastUsed>
      {others}
    </Form>
  );
}

import { type FormMetadata, getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import type { ReactNode } from "react";
import { Form, useNavigation } from "react-router";
import { Button } from "~/ui/button";
import { FieldErrors } from "~/ui/field";
import { LastUsed } from "./last-used";

type AuthFormOptions = {
  id: string;
  /** The action's answer, when the form did not lead on. */
  answer: SubmissionResult | undefined;
  /** HTML's attributes for the fields, made by the loader from the server's rules. */
  constraint: Parameters<typeof useForm>[0]["constraint"];
  defaultValue?: Record<string, string>;
};

/** A form of the accounts. The server alone judges it, so that its messages are the same with scripts and without. */
export const useAuthForm = ({ id, answer, constraint, defaultValue }: AuthFormOptions) =>
  useForm<Record<string, unknown>, unknown>({ id, lastResult: answer, constraint, defaultValue });

/** Whether a field is the first that was refused, and is to be put right first: so for a browser without scripts, where conform cannot focus it. */
export const isFirstRefused = (form: AuthFormMetadata, field: string): boolean => Object.keys(form.allErrors)[0] === field;

type AuthFormMetadata = FormMetadata<Record<string, unknown>>;

type AuthFormProps = {
  form: AuthFormMetadata;
  /** What the button says that sends it. */
  submit: string;
  /** Whether this is how somebody signed in last. */
  last?: boolean;
  children: ReactNode;
  /** Other ways on, below the button. */
  others?: ReactNode;
};

/** The form element of a `useAuthForm`, with what concerns it as a whole told at its head. */
export function AuthForm({ form, submit, last = false, children, others }: AuthFormProps) {
  const sending = useNavigation().formMethod === "POST";
  return (
    <Form method="post" className="grid gap-5" {...getFormProps(form)} noValidate>
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

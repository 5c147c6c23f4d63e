import { type ReactNode, useState } from "react";
import { useActionData } from "react-router";
import { useRoot } from "~/data/use-root";
import { IntentForm, useIntentForm } from "~/forms/intent-form";
import { PasswordField } from "~/forms/password-field";
import { Button, type ButtonLook } from "~/ui/button";
import { type AccountAnswer, STEP_UP_FIELD } from "./answer";
import { SignInAgain } from "./sign-in-again";

/** A form of the account's screens, with the answer to it however it came. */
export function useAccountForm(options: Parameters<typeof useIntentForm>[0]) {
  const state = useIntentForm(options);
  const fromPage = useActionData<AccountAnswer | undefined>();
  const [ledWith] = useState(useRoot()?.done ?? undefined);
  const fetched: AccountAnswer | undefined = state.fetcher.data;
  const answer = fetched ?? (fromPage?.form === options.id ? fromPage : undefined);
  /** What was done, so that the page can say it: told by the answer, or with the redirect that led here. */
  const done = answer ? answer.done : ledWith;
  return { ...state, answer, done: state.done, said: done };
}

type AccountFormProps = {
  state: ReturnType<typeof useAccountForm>;
  /** What the button says that sends it. */
  submit: ReactNode;
  look?: ButtonLook;
  /** What to say of each thing that it can have done. */
  said?: Record<string, string>;
  hidden?: Record<string, string>;
  /** More buttons beside the one that sends. */
  actions?: ReactNode;
  className?: string;
  children?: ReactNode;
};

/** The form element of a `useAccountForm`. Where a fresh session is wanted it asks for the password in place, and sends all of it again. */
export function AccountForm({ state, submit, look = "quiet", said = {}, hidden, actions, className, children }: AccountFormProps) {
  const told = !state.pending && state.said !== undefined && Object.hasOwn(said, state.said) ? said[state.said] : "";
  return (
    <IntentForm state={state} hidden={hidden} className={className ?? "grid max-w-md gap-4"}>
      {children}
      {state.answer?.stepUp ? <StepUp state={state} how={state.answer.stepUp} /> : null}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button type="submit" look={look} aria-disabled={state.pending} onClick={(event) => state.pending && event.preventDefault()}>
          {submit}
        </Button>
        {actions}
        <p role="status" className="text-sm text-soft empty:hidden">
          {told}
        </p>
      </div>
    </IntentForm>
  );
}

function StepUp({ state, how }: { state: ReturnType<typeof useAccountForm>; how: "password" | "sign-in" }) {
  if (how === "sign-in") return <SignInAgain />;
  const errors = state.answer?.result.error?.[STEP_UP_FIELD] ?? undefined;
  return <PasswordPanel id={`${state.id}-step-up`} name={STEP_UP_FIELD} errors={errors} />;
}

/** Asks for the password in place, within the form for which the sign-in is too long ago. */
export function PasswordPanel({ id, name, errors }: { id: string; name: string; errors: readonly string[] | undefined }) {
  return (
    <div className="grid gap-3 rounded-md border bg-panel p-4">
      <p role="alert" className="text-soft">
        It has been a while since you signed in. Enter your password to go on.
      </p>
      <PasswordField id={id} name={name} label="Your password" autoComplete="current-password" errors={errors} required autoFocus />
    </div>
  );
}

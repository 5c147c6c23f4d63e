import { type ReactNode, useState } from "react";
import { useActionData } from "react-router";
import { useRoot } from "~/lib/data/use-root";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { PasswordField } from "~/lib/forms/fields/password-field";
import { Button, type ButtonVariant } from "~/lib/ui/inputs/button";
import { type AccountAnswer, STEP_UP_FIELD } from "../account-answer";
import { SignInAgain } from "./sign-in-again";

export function useAccountForm(options: Parameters<typeof useIntentForm>[0]) {
  const state = useIntentForm(options);
  const fromPage = useActionData<AccountAnswer | undefined>();
  const [doneBefore] = useState(useRoot()?.done ?? undefined);
  const fetched: AccountAnswer | undefined = state.fetcher.data;
  const answer = fetched ?? (fromPage?.form === options.id ? fromPage : undefined);
  const done = answer ? answer.done : doneBefore;
  return { ...state, answer, done: state.done, doneCode: done };
}

type AccountFormProps = {
  state: ReturnType<typeof useAccountForm>;
  submit: ReactNode;
  variant?: ButtonVariant;
  successTexts?: Record<string, string>;
  hidden?: Record<string, string>;
  actions?: ReactNode;
  className?: string;
  children?: ReactNode;
};

export function AccountForm({
  state,
  submit,
  variant = "quiet",
  successTexts = {},
  hidden,
  actions,
  className,
  children,
}: AccountFormProps) {
  const message =
    !state.pending && state.doneCode !== undefined && Object.hasOwn(successTexts, state.doneCode) ? successTexts[state.doneCode] : "";
  return (
    <IntentForm state={state} hidden={hidden} className={className ?? "grid max-w-md gap-4"}>
      {children}
      {state.answer?.stepUp ? <StepUp state={state} how={state.answer.stepUp} /> : null}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button type="submit" variant={variant} aria-disabled={state.pending} onClick={(event) => state.pending && event.preventDefault()}>
          {submit}
        </Button>
        {actions}
        <p role="status" className="text-sm text-soft empty:hidden">
          {message}
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

export function PasswordPanel({ id, name, errors }: { id: string; name: string; errors: readonly string[] | undefined }) {
  return (
    <div className="grid gap-3 rounded-md border bg-panel p-4">
      <p role="alert" className="text-soft">
        You signed in some time ago. Enter your password to continue.
      </p>
      <PasswordField id={id} name={name} label="Your password" autoComplete="current-password" errors={errors} required autoFocus />
    </div>
  );
}

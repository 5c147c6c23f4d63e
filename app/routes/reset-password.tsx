import { Link } from "react-router";
import { AuthForm, isFirstRefused } from "~/accounts/auth-form";
import { authFormAction } from "~/accounts/auth-form.server";
import { AuthPage } from "~/accounts/auth-page";
import { PASSWORD_HINT, resetFields } from "~/accounts/credentials.server";
import { useAnsweredForm } from "~/forms/answered-form";
import { constraintOf } from "~/forms/constraint.server";
import { FormPasswordField } from "~/forms/password-field";
import { ButtonLink } from "~/ui/button";
import type { Route } from "./+types/reset-password";

export const meta: Route.MetaFunction = () => [{ title: "Choose a new password · Atelier" }];

/** The link in the mail leads here with a token, or with `error=INVALID_TOKEN` (specification 4). */
export function loader({ url }: Route.LoaderArgs) {
  const { searchParams } = url;
  const token = searchParams.has("error") ? null : searchParams.get("token") || null;
  return { token, constraint: constraintOf(resetFields), passwordHint: PASSWORD_HINT };
}

export const action = (args: Route.ActionArgs) =>
  authFormAction(args, {
    schema: resetFields,
    path: "/reset-password",
    body: ({ password, token }) => ({ newPassword: password, token }),
    target: () => "/sign-in?notice=password-changed",
  });

/** Says when to try again (`Retry-After`), where the answer knows it. */
export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

export default function ResetPassword({ loaderData, actionData }: Route.ComponentProps) {
  const { token, constraint, passwordHint } = loaderData;
  const [form, fields] = useAnsweredForm({ id: "reset-password", answer: actionData, constraint });
  if (token === null || fields.token?.errors) {
    return (
      <AuthPage title="This link does not work any more">
        <div role="alert" className="grid justify-items-start gap-5">
          <p className="text-soft">
            It was used already, is older than an hour, or is not complete. Nothing was changed just now: ask for a new link.
          </p>
          <ButtonLink to="/forgot-password" look="primary">
            Ask for a new link
          </ButtonLink>
        </div>
      </AuthPage>
    );
  }
  const signIn = (
    <Link to="/sign-in" prefetch="intent" className="text-accent-text underline underline-offset-4">
      Sign in
    </Link>
  );
  return (
    <AuthPage title="Choose a new password" aside={<>Changed your mind? {signIn}</>}>
      <p className="text-soft">With the new password you are signed out everywhere else.</p>
      <AuthForm form={form} submit="Change the password">
        <input type="hidden" name="token" value={token} />
        <FormPasswordField
          field={fields.password}
          label="New password"
          hint={passwordHint}
          autoComplete="new-password"
          autoFocus={isFirstRefused(form, "password")}
        />
      </AuthForm>
    </AuthPage>
  );
}

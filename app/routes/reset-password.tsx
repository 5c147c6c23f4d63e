import { redirect } from "react-router";
import { AuthForm, isFirstInvalidField } from "~/features/accounts/auth-form";
import { authFormAction } from "~/features/accounts/account-action.server";
import { AuthPage } from "~/features/accounts/auth-page";
import { PASSWORD_HINT, resetFields } from "~/features/accounts/credentials.server";
import { useAnsweredForm } from "~/lib/forms/use-form-result";
import { constraintOf } from "~/lib/forms/constraint.server";
import { FormPasswordField } from "~/lib/forms/fields/password-field";
import { configContext } from "~/lib/http/context";
import { ButtonLink } from "~/lib/ui/inputs/button";
import { Link } from "~/lib/ui/navigation/link";
import type { Route } from "./+types/reset-password";

export const meta: Route.MetaFunction = () => [{ title: "Choose a new password · Atelier" }];

/** The emailed link has a token or `error=INVALID_TOKEN` (specification 4). */
export function loader({ context, url }: Route.LoaderArgs) {
  if (!context.get(configContext).accounts.emailAndPassword) throw redirect("/forgot-password");
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

export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

export default function ResetPassword({ loaderData, actionData }: Route.ComponentProps) {
  const { token, constraint, passwordHint } = loaderData;
  const [form, fields] = useAnsweredForm({ id: "reset-password", answer: actionData?.result, constraint });
  if (token === null || fields.token?.errors) {
    return (
      <AuthPage title="This link is no longer valid">
        <div role="alert" className="grid justify-items-start gap-5">
          <p className="text-soft">It was already used, has expired, or is incomplete. Nothing was changed. Request a new link.</p>
          <ButtonLink to="/forgot-password" variant="primary">
            Request a new link
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
      <p className="text-soft">Changing your password signs you out of all other sessions.</p>
      <AuthForm form={form} submit="Change password">
        <input type="hidden" name="token" value={token} />
        <FormPasswordField
          field={fields.password}
          label="New password"
          hint={passwordHint}
          autoComplete="new-password"
          autoFocus={isFirstInvalidField(form, "password")}
        />
      </AuthForm>
    </AuthPage>
  );
}

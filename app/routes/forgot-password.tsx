import { AuthForm, isFirstInvalidField } from "~/features/accounts/auth-form";
import { authFormAction } from "~/features/accounts/account-action.server";
import { AuthPage } from "~/features/accounts/auth-page";
import { addressFields } from "~/features/accounts/credentials.server";
import { MAIL_PAUSE_SECONDS } from "~/features/accounts/mail/rate-limit.server";
import { MailSent } from "~/features/accounts/mail/mail-sent";
import { mailProviderLink } from "~/features/accounts/mail/mail-provider-link";
import { useAnsweredForm } from "~/lib/forms/use-form-result";
import { constraintOf } from "~/lib/forms/constraint.server";
import { TextField } from "~/lib/forms/fields/text-field";
import { configContext } from "~/lib/http/context";
import { Link } from "~/lib/ui/navigation/link";
import { publicPage } from "~/lib/ui/open-graph";
import type { Route } from "./+types/forgot-password";

export const meta: Route.MetaFunction = ({ matches: [root] }) =>
  publicPage({ title: "Forgot your password · Atelier", path: "/forgot-password", root: root.loaderData });

export function loader({ context, url }: Route.LoaderArgs) {
  const config = context.get(configContext);
  return {
    passwords: config.accounts.emailAndPassword,
    offered: mailProviderLink(config) !== null,
    email: url.searchParams.get("email") ?? "",
    constraint: constraintOf(addressFields),
    pauseSeconds: MAIL_PAUSE_SECONDS,
  };
}

export const action = (args: Route.ActionArgs) =>
  authFormAction(args, {
    schema: addressFields,
    path: "/request-password-reset",
    body: ({ email }) => ({ email, redirectTo: "/reset-password" }),
    staysOnPage: true,
  });

export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

/** Specification 8; the same with and without an account. */
const SENT = "If this email exists in our system, check your email for the reset link";

export default function ForgotPassword({ loaderData, actionData }: Route.ComponentProps) {
  const { passwords, offered, constraint, pauseSeconds } = loaderData;
  const [form, { email }] = useAnsweredForm({
    id: "forgot-password",
    answer: actionData?.result,
    constraint,
    defaultValue: { email: loaderData.email },
  });
  const signIn = (
    <Link to="/sign-in" prefetch="intent" className="text-accent-text underline underline-offset-4">
      Sign in
    </Link>
  );
  if (!passwords || !offered) {
    return (
      <AuthPage title="Forgot your password?" aside={<>Back to {signIn}</>}>
        <p className="text-soft">
          {passwords
            ? "This installation does not send email. Ask the operator for a password reset link."
            : "This installation does not use passwords. Use another sign-in method."}
        </p>
      </AuthPage>
    );
  }
  const sentTo = actionData?.result.status === "success" ? actionData.result.initialValue?.["email"] : undefined;
  if (typeof sentTo === "string") return <MailSent email={sentTo} text={SENT} pauseSeconds={pauseSeconds} again="/forgot-password" />;
  return (
    <AuthPage title="Forgot your password?" aside={<>Remember your password? {signIn}</>}>
      <p className="text-soft">Enter your email. We send you a link to reset your password.</p>
      <AuthForm form={form} submit="Send reset link">
        <TextField field={email} label="Email" type="email" autoComplete="username" autoFocus={isFirstInvalidField(form, "email")} />
      </AuthForm>
    </AuthPage>
  );
}

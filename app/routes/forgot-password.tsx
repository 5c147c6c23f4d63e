import { Link } from "react-router";
import { AuthForm, isFirstRefused } from "~/accounts/auth-form";
import { authFormAction } from "~/accounts/auth-form.server";
import { AuthPage } from "~/accounts/auth-page";
import { addressFields } from "~/accounts/credentials.server";
import { MAIL_PAUSE_SECONDS } from "~/accounts/mail/pace.server";
import { Sent } from "~/accounts/mail/sent";
import { mailWay } from "~/accounts/mail/way";
import { useAnsweredForm } from "~/forms/answered-form";
import { constraintOf } from "~/forms/constraint.server";
import { TextField } from "~/forms/text-field";
import { configContext } from "~/http/context";
import { publicPage } from "~/ui/open-graph";
import type { Route } from "./+types/forgot-password";

export const meta: Route.MetaFunction = ({ matches: [root] }) =>
  publicPage({ title: "Forgot your password · Atelier", path: "/forgot-password", root: root.loaderData });

export function loader({ context, url }: Route.LoaderArgs) {
  return {
    offered: mailWay(context.get(configContext)) !== null,
    email: url.searchParams.get("email") ?? "",
    constraint: constraintOf(addressFields),
    pause: MAIL_PAUSE_SECONDS,
  };
}

export const action = (args: Route.ActionArgs) =>
  authFormAction(args, {
    schema: addressFields,
    path: "/request-password-reset",
    body: ({ email }) => ({ email, redirectTo: "/reset-password" }),
    stays: true,
  });

/** Says when to try again (`Retry-After`), where the answer knows it. */
export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

/** The specification's words (8), for an address with an account as for any other. */
const SENT = "If this email exists in our system, check your email for the reset link";

export default function ForgotPassword({ loaderData, actionData }: Route.ComponentProps) {
  const { offered, constraint, pause } = loaderData;
  const [form, { email }] = useAnsweredForm({
    id: "forgot-password",
    answer: actionData,
    constraint,
    defaultValue: { email: loaderData.email },
  });
  const signIn = (
    <Link to="/sign-in" prefetch="intent" className="text-accent-text underline underline-offset-4">
      Sign in
    </Link>
  );
  if (!offered) {
    return (
      <AuthPage title="Forgot your password?" aside={<>Back to where you can {signIn}</>}>
        <p className="text-soft">
          This installation sends no mail. Ask the person who runs it: they can make you a link for a new password.
        </p>
      </AuthPage>
    );
  }
  const sentTo = actionData?.status === "success" ? actionData.initialValue?.["email"] : undefined;
  if (typeof sentTo === "string") return <Sent email={sentTo} text={SENT} pause={pause} again="/forgot-password" />;
  return (
    <AuthPage title="Forgot your password?" aside={<>Remembered it? {signIn}</>}>
      <p className="text-soft">Tell us your address. We send you a link with which you can choose a new one.</p>
      <AuthForm form={form} submit="Send the link">
        <TextField field={email} label="Email" type="email" autoComplete="username" autoFocus={isFirstRefused(form, "email")} />
      </AuthForm>
    </AuthPage>
  );
}

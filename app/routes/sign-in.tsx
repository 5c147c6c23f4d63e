import { Link, redirect } from "react-router";
import { AuthForm, isFirstRefused } from "~/accounts/auth-form";
import { authFormAction } from "~/accounts/auth-form.server";
import { AuthPage } from "~/accounts/auth-page";
import { cookieNames, readCookie } from "~/accounts/cookies";
import { addressFields, signInFields } from "~/accounts/credentials.server";
import { MAIL_PAUSE_SECONDS } from "~/accounts/mail/pace.server";
import { Sent } from "~/accounts/mail/sent";
import { mailWay } from "~/accounts/mail/way";
import { LastUsed } from "~/accounts/last-used";
import { useCarryOn } from "~/accounts/other-tabs";
import { PasskeySignIn } from "~/accounts/passkey-sign-in";
import { safeTarget } from "~/accounts/safe-target";
import { visitor } from "~/accounts/session.server";
import { afterPassword } from "~/accounts/two-factor.server";
import { socialChoicesOf } from "~/accounts/social.server";
import { SocialButtons } from "~/accounts/social-buttons";
import { useAnsweredForm } from "~/forms/answered-form";
import { constraintOf } from "~/forms/constraint.server";
import { checkboxProps } from "~/forms/field-props";
import { FormPasswordField } from "~/forms/password-field";
import { TextField } from "~/forms/text-field";
import { configContext } from "~/http/context";
import { formOf } from "~/http/form.server";
import { originOf } from "~/http/origin.server";
import { Button } from "~/ui/button";
import { publicPage } from "~/ui/open-graph";
import type { Route } from "./+types/sign-in";

export const meta: Route.MetaFunction = ({ matches: [root] }) =>
  publicPage({ title: "Sign in · Atelier", path: "/sign-in", root: root.loaderData });

/** A signed-in visitor has nothing to do here (specification 2). */
export async function loader({ request, context, url }: Route.LoaderArgs) {
  if (await visitor(context)) throw redirect(safeTarget(url.searchParams.get("redirectTo")));
  const config = context.get(configContext);
  return {
    constraint: constraintOf(signInFields),
    search: searchOf(url),
    redirectTo: safeTarget(url.searchParams.get("redirectTo")),
    providers: socialChoicesOf(config),
    mail: mailWay(config) !== null,
    last: readCookie(request.headers, cookieNames(originOf(config, request)).lastMethod),
    pause: MAIL_PAUSE_SECONDS,
    changed: url.searchParams.get("notice") === "password-changed",
    // A sign-in link that failed leads back here.
    badLink: url.searchParams.has("error"),
  };
}

/** What goes on to the page for signing up: where the visitor wanted to go, not what became of a link. */
function searchOf({ searchParams }: URL): string {
  const redirectTo = searchParams.get("redirectTo");
  return redirectTo === null ? "" : `?${new URLSearchParams({ redirectTo })}`;
}

/** One form, several buttons: by password, or by what is sent to the address, for which that is enough. */
export async function action(args: Route.ActionArgs) {
  const sent = await formOf(args.request);
  if (sent.get(WITH) === LINK) {
    const callbackURL = safeTarget(args.url.searchParams.get("redirectTo"));
    return authFormAction(args, {
      schema: addressFields,
      path: "/sign-in/magic-link",
      body: ({ email }) => ({ email, callbackURL, errorCallbackURL: "/sign-in" }),
      stays: true,
    });
  }
  if (sent.get(WITH) === CONFIRM)
    return authFormAction(args, { schema: addressFields, path: "/send-verification-email", body: ({ email }) => ({ email }), stays: true });
  return authFormAction(args, {
    schema: signInFields,
    path: "/sign-in/email",
    body: ({ email, password, rememberMe }) => ({ email, password, rememberMe: rememberMe !== undefined }),
    target: (answer) => afterPassword(answer, args.url),
  });
}

const WITH = "with";
const LINK = "link";
const CONFIRM = "confirm";

/** Says when to try again (`Retry-After`), where the answer knows it. */
export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

export default function SignIn({ loaderData, actionData }: Route.ComponentProps) {
  useCarryOn();
  const { constraint, search, redirectTo, providers, mail, last, pause, changed, badLink } = loaderData;
  const [form, { email, password, rememberMe }] = useAnsweredForm({
    id: "sign-in",
    answer: actionData,
    constraint,
    defaultValue: { rememberMe: "on" },
  });
  const signUp = (
    <Link to={{ pathname: "/sign-up", search }} prefetch="intent" className="text-accent-text underline underline-offset-4">
      Create an account
    </Link>
  );
  const sent = actionData?.status === "success" ? actionData.initialValue : undefined;
  if (typeof sent?.["email"] === "string") {
    const kind = sent[WITH] === CONFIRM ? CONFIRM : LINK;
    return <Sent email={sent["email"]} text={SENT[kind]} fields={{ [WITH]: kind }} pause={pause} again={`/sign-in${search}`} />;
  }
  const unverified = mail && email?.errors?.some((message) => message.startsWith("Email not verified"));
  return (
    <AuthPage title="Sign in" aside={<>New here? {signUp}</>}>
      {changed ? (
        <p aria-live="polite" className="text-soft">
          Your password is changed. Sign in with the new one.
        </p>
      ) : null}
      {badLink ? (
        <p role="alert" className="text-danger-text">
          This sign-in link does not work any more: it works once, for five minutes. Ask for a new one.
        </p>
      ) : null}
      <AuthForm form={form} submit="Sign in" last={last === "password"} others={mail ? <ByLink last={last === LINK} /> : null}>
        <TextField field={email} label="Email" type="email" autoComplete="username" autoFocus={isFirstRefused(form, "email")} />
        <FormPasswordField field={password} label="Password" autoComplete="current-password" autoFocus={isFirstRefused(form, "password")} />
        {unverified ? (
          <Button type="submit" name={WITH} value={CONFIRM} size="sm" className="-mt-2 justify-self-start">
            Send the link again
          </Button>
        ) : null}
        {mail ? (
          <Link
            to="/forgot-password"
            prefetch="intent"
            className="-mt-2 justify-self-start text-sm text-accent-text underline underline-offset-4"
          >
            Forgot your password?
          </Link>
        ) : null}
        {rememberMe ? (
          <label className="flex min-h-6 items-center gap-2 text-base pointer-coarse:min-h-11">
            <input {...checkboxProps(rememberMe)} className="size-4 accent-accent" />
            Remember me on this device
          </label>
        ) : null}
      </AuthForm>
      <PasskeySignIn redirectTo={redirectTo} last={last === "passkey"} />
      <SocialButtons providers={providers} redirectTo={redirectTo} last={last} />
    </AuthPage>
  );
}

const SENT = {
  [LINK]:
    "If there is an account with this address, a link to sign in is on its way. It works once, for five minutes. If the address was never confirmed, the link confirms it, and removes the password and whatever else opened the account before.",
  [CONFIRM]: "If this address belongs to an account and is not confirmed yet, a link is on its way.",
};

/** Sends the same form, for a link in place of the password. */
function ByLink({ last }: { last: boolean }) {
  return (
    <LastUsed id="last-used-link" is={last}>
      {(describedBy) => (
        <Button type="submit" name={WITH} value={LINK} aria-describedby={describedBy}>
          Email me a sign-in link
        </Button>
      )}
    </LastUsed>
  );
}

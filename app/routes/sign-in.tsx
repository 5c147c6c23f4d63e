import { useEffect } from "react";
import { Form, redirect } from "react-router";
import { AuthForm, isFirstInvalidField } from "~/features/accounts/auth-form";
import { authFormAction } from "~/features/accounts/account-action.server";
import { AuthPage } from "~/features/accounts/auth-page";
import { areCookiesBlocked } from "~/features/accounts/session/blocked-cookies.server";
import { CookieNotice } from "~/features/accounts/session/cookie-notice";
import { cookieNames, readCookie } from "~/features/accounts/session/cookies";
import { addressFields, signInFields } from "~/features/accounts/credentials.server";
import { MAIL_PAUSE_SECONDS } from "~/features/accounts/mail/rate-limit.server";
import { MailSent } from "~/features/accounts/mail/mail-sent";
import { mailProviderLink } from "~/features/accounts/mail/mail-provider-link";
import { LastUsed } from "~/features/accounts/last-used";
import { useReloadOnSignIn } from "~/features/accounts/session/session-broadcast";
import { PasskeySignIn } from "~/features/accounts/passkeys/passkey-sign-in";
import { safeRedirectPath } from "~/features/accounts/session/safe-redirect";
import { getVisitor } from "~/features/accounts/session/session.server";
import { afterPassword } from "~/features/accounts/two-factor.server";
import { issuerRedirect } from "~/features/accounts/auth-api/issuers/issuer-redirect.server";
import { isSingleSignOnOnly, socialChoicesOf } from "~/features/accounts/auth-api/providers/social-providers.server";
import { SocialButtons } from "~/features/accounts/social-buttons";
import { formProps, useAnsweredForm } from "~/lib/forms/use-form-result";
import { constraintOf } from "~/lib/forms/constraint.server";
import { checkboxProps } from "~/lib/forms/fields/field-props";
import { FormPasswordField } from "~/lib/forms/fields/password-field";
import { TextField } from "~/lib/forms/fields/text-field";
import { configContext } from "~/lib/http/context";
import { readFormData } from "~/lib/http/forms/form.server";
import { originOf } from "~/lib/http/origin.server";
import { Button } from "~/lib/ui/inputs/button";
import { FieldErrors } from "~/lib/ui/inputs/field";
import { Link } from "~/lib/ui/navigation/link";
import { eraseStoredComments } from "~/features/comments/drafts/stored-comments";
import { eraseUploads } from "~/features/uploads/client/queue/upload-database";
import { publicPage } from "~/lib/ui/open-graph";
import type { Route } from "./+types/sign-in";

export const meta: Route.MetaFunction = ({ matches: [root] }) =>
  publicPage({ title: "Sign in · Atelier", path: "/sign-in", root: root.loaderData });

export async function loader({ request, context, url }: Route.LoaderArgs) {
  if (await getVisitor(context)) throw redirect(safeRedirectPath(url.searchParams.get("redirectTo")));
  const redirected = await issuerRedirect({ request, context, url });
  if (redirected) throw redirected;
  const config = context.get(configContext);
  const isOnly = isSingleSignOnOnly(config);
  return {
    constraint: constraintOf(signInFields),
    search: searchOf(url),
    redirectTo: safeRedirectPath(url.searchParams.get("redirectTo")),
    providers: socialChoicesOf(config),
    passwords: config.accounts.emailAndPassword,
    canSignUp: config.accounts.signUp !== "closed",
    mail: mailProviderLink(config) !== null && !isOnly,
    passkeys: !isOnly,
    last: readCookie(request.headers, cookieNames(originOf(config, request)).lastMethod),
    pauseSeconds: MAIL_PAUSE_SECONDS,
    cookiesMissing: areCookiesBlocked(request, url),
    changed: url.searchParams.get("notice") === "password-changed",
    error: url.searchParams.get("error"),
  };
}

function searchOf({ searchParams }: URL): string {
  const redirectTo = searchParams.get("redirectTo");
  return redirectTo === null ? "" : `?${new URLSearchParams({ redirectTo })}`;
}

export async function action(args: Route.ActionArgs) {
  const sent = await readFormData(args.request);
  if (sent.get(WITH) === LINK) {
    const callbackURL = safeRedirectPath(args.url.searchParams.get("redirectTo"));
    return authFormAction(args, {
      schema: addressFields,
      otherFields: FIELDS,
      path: "/sign-in/magic-link",
      body: ({ email }) => ({ email, callbackURL, errorCallbackURL: "/sign-in" }),
      staysOnPage: true,
    });
  }
  if (sent.get(WITH) === CONFIRM)
    return authFormAction(args, {
      schema: addressFields,
      otherFields: FIELDS,
      path: "/send-verification-email",
      body: ({ email }) => ({ email }),
      staysOnPage: true,
    });
  return authFormAction(args, {
    schema: signInFields,
    otherFields: FIELDS,
    path: "/sign-in/email",
    body: ({ email, password, rememberMe }) => ({ email, password, rememberMe: rememberMe !== undefined }),
    target: (answer) => afterPassword(answer, args.url),
  });
}

const LINK_ERRORS = new Set(["INVALID_TOKEN", "new_user_signup_disabled", "failed_to_create_session", "user_not_found"]);

const WITH = "with";
const FIELDS = [WITH, ...Object.keys(signInFields.shape)];
const LINK = "link";
const CONFIRM = "confirm";

export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

export default function SignIn({ loaderData, actionData }: Route.ComponentProps) {
  useReloadOnSignIn();
  useErasedStorage(loaderData.search === "");
  const {
    constraint,
    search,
    redirectTo,
    providers,
    passwords,
    canSignUp,
    mail,
    passkeys,
    last,
    pauseSeconds,
    cookiesMissing,
    changed,
    error,
  } = loaderData;
  const [form, { email, password, rememberMe }] = useAnsweredForm({
    id: "sign-in",
    answer: actionData?.result,
    constraint,
    defaultValue: { rememberMe: "on" },
  });
  const signUp = (
    <Link to={{ pathname: "/sign-up", search }} prefetch="intent" className="text-accent-text underline underline-offset-4">
      Create an account
    </Link>
  );
  const sent = actionData?.result.status === "success" ? actionData.result.initialValue : undefined;
  if (typeof sent?.["email"] === "string") {
    const kind = sent[WITH] === CONFIRM ? CONFIRM : LINK;
    return (
      <MailSent email={sent["email"]} text={SENT[kind]} fields={{ [WITH]: kind }} pauseSeconds={pauseSeconds} again={`/sign-in${search}`} />
    );
  }
  const address = (
    <TextField field={email} label="Email" type="email" autoComplete="username" autoFocus={isFirstInvalidField(form, "email")} />
  );
  const unverified = mail && email?.errors?.some((message) => message.startsWith("Email not verified"));
  return (
    <AuthPage title="Sign in" aside={canSignUp ? <>New here? {signUp}</> : null}>
      <CookieNotice missing={cookiesMissing && !actionData} />
      {changed ? (
        <p aria-live="polite" className="text-soft">
          Your password was changed. Sign in with the new password.
        </p>
      ) : null}
      {error !== null && !LINK_ERRORS.has(error) ? (
        <p role="alert" className="text-danger-text">
          Sign-in failed: <code className="font-mono wrap-anywhere">{error}</code>.{" "}
          <Link
            prefetch="intent"
            to={{ pathname: "/error", search: `?${new URLSearchParams({ error })}` }}
            className="underline underline-offset-4"
          >
            Get help
          </Link>
        </p>
      ) : null}
      {error !== null && LINK_ERRORS.has(error) ? (
        <p role="alert" className="text-danger-text">
          This sign-in link is no longer valid. A link works once, for five minutes. Request a new one.
        </p>
      ) : null}
      {passwords ? (
        <AuthForm form={form} submit="Sign in" last={last === "password"} secondaryActions={mail ? <ByLink last={last === LINK} /> : null}>
          {address}
          <FormPasswordField
            field={password}
            label="Password"
            autoComplete="current-password"
            autoFocus={isFirstInvalidField(form, "password")}
          />
          {unverified ? (
            <Button type="submit" name={WITH} value={CONFIRM} size="sm" className="-mt-2 justify-self-start">
              Resend link
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
              <input {...checkboxProps(rememberMe)} className="size-4" />
              Remember me on this device
            </label>
          ) : null}
        </AuthForm>
      ) : mail ? (
        <Form method="post" className="grid gap-5" {...formProps(form)}>
          <FieldErrors id={form.errorId} errors={form.errors} />
          {address}
          <ByLink last={last === LINK} />
        </Form>
      ) : null}
      {passkeys ? <PasskeySignIn redirectTo={redirectTo} last={last === "passkey"} /> : null}
      <SocialButtons
        providers={providers}
        redirectTo={redirectTo}
        last={last}
        after={passwords || mail ? "forms" : passkeys ? "scripts" : "nothing"}
      />
    </AuthPage>
  );
}

const SENT = {
  [LINK]:
    "If an account with this email exists, we sent it a sign-in link. The link works once, for five minutes. If the address was never verified, the link verifies it and removes the account's earlier sign-in methods.",
  [CONFIRM]: "If this address belongs to an account and is not verified yet, we sent it a link.",
};

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

/** Erases uploads and drafts after a sign-out or deletion, which set no `redirectTo`. An expired session sets it and keeps them. */
function useErasedStorage(on: boolean): void {
  useEffect(() => {
    if (!on) return;
    eraseUploads();
    eraseStoredComments();
  }, [on]);
}

import { redirect } from "react-router";
import { AuthForm, isFirstInvalidField } from "~/features/accounts/auth-form";
import { authFormAction } from "~/features/accounts/account-action.server";
import { AuthPage } from "~/features/accounts/auth-page";
import { CookieNotice } from "~/features/accounts/session/cookie-notice";
import { PASSWORD_HINT, signUpFields } from "~/features/accounts/credentials.server";
import { findInvitation, INVITATION } from "~/features/accounts/invitations/invitations.server";
import { INVITATION_INVALID, INVITATION_REQUIRED, SIGN_UP_CLOSED } from "~/features/accounts/callback-errors";
import { WITHOUT_ADDRESS } from "~/features/accounts/auth-api/providers/linkable-providers.server";
import { safeRedirectPath } from "~/features/accounts/session/safe-redirect";
import { getVisitor } from "~/features/accounts/session/session.server";
import { socialChoicesOf } from "~/features/accounts/auth-api/providers/social-providers.server";
import { SocialButtons } from "~/features/accounts/social-buttons";
import { useAnsweredForm } from "~/lib/forms/use-form-result";
import { constraintOf } from "~/lib/forms/constraint.server";
import { FormPasswordField } from "~/lib/forms/fields/password-field";
import { TextField } from "~/lib/forms/fields/text-field";
import type { AppConfig } from "~/config";
import { configContext } from "~/lib/http/context";
import { Link } from "~/lib/ui/navigation/link";
import { publicPage } from "~/lib/ui/open-graph";
import type { Route } from "./+types/sign-up";

export const meta: Route.MetaFunction = ({ matches: [root] }) =>
  publicPage({ title: "Create an account · Atelier", path: "/sign-up", root: root.loaderData });

export async function loader({ context, url }: Route.LoaderArgs) {
  const redirectTo = safeRedirectPath(url.searchParams.get("redirectTo"));
  if (await getVisitor(context)) throw redirect(redirectTo);
  const config = context.get(configContext);
  const { signUp, emailAndPassword: passwords } = config.accounts;
  const token = url.searchParams.get(INVITATION);
  const found = signUp === "closed" ? null : await findInvitation(config, token);
  const invitation = found && token !== null ? { token, email: found.email } : null;
  const notice = noticeOf(signUp, token !== null, invitation !== null);
  // Providers without addresses cannot create accounts. They only sign in to linked accounts.
  const providers = socialChoicesOf(config).filter(({ id }) => !WITHOUT_ADDRESS.has(id));
  const search = new URLSearchParams(url.searchParams);
  search.delete(INVITATION);
  return {
    constraint: constraintOf(signUpFields),
    passwordHint: PASSWORD_HINT,
    search: search.size > 0 ? `?${search}` : "",
    redirectTo,
    providers,
    passwords,
    invitation,
    notice,
    isOpen: signUp === "open" || invitation !== null,
  };
}

function noticeOf(signUp: AppConfig["accounts"]["signUp"], hasToken: boolean, isValid: boolean): string | null {
  if (signUp === "closed") return SIGN_UP_CLOSED;
  if (isValid) return null;
  if (hasToken) return INVITATION_INVALID;
  return signUp === "invited" ? INVITATION_REQUIRED : null;
}

export const action = (args: Route.ActionArgs) =>
  authFormAction(args, {
    schema: signUpFields,
    path: "/sign-up/email",
    body: (fields) => ({ ...fields, [INVITATION]: args.url.searchParams.get(INVITATION) ?? undefined }),
    // Without a session, the address must be verified first (specification 4).
    target: (answer) => (signedIn(answer) ? safeRedirectPath(args.url.searchParams.get("redirectTo")) : "/verify-email?state=sent"),
  });

const signedIn = (answer: unknown): boolean =>
  typeof answer === "object" && answer !== null && "token" in answer && typeof answer.token === "string";

export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

export default function SignUp({ loaderData, actionData }: Route.ComponentProps) {
  const { constraint, passwordHint, search, redirectTo, providers, passwords, invitation, notice, isOpen } = loaderData;
  const [form, { name, email, password }] = useAnsweredForm({
    id: "sign-up",
    answer: actionData?.result,
    constraint,
    defaultValue: invitation ? { email: invitation.email } : {},
  });
  const signIn = (
    <Link
      to={{ pathname: "/sign-in", search }}
      prefetch="intent"
      referrerPolicy="no-referrer"
      className="text-accent-text underline underline-offset-4"
    >
      Sign in
    </Link>
  );
  return (
    <AuthPage title="Create an account" aside={<>Have an account? {signIn}</>}>
      <CookieNotice />
      {notice === null ? null : <p className="text-soft">{notice}</p>}
      {passwords && isOpen ? (
        <AuthForm form={form} submit="Create account">
          <TextField field={name} label="Name" autoComplete="name" autoFocus={isFirstInvalidField(form, "name")} />
          <TextField
            field={email}
            label="Email"
            type="email"
            autoComplete="username"
            readOnly={invitation !== null}
            hint={invitation ? "Your invitation is for this address." : undefined}
            autoFocus={isFirstInvalidField(form, "email")}
          />
          <FormPasswordField
            field={password}
            label="Password"
            hint={passwordHint}
            autoComplete="new-password"
            autoFocus={isFirstInvalidField(form, "password")}
          />
        </AuthForm>
      ) : null}
      {isOpen ? (
        <SocialButtons
          providers={providers}
          redirectTo={redirectTo}
          invitation={invitation?.token}
          after={passwords ? "forms" : "nothing"}
        />
      ) : null}
    </AuthPage>
  );
}

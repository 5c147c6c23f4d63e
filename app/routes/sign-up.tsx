import { Link, redirect } from "react-router";
import { AuthForm, isFirstRefused } from "~/accounts/auth-form";
import { authFormAction } from "~/accounts/auth-form.server";
import { AuthPage } from "~/accounts/auth-page";
import { PASSWORD_HINT, signUpFields } from "~/accounts/credentials.server";
import { safeTarget } from "~/accounts/safe-target";
import { visitor } from "~/accounts/session.server";
import { socialChoicesOf } from "~/accounts/social.server";
import { SocialButtons } from "~/accounts/social-buttons";
import { useAnsweredForm } from "~/forms/answered-form";
import { constraintOf } from "~/forms/constraint.server";
import { FormPasswordField } from "~/forms/password-field";
import { TextField } from "~/forms/text-field";
import { configContext } from "~/http/context";
import { publicPage } from "~/ui/open-graph";
import type { Route } from "./+types/sign-up";

export const meta: Route.MetaFunction = ({ matches: [root] }) =>
  publicPage({ title: "Create an account · Atelier", path: "/sign-up", root: root.loaderData });

/** A signed-in visitor has nothing to do here. */
export async function loader({ context, url }: Route.LoaderArgs) {
  const redirectTo = safeTarget(url.searchParams.get("redirectTo"));
  if (await visitor(context)) throw redirect(redirectTo);
  const providers = socialChoicesOf(context.get(configContext));
  return { constraint: constraintOf(signUpFields), passwordHint: PASSWORD_HINT, search: url.search, redirectTo, providers };
}

export const action = (args: Route.ActionArgs) =>
  authFormAction(args, {
    schema: signUpFields,
    path: "/sign-up/email",
    body: (fields) => fields,
    // Without a session the address has to be confirmed first (specification 4).
    target: async (answer) => ((await signedIn(answer)) ? safeTarget(args.url.searchParams.get("redirectTo")) : "/verify-email?state=sent"),
  });

async function signedIn(answer: Response): Promise<boolean> {
  const body: unknown = await answer.json();
  return typeof body === "object" && body !== null && "token" in body && typeof body.token === "string";
}

/** Says when to try again (`Retry-After`), where the answer knows it. */
export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

export default function SignUp({ loaderData, actionData }: Route.ComponentProps) {
  const { constraint, passwordHint, search, redirectTo, providers } = loaderData;
  const [form, { name, email, password }] = useAnsweredForm({ id: "sign-up", answer: actionData, constraint });
  const signIn = (
    <Link to={{ pathname: "/sign-in", search }} prefetch="intent" className="text-accent-text underline underline-offset-4">
      Sign in
    </Link>
  );
  return (
    <AuthPage title="Create an account" aside={<>Have an account? {signIn}</>}>
      <AuthForm form={form} submit="Create account">
        <TextField field={name} label="Name" autoComplete="name" autoFocus={isFirstRefused(form, "name")} />
        <TextField field={email} label="Email" type="email" autoComplete="username" autoFocus={isFirstRefused(form, "email")} />
        <FormPasswordField
          field={password}
          label="Password"
          hint={passwordHint}
          autoComplete="new-password"
          autoFocus={isFirstRefused(form, "password")}
        />
      </AuthForm>
      <SocialButtons providers={providers} redirectTo={redirectTo} />
    </AuthPage>
  );
}

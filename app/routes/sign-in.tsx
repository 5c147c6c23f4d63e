import { getInputProps } from "@conform-to/react";
import { getZodConstraint } from "@conform-to/zod/v4";
import { Link, redirect } from "react-router";
import { AuthForm, isFirstRefused, useAuthForm } from "~/accounts/auth-form";
import { authFormAction } from "~/accounts/auth-form.server";
import { AuthPage } from "~/accounts/auth-page";
import { signInFields } from "~/accounts/credentials.server";
import { safeTarget } from "~/accounts/safe-target";
import { visitor } from "~/accounts/session.server";
import { TextField } from "~/forms/text-field";
import type { Route } from "./+types/sign-in";

export const meta: Route.MetaFunction = () => [{ title: "Sign in – Atelier" }];

/** A signed-in visitor has nothing to do here (specification 2). */
export async function loader({ context, url }: Route.LoaderArgs) {
  if (await visitor(context)) throw redirect(safeTarget(url.searchParams.get("redirectTo")));
  return { constraint: getZodConstraint(signInFields), search: url.search };
}

export const action = (args: Route.ActionArgs) =>
  authFormAction(args, {
    schema: signInFields,
    path: "/sign-in/email",
    body: ({ email, password, rememberMe }) => ({ email, password, rememberMe: rememberMe !== undefined }),
  });

/** Says when to try again (`Retry-After`), where the answer knows it. */
export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

export default function SignIn({ loaderData, actionData }: Route.ComponentProps) {
  const { constraint, search } = loaderData;
  const [form, { email, password, rememberMe }] = useAuthForm({
    id: "sign-in",
    answer: actionData,
    constraint,
    defaultValue: { rememberMe: "on" },
  });
  const signUp = (
    <Link to={{ pathname: "/sign-up", search }} className="text-accent-text underline underline-offset-4">
      Create an account
    </Link>
  );
  return (
    <AuthPage title="Sign in" aside={<>New here? {signUp}</>}>
      <AuthForm form={form} submit="Sign in">
        <TextField field={email} label="Email" type="email" autoComplete="username" autoFocus={isFirstRefused(form, "email")} />
        <TextField
          field={password}
          label="Password"
          type="password"
          autoComplete="current-password"
          autoFocus={isFirstRefused(form, "password")}
        />
        {rememberMe ? (
          <label className="flex items-center gap-2 text-base pointer-coarse:min-h-11">
            <input {...getInputProps(rememberMe, { type: "checkbox" })} className="size-4 accent-accent" />
            Stay signed in on this device
          </label>
        ) : null}
      </AuthForm>
    </AuthPage>
  );
}

import { Form, redirect } from "react-router";
import { AuthForm } from "~/features/accounts/auth-form";
import { authFormAction } from "~/features/accounts/account-action.server";
import { AuthPage } from "~/features/accounts/auth-page";
import { mailProviderLink } from "~/features/accounts/mail/mail-provider-link";
import { safeRedirectPath } from "~/features/accounts/session/safe-redirect";
import { getVisitor } from "~/features/accounts/session/session.server";
import { codeFields, isChallenged, noFields } from "~/features/accounts/two-factor.server";
import { useAnsweredForm } from "~/lib/forms/use-form-result";
import { constraintOf } from "~/lib/forms/constraint.server";
import { checkboxProps } from "~/lib/forms/fields/field-props";
import { TextField } from "~/lib/forms/fields/text-field";
import { configContext } from "~/lib/http/context";
import { readFormData } from "~/lib/http/forms/form.server";
import { Button } from "~/lib/ui/inputs/button";
import { Link } from "~/lib/ui/navigation/link";
import type { Route } from "./+types/two-factor";

export const meta: Route.MetaFunction = () => [{ title: "Two-factor authentication · Atelier" }];

const BY = "by";
const SEND = "send";

const factors = {
  app: {
    path: "/two-factor/verify-totp",
    label: "Code",
    text: "Enter the code from your authenticator app.",
    change: "Use the authenticator app",
  },
  email: {
    path: "/two-factor/verify-otp",
    label: "Code",
    text: "Enter the code we send to your email address.",
    change: "Get a code by email",
  },
  backup: {
    path: "/two-factor/verify-backup-code",
    label: "Backup code",
    text: "Enter one of your backup codes. Each code works once.",
    change: "Use a backup code",
  },
} as const;
type Factor = keyof typeof factors;

export async function loader({ request, context, url }: Route.LoaderArgs) {
  if (await getVisitor(context)) throw redirect(safeRedirectPath(url.searchParams.get("redirectTo")));
  if (!isChallenged(request, context)) throw redirect(`/sign-in${redirectOf(url)}`);
  const offered: Factor[] = mailProviderLink(context.get(configContext)) === null ? ["app", "backup"] : ["app", "email", "backup"];
  return { by: factorOf(url), offered, redirectTo: url.searchParams.get("redirectTo"), constraint: constraintOf(codeFields) };
}

export async function action(args: Route.ActionArgs) {
  const sent = await readFormData(args.request);
  if (sent.has(SEND))
    return authFormAction(args, {
      schema: noFields,
      otherFields: [SEND],
      path: "/two-factor/send-otp",
      body: () => ({}),
      staysOnPage: true,
    });
  return authFormAction(args, {
    schema: codeFields,
    path: factors[factorOf(args.url)].path,
    body: ({ code, trustDevice }) => ({ code: code.replaceAll(" ", ""), trustDevice: trustDevice !== undefined }),
  });
}

export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

function factorOf({ searchParams }: URL): Factor {
  const by = searchParams.get(BY);
  return by === "email" || by === "backup" ? by : "app";
}

function redirectOf({ searchParams }: URL): string {
  const redirectTo = searchParams.get("redirectTo");
  return redirectTo === null ? "" : `?${new URLSearchParams({ redirectTo })}`;
}

const LINK = "text-accent-text underline underline-offset-4";

export default function TwoFactor({ loaderData: { by, offered, redirectTo, constraint }, actionData }: Route.ComponentProps) {
  const { label, text } = factors[by];
  const sent = actionData?.result.status === "success";
  const [form, { code, trustDevice }] = useAnsweredForm({
    id: `two-factor-${by}`,
    answer: sent ? undefined : actionData?.result,
    constraint,
  });
  const searchFor = (factor: Factor) => `?${new URLSearchParams({ [BY]: factor, ...(redirectTo !== null && { redirectTo }) })}`;
  const signIn = { pathname: "/sign-in", search: redirectTo === null ? "" : `?${new URLSearchParams({ redirectTo })}` };
  return (
    <AuthPage
      title="Two-factor authentication"
      aside={
        <>
          Not you?{" "}
          <Link to={signIn} prefetch="intent" referrerPolicy="no-referrer" className={LINK}>
            Sign in again
          </Link>
        </>
      }
    >
      <p className="text-soft">{text}</p>
      {by === "email" ? (
        <Form method="post" className="grid gap-2">
          <Button type="submit" name={SEND} value="email">
            {sent ? "Resend code" : "Send code"}
          </Button>
          <p role="status" className="text-sm text-soft empty:hidden">
            {sent ? "Code sent. It can take a minute to arrive." : ""}
          </p>
        </Form>
      ) : null}
      <AuthForm key={by} form={form} submit="Continue">
        <TextField
          field={code}
          label={label}
          inputMode={by === "backup" ? "text" : "numeric"}
          autoComplete={by === "backup" ? "off" : "one-time-code"}
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
        />
        {trustDevice ? (
          <label className="flex min-h-6 items-center gap-2 text-base pointer-coarse:min-h-11">
            <input {...checkboxProps(trustDevice)} key="trust" className="size-4" />
            Trust this device for 30 days
          </label>
        ) : null}
      </AuthForm>
      <ul className="grid gap-2">
        {offered
          .filter((factor) => factor !== by)
          .map((factor) => (
            <li key={factor}>
              <Link to={searchFor(factor)} prefetch="intent" replace className={LINK}>
                {factors[factor].change}
              </Link>
            </li>
          ))}
      </ul>
    </AuthPage>
  );
}

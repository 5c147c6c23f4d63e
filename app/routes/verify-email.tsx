import { AuthForm, isFirstInvalidField } from "~/features/accounts/auth-form";
import { authFormAction } from "~/features/accounts/account-action.server";
import { AuthPage } from "~/features/accounts/auth-page";
import { addressFields } from "~/features/accounts/credentials.server";
import { MAIL_PAUSE_SECONDS } from "~/features/accounts/mail/rate-limit.server";
import { MailSent } from "~/features/accounts/mail/mail-sent";
import { mailProviderLink } from "~/features/accounts/mail/mail-provider-link";
import { getVisitor } from "~/features/accounts/session/session.server";
import { userSummary } from "~/features/accounts/session/user-summary";
import { useAnsweredForm } from "~/lib/forms/use-form-result";
import { constraintOf } from "~/lib/forms/constraint.server";
import { TextField } from "~/lib/forms/fields/text-field";
import { configContext } from "~/lib/http/context";
import { ButtonLink } from "~/lib/ui/inputs/button";
import { Link } from "~/lib/ui/navigation/link";
import type { Route } from "./+types/verify-email";

export const meta: Route.MetaFunction = () => [{ title: "Verify your email address · Atelier" }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const { searchParams } = url;
  const visitor = await getVisitor(context);
  return {
    offered: mailProviderLink(context.get(configContext)) !== null,
    step: stepOf(searchParams),
    email: visitor ? userSummary(visitor.user).email : "",
    constraint: constraintOf(addressFields),
    pauseSeconds: MAIL_PAUSE_SECONDS,
  };
}

export const action = (args: Route.ActionArgs) =>
  authFormAction(args, { schema: addressFields, path: "/send-verification-email", body: ({ email }) => ({ email }), staysOnPage: true });

export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

const steps = {
  sent: {
    title: "Check your email",
    text: "We sent you a link. Open it to verify your email address, then sign in.",
  },
  confirmed: { title: "Email address verified", text: "No further action is needed." },
  changing: {
    title: "One more step",
    text: "You confirmed the change. Now open the link we sent to your new address.",
  },
  changed: { title: "Email address changed", text: "Use the new address to sign in. We send emails to it." },
  failed: {
    title: "This link is no longer valid",
    text: "It was already used, has expired, or is incomplete. Request a new one below.",
  },
};

type Step = keyof typeof steps;

function stepOf(search: URLSearchParams): Step | null {
  if (search.has("error")) return "failed";
  const state = search.get("state");
  return state !== null && isStep(state) ? state : null;
}

const isStep = (name: string): name is Step => Object.hasOwn(steps, name);

export default function VerifyEmail({ loaderData, actionData }: Route.ComponentProps) {
  const { offered, step, constraint, pauseSeconds } = loaderData;
  const [form, { email }] = useAnsweredForm({
    id: "verify-email",
    answer: actionData?.result,
    constraint,
    defaultValue: { email: loaderData.email },
  });
  const sentTo = actionData?.result.status === "success" ? actionData.result.initialValue?.["email"] : undefined;
  if (typeof sentTo === "string") return <MailSent email={sentTo} text={SENT} pauseSeconds={pauseSeconds} again="/verify-email" />;

  const current = step && steps[step];
  const signedIn = loaderData.email !== "";
  const more = offered && (step === null || step === "failed" || step === "sent");
  return (
    <AuthPage
      title={current?.title ?? "Verify your email address"}
      aside={more ? <>Back to {signedIn ? <Back to="/account">your account</Back> : <Back to="/sign-in">sign-in</Back>}</> : null}
    >
      {current ? (
        <p role={step === "failed" ? "alert" : undefined} className="text-soft">
          {current.text}
        </p>
      ) : more ? (
        <p className="text-soft">We send you a link. Open it to verify your email address.</p>
      ) : null}
      {more ? (
        <AuthForm form={form} submit={step === "sent" ? "Resend link" : "Send verification link"}>
          <TextField field={email} label="Email" type="email" autoComplete="username" autoFocus={isFirstInvalidField(form, "email")} />
        </AuthForm>
      ) : null}
      {!offered && !current ? <p className="text-soft">This installation does not send email, so addresses cannot be verified.</p> : null}
      {more ? null : (
        <ButtonLink to="/" variant="primary" className="justify-self-start">
          Continue to Atelier
        </ButtonLink>
      )}
    </AuthPage>
  );
}

const Back = ({ to, children }: { to: string; children: string }) => (
  <Link to={to} prefetch="intent" className="text-accent-text underline underline-offset-4">
    {children}
  </Link>
);

const SENT = "If this address belongs to an account and is not verified yet, we sent it a link.";

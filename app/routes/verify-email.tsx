import { AuthForm, isFirstRefused } from "~/accounts/auth-form";
import { authFormAction } from "~/accounts/auth-form.server";
import { AuthPage } from "~/accounts/auth-page";
import { addressFields } from "~/accounts/credentials.server";
import { MAIL_PAUSE_SECONDS } from "~/accounts/mail/pace.server";
import { Sent } from "~/accounts/mail/sent";
import { mailWay } from "~/accounts/mail/way";
import { visitor } from "~/accounts/session.server";
import { shownUser } from "~/accounts/shown-user";
import { useAnsweredForm } from "~/forms/answered-form";
import { constraintOf } from "~/forms/constraint.server";
import { TextField } from "~/forms/text-field";
import { configContext } from "~/http/context";
import { ButtonLink } from "~/ui/button";
import { Link } from "react-router";
import type { Route } from "./+types/verify-email";

export const meta: Route.MetaFunction = () => [{ title: "Confirm your email address · Atelier" }];

/** Where the links of the mails about an address lead: `state` says what was done, `error` why it was not. */
export async function loader({ context, url }: Route.LoaderArgs) {
  const { searchParams } = url;
  const who = await visitor(context);
  return {
    offered: mailWay(context.get(configContext)) !== null,
    step: stepOf(searchParams),
    email: who ? shownUser(who.user).email : "",
    constraint: constraintOf(addressFields),
    pause: MAIL_PAUSE_SECONDS,
  };
}

export const action = (args: Route.ActionArgs) =>
  authFormAction(args, { schema: addressFields, path: "/send-verification-email", body: ({ email }) => ({ email }), stays: true });

/** Says when to try again (`Retry-After`), where the answer knows it. */
export const headers: Route.HeadersFunction = ({ actionHeaders, errorHeaders }) => errorHeaders ?? actionHeaders;

const steps = {
  sent: {
    title: "Check your email",
    text: "We have sent you a link. Follow it to confirm that the address is yours; then you can sign in.",
  },
  confirmed: { title: "Your address is confirmed", text: "Thank you. There is nothing more to do." },
  changing: {
    title: "One more step",
    text: "You have agreed to the change. Now follow the link that we have just sent to your new address.",
  },
  changed: { title: "Your address is changed", text: "From now on you sign in with the new one, and we write to it." },
  failed: {
    title: "This link does not work any more",
    text: "It was used already, is older than an hour, or is not complete. Ask for a new one below.",
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
  const { offered, step, constraint, pause } = loaderData;
  const [form, { email }] = useAnsweredForm({
    id: "verify-email",
    answer: actionData,
    constraint,
    defaultValue: { email: loaderData.email },
  });
  const sentTo = actionData?.status === "success" ? actionData.initialValue?.["email"] : undefined;
  if (typeof sentTo === "string") return <Sent email={sentTo} text={SENT} pause={pause} again="/verify-email" />;

  const told = step && steps[step];
  const signedIn = loaderData.email !== "";
  const more = offered && (step === null || step === "failed" || step === "sent");
  return (
    <AuthPage
      title={told?.title ?? "Confirm your email address"}
      aside={more ? <>Back to {signedIn ? <Back to="/account">your account</Back> : <Back to="/sign-in">where you sign in</Back>}</> : null}
    >
      {told ? (
        <p role={step === "failed" ? "alert" : undefined} className="text-soft">
          {told.text}
        </p>
      ) : more ? (
        <p className="text-soft">We send you a link. Follow it to show that the address is yours.</p>
      ) : null}
      {more ? (
        <AuthForm form={form} submit={step === "sent" ? "Send the link again" : "Send the link"}>
          <TextField field={email} label="Email" type="email" autoComplete="username" autoFocus={isFirstRefused(form, "email")} />
        </AuthForm>
      ) : null}
      {!offered && !told ? <p className="text-soft">This installation sends no mail, so no address can be confirmed.</p> : null}
      {more ? null : (
        <ButtonLink to="/" look="primary" className="justify-self-start">
          Go on to Atelier
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

const SENT = "If this address belongs to an account and is not confirmed yet, a link is on its way.";

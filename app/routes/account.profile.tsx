import { AccountForm, useAccountForm } from "~/features/accounts/settings/account-form";
import { mailProviderLink } from "~/features/accounts/mail/mail-provider-link";
import { accountAction } from "~/features/accounts/account-action.server";
import { isPictureForm, updatePicture } from "~/features/accounts/settings/picture/picture.server";
import { PictureForm } from "~/features/accounts/settings/picture/picture-form";
import { emailFields, nameFields, profileIntents } from "~/features/accounts/settings/profile.server";
import { Section } from "~/features/accounts/settings/section";
import { useRoot } from "~/lib/data/use-root";
import { constraintOf } from "~/lib/forms/constraint.server";
import { TextField } from "~/lib/forms/fields/text-field";
import { configContext } from "~/lib/http/context";
import { ThemeChoice } from "~/features/shell/theme-choice";
import { Button } from "~/lib/ui/inputs/button";
import { href } from "react-router";
import { Link } from "~/lib/ui/navigation/link";
import type { Route } from "./+types/account.profile";

export const meta: Route.MetaFunction = () => [{ title: "Account · Atelier" }];

export function loader({ context }: Route.LoaderArgs) {
  return {
    constraints: { name: constraintOf(nameFields), email: constraintOf(emailFields) },
    canChangeEmail: context.get(configContext).accounts.changeEmail,
    mail: mailProviderLink(context.get(configContext)) !== null,
  };
}

const act = accountAction(profileIntents);

export const action = (args: Route.ActionArgs) => (isPictureForm(args.request) ? updatePicture(args) : act(args));

export default function Profile({ loaderData: { constraints, canChangeEmail, mail } }: Route.ComponentProps) {
  const root = useRoot();
  if (!root?.user) return null;
  const { user, theme } = root;
  return (
    <>
      <Section title="Name" about="Shown next to your picture.">
        <NameForm name={user.name} constraint={constraints.name} />
      </Section>
      <Section title="Picture" about="A square picture. Without one, the first letter of your name is shown.">
        <PictureForm user={user} />
      </Section>
      {canChangeEmail ? (
        <Section
          title="Email"
          about={
            user.email === "" ? (
              "Your account has no email address, because your sign-in provider did not share one. Add one to receive emails and to sign in with a password or a link."
            ) : (
              <>
                You sign in with <strong className="font-medium wrap-anywhere text-ink">{user.email}</strong>
                {user.emailVerified ? ", which is verified." : ", which is not verified yet."}
                {mail && !user.emailVerified ? (
                  <>
                    {" "}
                    <Link to={href("/verify-email")} prefetch="intent" className="text-accent-text underline underline-offset-4">
                      Verify it
                    </Link>
                  </>
                ) : null}
              </>
            )
          }
        >
          <EmailForm email={user.email} constraint={constraints.email} />
        </Section>
      ) : null}
      <Section title="Theme" about="Saved on this device.">
        <div className="-ms-2.5 max-w-xs">
          <ThemeChoice theme={theme} />
        </div>
      </Section>
      <Section title="Log out" about="Ends the session on this device. Your projects do not change.">
        <form method="post" action={href("/sign-out")}>
          <Button type="submit">Log out of this device</Button>
        </form>
      </Section>
    </>
  );
}

type Constraint = Parameters<typeof useAccountForm>[0]["constraint"];

function NameForm({ name, constraint }: { name: string; constraint: Constraint }) {
  const state = useAccountForm({ id: "name", intent: "name", constraint, defaultValue: { name } });
  return (
    <AccountForm state={state} submit="Save name" successTexts={{ name: "Saved." }}>
      <TextField field={state.fields["name"]} label="Your name" autoComplete="name" />
    </AccountForm>
  );
}

function EmailForm({ email, constraint }: { email: string; constraint: Constraint }) {
  const state = useAccountForm({ id: "email", intent: "email", constraint });
  return (
    <AccountForm
      state={state}
      submit={email === "" ? "Add email" : "Change email"}
      successTexts={{
        email: `Email changed to ${email}.`,
        "email-asked": `We sent an email to ${email}. Open the link in it to confirm the change.`,
      }}
    >
      <TextField field={state.fields["newEmail"]} label="New email" type="email" autoComplete="email" />
    </AccountForm>
  );
}

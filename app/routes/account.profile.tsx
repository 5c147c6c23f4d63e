import { AccountForm, useAccountForm } from "~/accounts/screens/account-form";
import { mailWay } from "~/accounts/mail/way";
import { accountAction } from "~/accounts/screens/account-action.server";
import { isPictureForm, takePicture } from "~/accounts/screens/picture.server";
import { PictureForm } from "~/accounts/screens/picture-form";
import { emailFields, nameFields, profileIntents } from "~/accounts/screens/profile.server";
import { Section } from "~/accounts/screens/section";
import { useRoot } from "~/data/use-root";
import { constraintOf } from "~/forms/constraint.server";
import { TextField } from "~/forms/text-field";
import { configContext } from "~/http/context";
import { ThemeChoice } from "~/shell/theme-choice";
import { Button } from "~/ui/button";
import { href, Link } from "react-router";
import type { Route } from "./+types/account.profile";

export const meta: Route.MetaFunction = () => [{ title: "Account · Atelier" }];

export function loader({ context }: Route.LoaderArgs) {
  return {
    constraints: { name: constraintOf(nameFields), email: constraintOf(emailFields) },
    canChangeEmail: context.get(configContext).accounts.changeEmail,
    mail: mailWay(context.get(configContext)) !== null,
  };
}

const act = accountAction(profileIntents);

export const action = (args: Route.ActionArgs) => (isPictureForm(args.request) ? takePicture(args) : act(args));

/** Who somebody is to others: name, picture, address; and how the pages look to them. */
export default function Profile({ loaderData: { constraints, canChangeEmail, mail } }: Route.ComponentProps) {
  const root = useRoot();
  if (!root?.user) return null;
  const { user, theme } = root;
  return (
    <>
      <Section title="Name" about="Shown beside your picture.">
        <NameForm name={user.name} constraint={constraints.name} />
      </Section>
      <Section title="Picture" about="A square that stands for you. Without one, the first letter of your name does.">
        <PictureForm user={user} />
      </Section>
      {canChangeEmail ? (
        <Section
          title="Email"
          about={
            user.email === "" ? (
              "You have none here: the account that you sign in with told us none. With one you can be written to, and sign in by a password or a link."
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
      <Section title="Theme" about="Kept on this device.">
        <div className="-ml-2.5 max-w-xs">
          <ThemeChoice theme={theme} />
        </div>
      </Section>
      <Section title="Log out" about="Ends this session on this device. Your projects stay as they are.">
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
    <AccountForm state={state} submit="Save name" said={{ name: "Saved." }}>
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
      said={{
        email: `Changed to ${email}.`,
        "email-asked": `We have written to ${email}. The address changes once you confirm it there.`,
      }}
    >
      <TextField field={state.fields["newEmail"]} label="New email" type="email" autoComplete="email" />
    </AccountForm>
  );
}

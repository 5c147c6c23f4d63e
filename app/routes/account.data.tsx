import { Download } from "lucide-react";
import { href } from "react-router";
import { AccountForm, useAccountForm } from "~/accounts/screens/account-form";
import { accountAction } from "~/accounts/screens/account-action.server";
import { dataIntents, deletionFields } from "~/accounts/screens/deletion.server";
import { confirmationOf } from "~/accounts/screens/confirmation";
import { Section } from "~/accounts/screens/section";
import { convexFor } from "~/data/convex.server";
import { useLive } from "~/data/use-live";
import { useRoot } from "~/data/use-root";
import { constraintOf } from "~/forms/constraint.server";
import { FormPasswordField } from "~/forms/password-field";
import { TextField } from "~/forms/text-field";
import { configContext } from "~/http/context";
import { buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/account.data";

export const meta: Route.MetaFunction = () => [{ title: "Data · Atelier" }];

export async function loader({ context }: Route.LoaderArgs) {
  return {
    security: await convexFor(context).preload(api.accounts.mine.getSecurity, {}),
    canDelete: context.get(configContext).accounts.deleteUser,
    constraint: constraintOf(deletionFields),
  };
}

export const action = accountAction(dataIntents);

/** What is somebody's: to take along, and to end. */
export default function Data({ loaderData: { security, canDelete, constraint } }: Route.ComponentProps) {
  const { hasPassword } = useLive(security);
  const user = useRoot()?.user;
  if (!user) return null;
  return (
    <>
      <Section
        title="Take your data with you"
        about="A zip archive with everything that is yours: your account, projects, designs and their history as JSON, and every picture as you uploaded it, earlier versions and the trash included."
      >
        <div>
          <a href={href("/account/export")} download className={buttonClass()}>
            <Icon of={Download} />
            Download everything
          </a>
        </div>
      </Section>
      {canDelete ? (
        <Section
          dangerous
          title="Delete your account"
          about="Your account, your projects, designs and pictures are deleted, for you and for everybody who sees them. This cannot be undone."
        >
          <DeleteForm email={user.email} word={confirmationOf(user.email)} hasPassword={hasPassword} constraint={constraint} />
        </Section>
      ) : null}
    </>
  );
}

type DeleteFormProps = {
  email: string;
  word: string;
  hasPassword: boolean;
  constraint: Parameters<typeof useAccountForm>[0]["constraint"];
};

function DeleteForm({ email, word, hasPassword, constraint }: DeleteFormProps) {
  const state = useAccountForm({ id: "delete", intent: "delete", constraint });
  return (
    <AccountForm
      state={state}
      submit="Delete account"
      look="danger"
      said={{ "delete-asked": `We have written to ${email}. Your account is deleted once you follow the link there.` }}
    >
      <TextField
        field={state.fields["confirmation"]}
        label={`Type ${word} to confirm`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      {hasPassword ? <FormPasswordField field={state.fields["password"]} label="Your password" autoComplete="current-password" /> : null}
    </AccountForm>
  );
}

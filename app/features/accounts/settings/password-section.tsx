import { checkboxProps } from "~/lib/forms/fields/field-props";
import { FormPasswordField } from "~/lib/forms/fields/password-field";
import { useRoot } from "~/lib/data/use-root";
import { AccountForm, useAccountForm } from "./account-form";
import { Section } from "./section";

type Constraint = Parameters<typeof useAccountForm>[0]["constraint"];
type Constraints = { changePassword: Constraint; setPassword: Constraint };

const successTexts = { "change-password": "Your password was changed.", "set-password": "You can now sign in with your password." };
const LENGTH = "At least 8 characters";

/** Keeps the first-password form mounted while it is pending, because live data reports the new password earlier. */
export function PasswordSection({ has, constraints }: { has: boolean; constraints: Constraints }) {
  const first = useAccountForm({ id: "set-password", intent: "setPassword", constraint: constraints.setPassword });
  return has && !first.pending ? <ChangePassword constraint={constraints.changePassword} /> : <SetPassword state={first} />;
}

function ChangePassword({ constraint }: { constraint: Constraint }) {
  const state = useAccountForm({
    id: "change-password",
    intent: "changePassword",
    constraint,
    defaultValue: { revokeOtherSessions: "on" },
  });
  const { currentPassword, newPassword, revokeOtherSessions } = state.fields;
  return (
    <Section title="Password" about="Use a password that you do not use on other sites.">
      <AccountForm state={state} submit="Change password" successTexts={successTexts}>
        <UsernameField />
        <FormPasswordField field={currentPassword} label="Current password" autoComplete="current-password" />
        <FormPasswordField field={newPassword} label="New password" autoComplete="new-password" hint={LENGTH} />
        {revokeOtherSessions ? (
          <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
            <input {...checkboxProps(revokeOtherSessions)} key="revoke" className="size-4" />
            Sign out other sessions
          </label>
        ) : null}
      </AccountForm>
    </Section>
  );
}

function SetPassword({ state }: { state: ReturnType<typeof useAccountForm> }) {
  const root = useRoot();
  if (!root?.user?.email) {
    return (
      <Section title="Password" about="You have no password yet. To set one, first add an email address to your profile.">
        {null}
      </Section>
    );
  }
  return (
    <Section title="Password" about="You have no password yet. Set one to sign in with your email address as well.">
      <AccountForm state={state} submit="Set password">
        <UsernameField />
        <FormPasswordField field={state.fields["newPassword"]} label="New password" autoComplete="new-password" hint={LENGTH} />
      </AccountForm>
    </Section>
  );
}

function UsernameField() {
  const email = useRoot()?.user?.email ?? "";
  return <input type="text" value={email} readOnly hidden autoComplete="username" />;
}

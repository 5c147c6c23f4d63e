import { checkboxProps } from "~/forms/field-props";
import { FormPasswordField } from "~/forms/password-field";
import { useRoot } from "~/data/use-root";
import { AccountForm, useAccountForm } from "./account-form";
import { Section } from "./section";

type Constraint = Parameters<typeof useAccountForm>[0]["constraint"];
type Constraints = { changePassword: Constraint; setPassword: Constraint };

const said = { "change-password": "Your password was changed.", "set-password": "You can sign in with your password now." };
const LENGTH = "At least 8 characters";

/**
 * The password: changed with the one that was, or a first one for whoever signs in by other means; that form stays while it is on its way, though
 * the live answer says sooner that there is a password.
 */
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
    <Section title="Password" about="Use one that you use nowhere else.">
      <AccountForm state={state} submit="Change password" said={said}>
        <Whose />
        <FormPasswordField field={currentPassword} label="Current password" autoComplete="current-password" />
        <FormPasswordField field={newPassword} label="New password" autoComplete="new-password" hint={LENGTH} />
        {revokeOtherSessions ? (
          <label className="flex min-h-6 items-center gap-2 pointer-coarse:min-h-11">
            <input {...checkboxProps(revokeOtherSessions)} key="revoke" className="size-4 accent-accent" />
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
      <Section title="Password" about="You have none yet. Add an email address to your profile first: you sign in with both.">
        {null}
      </Section>
    );
  }
  return (
    <Section title="Password" about="You have none yet. With one you can sign in with your email address, too.">
      <AccountForm state={state} submit="Set password">
        <Whose />
        <FormPasswordField field={state.fields["newPassword"]} label="New password" autoComplete="new-password" hint={LENGTH} />
      </AccountForm>
    </Section>
  );
}

/** Tells a password manager whose password this is. */
function Whose() {
  const email = useRoot()?.user?.email ?? "";
  return <input type="text" value={email} readOnly hidden autoComplete="username" />;
}

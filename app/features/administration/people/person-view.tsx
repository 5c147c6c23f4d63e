import type { FunctionReturnType } from "convex/server";
import { providerName } from "~/features/accounts/session/provider-names";
import { AccountForm, useAccountForm } from "~/features/accounts/settings/account-form";
import { Section } from "~/features/accounts/settings/section";
import { TextField } from "~/lib/forms/fields/text-field";
import { bytesText } from "~/lib/ui/bytes-text";
import { count } from "~/lib/ui/count";
import { Day } from "~/lib/ui/time/day";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import type { api } from "#convex/_generated/api";
import { Badge } from "../badge";
import { Fact, Facts } from "../facts";

type ShownPerson = FunctionReturnType<typeof api.admin.people.get>;
type PersonProps = { person: ShownPerson };

export function PersonSummary({ person }: PersonProps) {
  const { email, emailVerified, createdAt, lastSeenAt, disabledAt, usage } = person;
  return (
    <Section title="Account" about="Administrators see no content of other people.">
      <Facts>
        <Fact name="Email address">
          {email} <Badge>{emailVerified ? "Verified" : "Not verified"}</Badge>
        </Fact>
        <Fact name="State">
          {disabledAt === null ? (
            "Enabled"
          ) : (
            <>
              Disabled since <Day at={disabledAt} />
            </>
          )}
        </Fact>
        <Fact name="Created">
          <Day at={createdAt} />
        </Fact>
        <Fact name="Last active">{lastSeenAt === null ? "No open session" : <RelativeTime at={lastSeenAt} />}</Fact>
        <Fact name="Content">
          {usage === null
            ? "Nothing stored yet"
            : `${count(usage.projects, "project")}, ${count(usage.designs, "design")}, ${count(usage.images, "image")}`}
        </Fact>
      </Facts>
    </Section>
  );
}

const GIGABYTE = 1_000_000_000;

export function PersonQuota({ person, defaultQuota }: PersonProps & { defaultQuota: number }) {
  const { id, quotaBytes, usage } = person;
  const defaultValue = { quota: quotaBytes === null ? "" : String(quotaBytes / GIGABYTE) };
  const state = useAccountForm({ id: "quota", intent: "setQuota", defaultValue });
  const used = `${bytesText(usage?.bytes ?? 0)} of ${bytesText(quotaBytes ?? defaultQuota)} used.`;
  return (
    <Section title="Storage" about={used}>
      <AccountForm state={state} hidden={{ userId: id }} submit="Save quota" successTexts={{ "quota-saved": "Quota saved." }}>
        <TextField
          field={state.fields["quota"]}
          label="Quota in GB"
          inputMode="decimal"
          autoComplete="off"
          hint={`Empty: ${bytesText(defaultQuota)}, the quota of this installation (STORAGE_QUOTA_BYTES).`}
        />
      </AccountForm>
    </Section>
  );
}

export function PersonSignIn({ person, sendsMail }: PersonProps & { sendsMail: boolean }) {
  const { methods, passkeys, twoFactor, sessions, accessTokens, emailVerified } = person;
  const all = [...methods.map(providerName), ...(passkeys > 0 ? [count(passkeys, "passkey")] : [])];
  return (
    <Section title="Sign-in" about="How the person signs in. They are notified when the second factor is reset.">
      <Facts>
        <Fact name="Methods">{all.length === 0 ? "None" : all.join(", ")}</Fact>
        <Fact name="Second factor">{twoFactor ? "On" : "Off"}</Fact>
        <Fact name="Active sessions">{count(sessions, "session")}</Fact>
        <Fact name="Access tokens">{count(accessTokens, "token")}</Fact>
      </Facts>
      <div className="grid gap-4">
        {sessions > 0 ? <SignOutForm person={person} /> : null}
        {twoFactor ? <ResetSecondFactorForm person={person} /> : null}
        {!emailVerified && sendsMail ? <ResendVerificationForm person={person} /> : null}
      </div>
    </Section>
  );
}

function SignOutForm({ person: { id } }: PersonProps) {
  const state = useAccountForm({ id: "sign-out-everywhere", intent: "signOutPerson" });
  return (
    <AccountForm
      state={state}
      hidden={{ userId: id }}
      submit="Sign out everywhere"
      successTexts={{ "person-signed-out": "Signed out of all sessions." }}
    />
  );
}

function ResetSecondFactorForm({ person: { id } }: PersonProps) {
  const state = useAccountForm({ id: "reset-second-factor", intent: "resetSecondFactor" });
  return (
    <AccountForm
      state={state}
      hidden={{ userId: id }}
      submit="Reset second factor"
      successTexts={{ "second-factor-reset": "Two-factor authentication is turned off." }}
    />
  );
}

function ResendVerificationForm({ person: { id } }: PersonProps) {
  const state = useAccountForm({ id: "resend-verification", intent: "resendVerification" });
  return (
    <AccountForm
      state={state}
      hidden={{ userId: id }}
      submit="Resend verification"
      successTexts={{ "verification-sent": "The verification email was sent." }}
    />
  );
}

export function PersonRole({ person: { id, isAdministrator, isLastAdministrator } }: PersonProps) {
  const state = useAccountForm({ id: "remove-administrator", intent: "removeAdministrator" });
  const about = isLastAdministrator
    ? "This is the last administrator, so the role can only be removed after another account has it (npm run user -- admin EMAIL)."
    : isAdministrator
      ? "The operator gave the role (npm run user -- admin EMAIL)."
      : "A group at the issuer grants the role. To remove it, remove the person from the group.";
  return (
    <Section title="Administrator" about={about}>
      {isAdministrator && !isLastAdministrator ? (
        <AccountForm state={state} hidden={{ userId: id }} submit="Remove administrator role" variant="danger" />
      ) : null}
    </Section>
  );
}

export function PersonAccess({ person: { id, disabledAt } }: PersonProps) {
  return disabledAt === null ? (
    <Section
      dangerous
      title="Disable account"
      about="Ends all sessions at once. The person and their access tokens are refused. Projects, members and public links stay."
    >
      <DisableForm userId={id} />
    </Section>
  ) : (
    <Section title="Enable account" about="The person can sign in again.">
      <EnableForm userId={id} />
    </Section>
  );
}

function DisableForm({ userId }: { userId: string }) {
  const state = useAccountForm({ id: "disable", intent: "disablePerson" });
  return <AccountForm state={state} hidden={{ userId }} submit="Disable account" variant="danger" />;
}

function EnableForm({ userId }: { userId: string }) {
  const state = useAccountForm({ id: "enable", intent: "enablePerson" });
  return <AccountForm state={state} hidden={{ userId }} submit="Enable account" />;
}

export function PersonDeletion({ person: { id, email } }: PersonProps) {
  const state = useAccountForm({ id: "delete-person", intent: "deletePerson" });
  return (
    <Section
      dangerous
      title="Delete account"
      about="Deletes the account with all its projects, designs and images, for everyone who can see them. This cannot be undone."
    >
      <AccountForm state={state} hidden={{ userId: id }} submit="Delete account" variant="danger">
        <TextField
          field={state.fields["confirmation"]}
          label={`Type ${email} to confirm`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      </AccountForm>
    </Section>
  );
}

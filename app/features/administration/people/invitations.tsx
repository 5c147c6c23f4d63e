import type { FunctionReturnType } from "convex/server";
import { AccountForm, useAccountForm } from "~/features/accounts/settings/account-form";
import { TextField } from "~/lib/forms/fields/text-field";
import { CopyField } from "~/lib/ui/inputs/copy-field";
import { RowList } from "~/lib/ui/row-list";
import { Day } from "~/lib/ui/time/day";
import type { api } from "#convex/_generated/api";

type InviteFormProps = { constraint: Parameters<typeof useAccountForm>[0]["constraint"]; sendsMail: boolean };

export function InviteForm({ constraint, sendsMail }: InviteFormProps) {
  const state = useAccountForm({ id: "invite", intent: "inviteToInstallation", constraint });
  const link = state.answer?.invitationLink;
  return (
    <AccountForm state={state} submit="Invite">
      <TextField field={state.fields["email"]} label="Email address" type="email" autoComplete="off" />
      {link === undefined ? null : (
        <div role="status" className="grid gap-2">
          <p className="text-soft">
            {sendsMail ? "The invitation is sent. You can also give the person this link." : "Send this link to the person."} It works once
            and expires in seven days. It is shown only now.
          </p>
          <CopyField label="Invitation link" value={link} />
        </div>
      )}
    </AccountForm>
  );
}

type Invitation = FunctionReturnType<typeof api.admin.invitations.list>[number];

export function InvitationList({ invitations }: { invitations: Invitation[] }) {
  return (
    <RowList label="Invitations">
      {invitations.map((invitation) => (
        <li key={invitation._id} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 bg-card p-4">
          <div className="grid min-w-0 gap-0.5">
            <h3 className="text-base font-medium wrap-anywhere">{invitation.email}</h3>
            <p className="text-sm text-faint">
              Expires on <Day at={invitation.expiresAt} />
            </p>
          </div>
          <RevokeInvitation email={invitation.email} />
        </li>
      ))}
    </RowList>
  );
}

function RevokeInvitation({ email }: { email: string }) {
  const state = useAccountForm({ id: `revoke-${email}`, intent: "revokeInvitation" });
  return (
    <AccountForm
      state={state}
      className="grid gap-3"
      hidden={{ email }}
      submit={
        <>
          Revoke<span className="sr-only"> the invitation for {email}</span>
        </>
      }
    />
  );
}

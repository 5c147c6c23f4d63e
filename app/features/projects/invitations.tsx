import type { FunctionReturnType } from "convex/server";
import { useState } from "react";
import { useActionData } from "react-router";
import { TextField } from "~/lib/forms/fields/text-field";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { Button } from "~/lib/ui/inputs/button";
import { CopyField } from "~/lib/ui/inputs/copy-field";
import { Select } from "~/lib/ui/inputs/select";
import { Day } from "~/lib/ui/time/day";
import type { api } from "#convex/_generated/api";
import { MEMBER_ROLES } from "#convex/model/rights";
import { ROLE_NAMES } from "./member-list";

type Invitation = FunctionReturnType<typeof api.invitations.list>[number];
type InvitationsProps = { projectId: string; invitations: Invitation[]; mail: boolean };

export function Invitations({ projectId, invitations, mail }: InvitationsProps) {
  return (
    <section aria-label="Invitations" className="grid max-w-3xl gap-4">
      <h2 className="text-lg">Invite people</h2>
      <InviteForm mail={mail} />
      {invitations.length > 0 ? (
        <ul aria-label="Invitations" className="grid gap-px overflow-hidden rounded-lg border bg-line">
          {invitations.map((invitation) => (
            <li key={invitation._id} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 bg-card px-4 py-3">
              <InvitationRow projectId={projectId} invitation={invitation} mail={mail} />
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

function InviteForm({ mail }: { mail: boolean }) {
  const state = useIntentForm({ id: "invite", intent: "inviteMember" });
  const { email, role } = state.fields;
  const [invited, setInvited] = useState(0);
  return (
    <div className="grid gap-3">
      <IntentForm state={state} className="flex flex-wrap items-start gap-3" onDone={() => setInvited((count) => count + 1)}>
        <TextField key={invited} field={email} label="Email" type="email" autoComplete="off" className="min-w-56 flex-1" />
        <div className="grid gap-1.5">
          <label htmlFor={`${state.id}-role`} className="text-sm font-medium text-soft">
            Role
          </label>
          <Select id={`${state.id}-role`} name="role" defaultValue={typeof role?.initialValue === "string" ? role.initialValue : "viewer"}>
            {MEMBER_ROLES.map((role) => (
              <option key={role} value={role}>
                {ROLE_NAMES[role]}
              </option>
            ))}
          </Select>
        </div>
        <Button type="submit" variant="primary" className="mt-6.5">
          {mail ? "Send invitation" : "Create invitation link"}
        </Button>
      </IntentForm>
      <Sent form="invite" answer={state.fetcher.data} />
    </div>
  );
}

function InvitationRow({ projectId, invitation, mail }: { projectId: string; invitation: Invitation; mail: boolean }) {
  const { _id, email, role, expiresAt, acceptedBy } = invitation;
  const again = useIntentForm({ id: `again-${_id}`, intent: "inviteMember" });
  const revoke = useIntentForm({ id: `revoke-${_id}`, intent: "revokeInvitation" });
  return (
    <>
      <div className="grid min-w-0 gap-0.5">
        <p className="wrap-anywhere">{email}</p>
        <p className="text-sm wrap-anywhere text-faint">
          {ROLE_NAMES[role]},{" "}
          {acceptedBy ? (
            <>
              accepted by <bdi>{acceptedBy.name}</bdi>
              {acceptedBy.email === undefined ? null : ` (${acceptedBy.email})`}
            </>
          ) : (
            <>
              expires on <Day at={expiresAt} />
            </>
          )}
        </p>
      </div>
      {acceptedBy ? null : (
        <div className="flex flex-wrap items-center gap-2">
          <IntentForm state={again} hidden={{ email, role }}>
            <Button type="submit" variant="quiet">
              {mail ? "Send again" : "New link"}
              <span className="sr-only"> to {email}</span>
            </Button>
          </IntentForm>
          <IntentForm state={revoke} hidden={{ projectId, invitationId: _id }}>
            <Button type="submit" variant="ghost">
              Revoke<span className="sr-only"> invitation of {email}</span>
            </Button>
          </IntentForm>
        </div>
      )}
      <Sent form={again.id} answer={again.fetcher.data} />
    </>
  );
}

function Sent({ form, answer }: { form: string; answer: unknown }) {
  const fromPage = useActionData<unknown>();
  const invited = invitedIn(answer, form) ?? invitedIn(fromPage, form);
  return (
    <div role="status" className="grid basis-full gap-2 text-sm text-soft empty:hidden">
      {invited === null ? null : invited.link === null ? (
        <p className="wrap-anywhere">Invitation sent to {invited.email}.</p>
      ) : (
        <>
          <p className="wrap-anywhere">
            Send this link to {invited.email}. The first person who opens it can accept. Copy it now. It is not shown again.
          </p>
          <CopyField value={invited.link} label="Invitation link" />
        </>
      )}
    </div>
  );
}

function invitedIn(answer: unknown, form: string): { email: string; link: string | null } | null {
  if (typeof answer !== "object" || answer === null || !("form" in answer) || answer.form !== form || !("invited" in answer)) return null;
  const { invited } = answer;
  if (typeof invited !== "object" || invited === null || !("email" in invited) || !("link" in invited)) return null;
  const { email, link } = invited;
  return typeof email === "string" && (typeof link === "string" || link === null) ? { email, link } : null;
}

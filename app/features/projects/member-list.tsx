import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { Button } from "~/lib/ui/inputs/button";
import { Select } from "~/lib/ui/inputs/select";
import { MEMBER_ROLES } from "#convex/model/rights";
import type { Member } from "./member-intents";

export const ROLE_NAMES = { owner: "Owner", editor: "Editor", commenter: "Commenter", viewer: "Viewer" } as const;

type MemberListProps = {
  projectId: string;
  owner: { name: string; isMe: boolean; mayManage: boolean };
  members: Member[];
};

export function MemberList({ projectId, owner, members }: MemberListProps) {
  return (
    <ul className="grid max-w-3xl gap-px overflow-hidden rounded-lg border bg-line" aria-label="Members">
      <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 bg-card px-4 py-3">
        <Person {...owner} />
        <span className="text-faint">{ROLE_NAMES.owner}</span>
      </li>
      {members.map((member) => (
        <li key={member.userId} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 bg-card px-4 py-3">
          <Person {...member} />
          {owner.mayManage ? (
            <div className="flex flex-wrap items-center gap-2">
              <RoleForm projectId={projectId} member={member} />
              <RemoveForm projectId={projectId} member={member} />
            </div>
          ) : (
            <span className="flex items-center gap-4 text-faint">
              {ROLE_NAMES[member.role]}
              {member.isMe ? <LeaveForm projectId={projectId} /> : null}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Person({ name, email, isMe }: { name: string; email?: string; isMe: boolean }) {
  return (
    <div className="grid min-w-0 gap-0.5">
      <h2 className="text-base font-medium wrap-anywhere">
        <bdi>{name}</bdi>
        {isMe ? <span className="ms-2 rounded-sm bg-hover px-1.5 py-0.5 text-xs text-accent-text">You</span> : null}
      </h2>
      {email === undefined ? null : <p className="text-sm wrap-anywhere text-faint">{email}</p>}
    </div>
  );
}

function RoleForm({ projectId, member: { userId, name, role } }: { projectId: string; member: Member }) {
  const state = useIntentForm({ id: `role-${userId}`, intent: "setMemberRole" });
  return (
    <IntentForm state={state} hidden={{ projectId, userId }} className="flex items-center gap-2">
      <Select key={role} name="role" defaultValue={role} aria-label={`Role of ${name}`}>
        {MEMBER_ROLES.map((each) => (
          <option key={each} value={each}>
            {ROLE_NAMES[each]}
          </option>
        ))}
      </Select>
      <Button type="submit" variant="quiet">
        Save<span className="sr-only"> for {name}</span>
      </Button>
    </IntentForm>
  );
}

function RemoveForm({ projectId, member: { userId, name } }: { projectId: string; member: Member }) {
  const state = useIntentForm({ id: `remove-${userId}`, intent: "removeMember" });
  return (
    <IntentForm state={state} hidden={{ projectId, userId }}>
      <Button type="submit" variant="ghost">
        Remove<span className="sr-only"> {name}</span>
      </Button>
    </IntentForm>
  );
}

function LeaveForm({ projectId }: { projectId: string }) {
  const state = useIntentForm({ id: "leave", intent: "leaveProject" });
  return (
    <IntentForm state={state} hidden={{ projectId }}>
      <Button type="submit" variant="ghost">
        Leave project
      </Button>
    </IntentForm>
  );
}

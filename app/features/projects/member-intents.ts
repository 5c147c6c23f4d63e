import type { OptimisticLocalStore } from "convex/browser";
import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { intent, type IntentName } from "~/lib/forms/intents";
import { api } from "#convex/_generated/api";
import { MEMBER_ROLES, type MemberRole } from "#convex/model/rights";

export type Member = FunctionReturnType<typeof api.members.list>["page"][number];

const roleIn = (text: string): MemberRole => MEMBER_ROLES.find((role) => role === text) ?? "viewer";

export const memberIntents = {
  setMemberRole: intent({
    mutation: api.members.setRole,
    fields: ["projectId", "userId", "role"],
    args: ({ projectId, userId, role }) => ({ projectId, userId, role: roleIn(role) }),
    optimistic: (store, { projectId, userId, role }) =>
      changeMembers(store, projectId, (members) => members.map((member) => (member.userId === userId ? { ...member, role } : member))),
    message: { text: "Role changed" },
  }),

  removeMember: intent({
    mutation: api.members.remove,
    fields: ["projectId", "userId"],
    args: ({ projectId, userId }) => ({ projectId, userId }),
    optimistic: (store, { projectId, userId }) =>
      changeMembers(store, projectId, (members) => members.filter((member) => member.userId !== userId)),
    message: { text: "Member removed" },
  }),

  leaveProject: intent({
    mutation: api.members.leave,
    fields: ["projectId"],
    args: ({ projectId }) => ({ projectId }),
    then: () => href("/shared"),
    message: { text: "You left the project" },
  }),

  revokeInvitation: intent({
    mutation: api.invitations.revoke,
    fields: ["projectId", "invitationId"],
    args: ({ projectId, invitationId }) => ({ projectId, invitationId }),
    optimistic(store, { projectId, invitationId }) {
      const invitations = store.getQuery(api.invitations.list, { projectId });
      if (invitations)
        store.setQuery(
          api.invitations.list,
          { projectId },
          invitations.filter(({ _id }) => _id !== invitationId),
        );
    },
    message: { text: "Invitation revoked" },
  }),
};

/** Runs on the app server only, which creates the token (`project-invitations.server.ts`). */
export const INVITE: IntentName = "inviteMember";

declare module "~/lib/forms/intents" {
  interface IntentTables {
    members: typeof memberIntents & Record<"inviteMember", unknown>;
  }
}

function changeMembers(store: OptimisticLocalStore, projectId: string, change: (members: Member[]) => Member[]): void {
  for (const { args, value } of store.getAllQueries(api.members.list))
    if (value && args.projectId === projectId) store.setQuery(api.members.list, args, { ...value, page: change(value.page) });
}

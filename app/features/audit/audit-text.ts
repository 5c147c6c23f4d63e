import { providerName } from "~/features/accounts/session/provider-names";
import { count } from "~/lib/ui/count";
import { type AuditAction, type AuditCategory, isAuditAction, type SignInMethod } from "#convex/model/audit/auditActions";
import type { AuditEntry } from "#convex/model/audit/ownEvents";

export const CATEGORY_NAMES: Record<AuditCategory, string> = {
  signIn: "Sign-ins",
  session: "Sessions",
  account: "Account and security",
  sharing: "Sharing",
  token: "Tokens and webhooks",
  data: "Exports and deletions",
  operation: "Operation",
};

const METHODS: Record<SignInMethod, string> = {
  password: "password",
  signUp: "new account",
  provider: "provider",
  link: "emailed link",
  code: "emailed code",
  passkey: "passkey",
  authenticator: "authenticator code",
  mailedCode: "emailed second factor",
  backupCode: "backup code",
  trustedDevice: "password on a trusted device",
  verification: "verification link",
  other: "other method",
};

type Shown = Pick<AuditEntry, "action" | "details">;
type Details = NonNullable<AuditEntry["details"]>;

const TEXTS: Record<AuditAction, string | ((details: Details) => string)> = {
  "signIn.succeeded": (details) => `Signed in (${methodText(details)})`,
  "signIn.challenged": (details) => `First sign-in step accepted (${methodText(details)}), second factor required`,
  "signIn.failed": (details) => `Sign-in failed (${methodText(details)})`,
  "secondFactor.locked": "Second factor locked after too many failed attempts",
  "session.ended": "Signed out",
  "session.revoked": ({ count: sessions = 1 }) => `${count(sessions, "session")} signed out`,
  "account.created": (details) => (details.method === "provider" ? `Account created (${methodText(details)})` : "Account created"),
  "account.linked": (details) => `${providerOf(details)} connected`,
  "account.unlinked": (details) => (details.provider === "credential" ? "Password removed" : `${providerOf(details)} disconnected`),
  "email.changed": "Email address changed",
  "email.verified": "Email address verified",
  "password.added": "Password added",
  "password.changed": ({ isReset }) => (isReset === true ? "Password reset" : "Password changed"),
  "password.resetRequested": "Password reset requested",
  "password.rejected": "Wrong password entered in the account settings",
  "passkey.added": "Passkey added",
  "passkey.removed": "Passkey removed",
  "twoFactor.enabled": "Two-factor authentication turned on",
  "twoFactor.disabled": "Two-factor authentication turned off",
  "backupCodes.created": "New backup codes created",
  "device.trusted": "Device trusted for two-factor authentication",
  "credentials.removed": "Earlier sign-in methods removed, because the email address was verified",
  "invitation.created": ({ role }) => (role === undefined ? "Invitation created" : `Invited a person as ${role}`),
  "invitation.revoked": "Invitation revoked",
  "invitation.accepted": ({ role = "member" }) => `Joined a project as ${role}`,
  "member.roleChanged": ({ role = "member" }) => `Changed a member's role to ${role}`,
  "member.removed": "Removed a member",
  "member.left": "Left a project",
  "transfer.offered": "Offered a project to a member",
  "transfer.cancelled": "Cancelled a project transfer",
  "transfer.accepted": "Accepted a project transfer",
  "transfer.declined": "Declined a project transfer",
  "link.created": "Public link created",
  "link.changed": "Public link changed",
  "link.revoked": "Public link revoked",
  "accessToken.created": "Access token created",
  "accessToken.revoked": "Access token revoked",
  "webhook.created": "Webhook created",
  "webhook.removed": "Webhook removed",
  "signInLink.created": "Sign-in link created",
  "data.exported": "Account data exported",
  "accountActivity.exported": "Account activity exported",
  "auditLog.exported": "Audit log exported",
  "archive.downloaded": "Archive of images downloaded",
  "item.deleted": "Item deleted permanently",
  "trash.emptied": "Trash emptied",
  "account.deleted": "Account deleted",
  "administrator.added": "Administrator role given",
  "administrator.removed": "Administrator role removed",
  "account.disabled": "Account disabled",
  "account.enabled": "Account enabled",
  "quota.changed": "Storage quota changed",
  "job.repeated": ({ job = "" }) => (job === "" ? "Job retried" : `Job retried: ${job}`),
  "testMail.queued": "Test email sent",
  "backup.taken": "Backup taken and tested",
  "backup.written": "Backup written to a folder",
  "backup.failed": "Backup failed",
  "backup.restored": "Backup restored",
  "database.rolledBack": "Database restored from a snapshot",
  "data.moved": "Data moved to this deployment",
  "settings.changed": ({ settings = [] }) => `Settings changed: ${settings.join(", ")}`,
};

/** Events of a later build can have an action that this build does not have. */
export function auditText({ action, details = {} }: Shown): string {
  if (!isAuditAction(action)) return "Other event";
  const text = TEXTS[action];
  return typeof text === "string" ? text : text(details);
}

export function actorText({ actor }: Pick<AuditEntry, "actor">): string | null {
  return ACTORS[actor];
}

const ACTORS: Record<AuditEntry["actor"], string | null> = {
  user: null,
  visitor: "not signed in",
  administrator: "by an administrator",
  operator: "by the operator",
  system: "automatically",
};

const methodText = ({ method = "other", ...details }: Details): string =>
  method === "provider" && details.provider !== undefined ? providerOf(details) : METHODS[method];

const providerOf = ({ provider = "" }: Details): string => (provider === "" ? "Provider" : providerName(provider));

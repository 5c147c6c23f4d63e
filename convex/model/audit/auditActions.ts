/** Actions of the audit log (docs/decisions/215-audit-log.md). New ones may be added but never changed: older events remain stored. */

export const AUDIT_CATEGORIES = ["signIn", "session", "account", "sharing", "token", "data", "operation"] as const;
export type AuditCategory = (typeof AUDIT_CATEGORIES)[number];

export const SIGN_IN_METHODS = [
  "password",
  "signUp",
  "provider",
  "link",
  "code",
  "passkey",
  "authenticator",
  "mailedCode",
  "backupCode",
  "trustedDevice",
  "verification",
  "other",
] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

type Rule = {
  category: AuditCategory;
  result?: "failure";
  details?: readonly string[];
  optional?: readonly string[];
};

export const AUDIT_ACTIONS = {
  "signIn.succeeded": { category: "signIn", details: ["method"], optional: ["provider"] },
  "signIn.challenged": { category: "signIn", details: ["method"], optional: ["provider"] },
  "signIn.failed": { category: "signIn", result: "failure", details: ["method", "reason"], optional: ["provider", "isLast"] },
  "secondFactor.locked": { category: "signIn", result: "failure" },
  "session.ended": { category: "session" },
  "session.revoked": { category: "session", details: ["count"] },

  "account.created": { category: "account", details: ["method"], optional: ["provider"] },
  "account.linked": { category: "account", details: ["provider"] },
  "account.unlinked": { category: "account", details: ["provider"] },
  "email.changed": { category: "account" },
  "email.verified": { category: "account" },
  "password.added": { category: "account" },
  "password.changed": { category: "account", details: ["isReset"] },
  "password.resetRequested": { category: "account" },
  "password.rejected": { category: "account", result: "failure", optional: ["isLast"] },
  "passkey.added": { category: "account" },
  "passkey.removed": { category: "account" },
  "twoFactor.enabled": { category: "account" },
  "twoFactor.disabled": { category: "account" },
  "backupCodes.created": { category: "account" },
  "device.trusted": { category: "account" },
  /** Somebody proved the address of an account that anyone may have created, which removed its earlier credentials. */
  "credentials.removed": { category: "account" },

  "invitation.created": { category: "sharing", optional: ["role"] },
  "invitation.revoked": { category: "sharing" },
  "invitation.accepted": { category: "sharing", details: ["role"] },
  "member.roleChanged": { category: "sharing", details: ["role"] },
  "member.removed": { category: "sharing" },
  "member.left": { category: "sharing" },
  "transfer.offered": { category: "sharing" },
  "transfer.cancelled": { category: "sharing" },
  "transfer.accepted": { category: "sharing" },
  "transfer.declined": { category: "sharing" },
  "link.created": { category: "sharing" },
  "link.changed": { category: "sharing" },
  "link.revoked": { category: "sharing" },

  "accessToken.created": { category: "token" },
  "accessToken.revoked": { category: "token" },
  "webhook.created": { category: "token" },
  "webhook.removed": { category: "token" },
  "signInLink.created": { category: "token" },

  "data.exported": { category: "data" },
  "accountActivity.exported": { category: "data" },
  "auditLog.exported": { category: "data" },
  "archive.downloaded": { category: "data" },
  "item.deleted": { category: "data" },
  "trash.emptied": { category: "data" },
  "account.deleted": { category: "data" },

  "administrator.added": { category: "operation" },
  "administrator.removed": { category: "operation" },
  "account.disabled": { category: "operation" },
  "account.enabled": { category: "operation" },
  "quota.changed": { category: "operation" },
  "job.repeated": { category: "operation", details: ["job"] },
  "testMail.queued": { category: "operation" },

  "backup.taken": { category: "operation" },
  /** A copy to a folder, which is not tested. */
  "backup.written": { category: "operation" },
  "backup.failed": { category: "operation", result: "failure" },
  "backup.restored": { category: "operation" },
  "database.rolledBack": { category: "operation" },
  "data.moved": { category: "operation" },
  "settings.changed": { category: "operation", details: ["settings"] },
} as const satisfies Record<string, Rule>;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

export const isAuditAction = (name: string): name is AuditAction => Object.hasOwn(AUDIT_ACTIONS, name);
export const AUDIT_ACTION_NAMES: AuditAction[] = Object.keys(AUDIT_ACTIONS).filter(isAuditAction);

/** Pages of an earlier build have no text for these. */
const LATER: readonly AuditAction[] = [
  "auditLog.exported",
  "archive.downloaded",
  "backup.written",
  "backup.restored",
  "database.rolledBack",
  "job.repeated",
  "testMail.queued",
];
export const EARLIER_ACTION_NAMES: AuditAction[] = AUDIT_ACTION_NAMES.filter((name) => !LATER.includes(name));

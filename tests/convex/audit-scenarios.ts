import { expect } from "vitest";
import { api, internal } from "../../convex/_generated/api";
import type { Id } from "../../convex/_generated/dataModel";
import type { AuditAction } from "../../convex/model/audit/auditActions";
import { type Backend, type Caller, NETWORK, type Person, probe, signUp } from "./backends.ts";
import { refused } from "./expect.ts";
import type { shareProject } from "./shared-project.ts";
import { equals } from "./equals.ts";

export const store = api.accounts.store;
export const ADDRESS = "198.51.100.0/24";
export const DAY = 24 * 60 * 60 * 1000;

export type Fixtures = Awaited<ReturnType<typeof shareProject>> & { backend: Backend; server: Caller };
type Expected = Record<string, unknown>;

/** Runs an action once, and a second time where a form may be submitted twice. Returns the fields of the only event. */
type Scenario = (fixtures: Fixtures) => Promise<Expected>;

const dates = () => ({ createdAt: Date.now(), updatedAt: Date.now() });
export const session = (userId: string, id = `new session of ${userId}`) => ({
  id,
  token: `token of ${id}`,
  userId,
  expiresAt: Date.now() + DAY,
  ...dates(),
});
export const verification = (identifier: string, value: string) => ({
  id: `${identifier} ${value}`,
  identifier: `${identifier}${value}`,
  value,
  expiresAt: Date.now() + DAY,
  ...dates(),
});
const own = ({ userId }: Person, address = NETWORK): Expected => ({ actor: "user", userId, address, result: "success" });
const failed = (userId: string, details?: object): Expected => ({
  actor: "visitor",
  userId,
  address: ADDRESS,
  result: "failure",
  ...(details && { details }),
});

export const insert = ({ backend }: Fixtures, table: string, row: object) => backend.inside.mutation(probe.insert, { table, row });

async function linkOf({ server, ada, project }: Fixtures): Promise<Id<"links">> {
  const link = { itemId: project, tokenHash: crypto.randomUUID(), sealedToken: "sealed", passwordHash: null, ...linkSettings };
  const call = { sessionId: ada.sessionId, address: ADDRESS, ...link, key: "of one form" };
  const id = await server.mutation(api.links.create, call);
  expect(await server.mutation(api.links.create, call)).toBe(id);
  return id;
}
const linkSettings = { name: "for the client", downloads: false, comments: false, expiresAt: null };

const setFactor = ({ backend }: Fixtures, row: Record<string, unknown> | undefined, fields: object) =>
  backend.inside.mutation(probe.patch, { table: "users", id: String(row?.["_id"]), fields });
const userRow = async ({ backend }: Fixtures, { userId }: Person) =>
  (await backend.inside.query(probe.rows, { table: "users", field: "id", value: userId }))[0];

async function offered({ server, backend, ada, eve, project }: Fixtures): Promise<string> {
  await server.mutation(api.transfers.offer, { sessionId: ada.sessionId, projectId: project, userId: eve.userId, address: ADDRESS });
  const [transfer] = await backend.inside.query(probe.rows, { table: "transfers", field: "projectId", value: project });
  return String(transfer?.["_id"]);
}

async function invited(fixtures: Fixtures, email = "kim@example.com"): Promise<string> {
  const { server, ada, project, backend } = fixtures;
  const invitation = { projectId: project, email, role: "commenter" as const, tokenHash: `hash ${project}`, isMailed: false };
  await server.mutation(api.invitations.invite, { sessionId: ada.sessionId, address: ADDRESS, ...invitation });
  const [row] = await backend.inside.query(probe.rows, { table: "invitations", field: "projectId", value: project });
  return String(row?.["_id"]);
}

async function userUpdate(f: Fixtures, update: Record<string, unknown>, path = "/update-user"): Promise<Expected> {
  await f.server.mutation(store.update, {
    model: "users",
    where: [equals("id", f.ada.userId)],
    update,
    request: { path, address: ADDRESS },
  });
  return own(f.ada, ADDRESS);
}

async function factorUpdate(f: Fixtures, update: Record<string, unknown>, path: string): Promise<void> {
  const { userId } = f.ada;
  await insert(f, "twoFactors", { id: `factor ${userId}`, userId, secret: "s", backupCodes: "old" });
  const change = { model: "twoFactors", where: [equals("userId", userId)], update, request: { path, address: ADDRESS } };
  await f.server.mutation(store.update, change);
  await f.server.mutation(store.update, change);
}

export const scenarios: Record<AuditAction, Scenario> = {
  async "signIn.succeeded"({ server, ada }) {
    const request = { path: "/callback/github", address: ADDRESS };
    await server.mutation(store.create, { model: "sessions", data: session(ada.userId), request });
    return { ...own(ada, ADDRESS), details: { method: "provider", provider: "github" } };
  },
  async "signIn.challenged"(f) {
    await setFactor(f, await userRow(f, f.ada), { twoFactorEnabled: true });
    const request = { path: "/sign-in/email", address: ADDRESS };
    await f.server.mutation(store.create, { model: "sessions", data: session(f.ada.userId), request });
    const where = [equals("token", session(f.ada.userId).token)];
    await f.server.mutation(store.deleteMany, { model: "sessions", where, request: { ...request, endsOwnSession: true } });
    return { ...own(f.ada, ADDRESS), details: { method: "password" } };
  },
  async "signIn.failed"({ server, ada }) {
    const request = { path: "/sign-in/email", address: ADDRESS, userId: ada.userId };
    await server.mutation(api.auditLog.recordFailure, { kind: "signIn", reason: "INVALID_EMAIL_OR_PASSWORD", request, isLast: true });
    return failed(ada.userId, { method: "password", reason: "INVALID_EMAIL_OR_PASSWORD", isLast: true });
  },
  async "secondFactor.locked"(f) {
    await factorUpdate(f, { lockedUntil: Date.now() + DAY }, "/two-factor/verify-totp");
    return { actor: "user", userId: f.ada.userId, result: "failure", address: ADDRESS };
  },
  async "session.ended"({ server, ada }) {
    const call = { model: "sessions", where: [equals("id", ada.sessionId)], request: { path: "/sign-out", address: ADDRESS } };
    await server.mutation(store.deleteMany, call);
    await server.mutation(store.deleteMany, call);
    return own(ada, ADDRESS);
  },
  async "session.revoked"(f) {
    for (const each of [1, 2]) await insert(f, "sessions", session(f.ada.userId, `${each} of ${f.ada.userId}`));
    const call = { model: "sessions", where: [equals("userId", f.ada.userId)], request: { path: "/change-password", address: ADDRESS } };
    await f.server.mutation(store.deleteMany, call);
    await f.server.mutation(store.deleteMany, call);
    return { ...own(f.ada, ADDRESS), details: { count: 2 } };
  },

  async "account.created"({ server, ada }) {
    const id = `new${ada.userId}`;
    const user = { id, name: "New", email: `${id}@example.com`, emailVerified: false, ...dates() };
    const account = { id, userId: id, providerId: "credential", accountId: id, password: "hash", ...dates() };
    const request = { path: "/sign-up/email", address: ADDRESS };
    const writes = [
      { kind: "insert" as const, model: "users", data: user },
      { kind: "insert" as const, model: "accounts", data: account },
    ];
    await server.mutation(store.commit, { writes, request });
    return { actor: "user", userId: id, address: ADDRESS, details: { method: "signUp" } };
  },
  async "account.linked"(f) {
    await addAccount(f, "credential");
    await addAccount(f, "github", "/callback/github");
    return { ...own(f.ada, ADDRESS), details: { provider: "github" } };
  },
  async "account.unlinked"(f) {
    for (const providerId of ["credential", "github"]) await insert(f, "accounts", account(f.ada, providerId));
    const { id } = account(f.ada, "github");
    const call = { sessionId: f.ada.sessionId, id, lastToo: false, address: ADDRESS };
    expect(await f.server.mutation(api.accounts.linked.unlink, call)).toBe("unlinked");
    expect(await f.server.mutation(api.accounts.linked.unlink, call)).toBe("missing");
    return { ...own(f.ada, ADDRESS), details: { provider: "github" } };
  },
  "email.changed": (f) => userUpdate(f, { email: `new${f.ada.userId}@example.com` }, "/change-email"),
  async "email.verified"(f) {
    await setFactor(f, await userRow(f, f.ada), { emailVerified: false });
    await userUpdate(f, { emailVerified: true }, "/verify-email");
    return userUpdate(f, { emailVerified: true }, "/verify-email");
  },
  async "password.added"(f) {
    await addAccount(f, "github");
    await addAccount(f, "credential", "/set-password");
    return own(f.ada, ADDRESS);
  },
  async "password.changed"(f) {
    const id = await addAccount(f, "credential");
    const request = { path: "/reset-password", address: ADDRESS };
    await f.server.mutation(store.update, { model: "accounts", where: [equals("id", id)], update: { password: "new" }, request });
    return { userId: f.ada.userId, actor: "visitor", address: ADDRESS, details: { isReset: true } };
  },
  async "password.resetRequested"({ server, ada }) {
    const data = verification("reset-password:", ada.userId);
    await server.mutation(store.create, { model: "verifications", data, request: { actor: "operator", userId: ada.userId } });
    return { actor: "operator", userId: ada.userId };
  },
  async "password.rejected"({ server, ada }) {
    const request = { path: "/step-up", address: ADDRESS, userId: ada.userId };
    await server.mutation(api.auditLog.recordFailure, { kind: "password", reason: "INVALID_PASSWORD", request });
    return { ...failed(ada.userId), actor: "user" };
  },
  async "passkey.added"(f) {
    await f.server.mutation(store.create, { model: "passkeys", data: passkey(f.ada), request: { path: "/passkey/x", address: ADDRESS } });
    const where = [equals("userId", f.ada.userId)];
    await f.server.mutation(store.update, { model: "passkeys", where, update: { counter: 2 } });
    return own(f.ada, ADDRESS);
  },
  async "passkey.removed"(f) {
    await insert(f, "passkeys", passkey(f.ada));
    const call = { model: "passkeys", where: [equals("userId", f.ada.userId)], request: { address: ADDRESS } };
    await f.server.mutation(store.deleteMany, call);
    await f.server.mutation(store.deleteMany, call);
    return own(f.ada, ADDRESS);
  },
  "twoFactor.enabled": (f) => userUpdate(f, { twoFactorEnabled: true }, "/two-factor/verify-totp"),
  async "twoFactor.disabled"(f) {
    await setFactor(f, await userRow(f, f.ada), { twoFactorEnabled: true });
    return userUpdate(f, { twoFactorEnabled: false }, "/two-factor/disable");
  },
  async "backupCodes.created"(f) {
    await factorUpdate(f, { backupCodes: "new" }, "/two-factor/generate-backup-codes");
    return own(f.ada, ADDRESS);
  },
  async "device.trusted"({ server, ada }) {
    const data = verification("trust-device-", ada.userId);
    await server.mutation(store.create, { model: "verifications", data, request: { path: "/two-factor/verify-totp", address: ADDRESS } });
    return own(ada, ADDRESS);
  },
  async "credentials.removed"(f) {
    await setFactor(f, await userRow(f, f.eve), { emailVerified: false });
    const call = { userId: f.eve.userId, address: ADDRESS };
    await f.server.mutation(api.accounts.reclaim.removeCredentials, call);
    await f.server.mutation(api.accounts.reclaim.removeCredentials, call);
    return own(f.eve, ADDRESS);
  },

  async "invitation.created"(f) {
    await invited(f);
    return { ...own(f.ada, ADDRESS), target: { kind: "project", id: f.project }, details: { role: "commenter" } };
  },
  async "invitation.revoked"(f) {
    const invitationId = await invited(f);
    const call = { projectId: f.project, invitationId };
    await f.ada.mutation(api.invitations.revoke, call);
    expect(await refused(f.ada.mutation(api.invitations.revoke, call))).toMatchObject({ code: "not_found" });
    return { ...own(f.ada), target: { kind: "project", id: f.project } };
  },
  async "invitation.accepted"(f) {
    await invited(f);
    const kim = await signUp(f.backend, "kim");
    const call = { sessionId: kim.sessionId, tokenHash: `hash ${f.project}`, address: ADDRESS };
    await f.server.mutation(api.invitations.accept, call);
    expect(await refused(f.server.mutation(api.invitations.accept, call))).toMatchObject({ code: "not_found" });
    const target = { kind: "project", id: f.project };
    return { ...own(kim, ADDRESS), otherUserId: f.ada.userId, target, details: { role: "commenter" } };
  },
  async "member.roleChanged"({ ada, eve, project }) {
    const call = { projectId: project, userId: eve.userId, role: "viewer" as const };
    await ada.mutation(api.members.setRole, call);
    await ada.mutation(api.members.setRole, call);
    return { ...own(ada), otherUserId: eve.userId, target: { kind: "project", id: project }, details: { role: "viewer" } };
  },
  async "member.removed"({ ada, eve, project }) {
    const call = { projectId: project, userId: eve.userId };
    await ada.mutation(api.members.remove, call);
    await refused(ada.mutation(api.members.remove, call));
    return { ...own(ada), otherUserId: eve.userId, target: { kind: "project", id: project } };
  },
  async "member.left"({ eve, project }) {
    await eve.mutation(api.members.leave, { projectId: project });
    await refused(eve.mutation(api.members.leave, { projectId: project }));
    return { ...own(eve), target: { kind: "project", id: project } };
  },
  async "transfer.offered"(f) {
    await offered(f);
    await refused(offered(f));
    return { ...own(f.ada, ADDRESS), otherUserId: f.eve.userId, target: { kind: "project", id: f.project } };
  },
  async "transfer.cancelled"(f) {
    await offered(f);
    await f.ada.mutation(api.transfers.cancel, { projectId: f.project });
    await refused(f.ada.mutation(api.transfers.cancel, { projectId: f.project }));
    return { ...own(f.ada), otherUserId: f.eve.userId, target: { kind: "project", id: f.project } };
  },
  async "transfer.accepted"(f) {
    const transferId = await offered(f);
    await f.eve.mutation(api.transfers.accept, { transferId });
    await refused(f.eve.mutation(api.transfers.accept, { transferId }));
    return { ...own(f.eve), otherUserId: f.ada.userId, target: { kind: "project", id: f.project } };
  },
  async "transfer.declined"(f) {
    const transferId = await offered(f);
    await f.eve.mutation(api.transfers.decline, { transferId });
    await refused(f.eve.mutation(api.transfers.decline, { transferId }));
    return { ...own(f.eve), otherUserId: f.ada.userId, target: { kind: "project", id: f.project } };
  },
  async "link.created"(f) {
    return { ...own(f.ada, ADDRESS), target: { kind: "link", id: await linkOf(f) } };
  },
  async "link.changed"(f) {
    const linkId = await linkOf(f);
    const change = { ...linkSettings, sessionId: f.ada.sessionId, projectId: f.project, linkId, passwordHash: "hash", address: ADDRESS };
    await f.server.mutation(api.links.change, change);
    return { ...own(f.ada, ADDRESS), target: { kind: "link", id: linkId } };
  },
  async "link.revoked"(f) {
    const linkId = await linkOf(f);
    await f.ada.mutation(api.links.revoke, { projectId: f.project, linkId });
    await refused(f.ada.mutation(api.links.revoke, { projectId: f.project, linkId }));
    return { ...own(f.ada), target: { kind: "link", id: linkId } };
  },

  async "accessToken.created"({ server, ada }) {
    const token = { name: "script", tokenHash: `hash ${ada.userId}`, scopes: ["read" as const], days: 30 };
    const id = await server.mutation(api.accounts.accessTokens.create, { sessionId: ada.sessionId, address: ADDRESS, ...token });
    return { ...own(ada, ADDRESS), target: { kind: "accessToken", id } };
  },
  async "accessToken.revoked"(f) {
    const token = { userId: f.ada.userId, name: "script", tokenHash: `hash ${f.ada.userId}`, scopes: ["read"], createdAt: 1 };
    const id = await insert(f, "accessTokens", token);
    await f.ada.mutation(api.accounts.accessTokens.revoke, { id });
    await refused(f.ada.mutation(api.accounts.accessTokens.revoke, { id }));
    return { ...own(f.ada), target: { kind: "accessToken", id } };
  },
  async "webhook.created"(f) {
    return { ...own(f.ada, ADDRESS), target: { kind: "webhook", id: await webhookOf(f) } };
  },
  async "webhook.removed"(f) {
    const webhookId = await webhookOf(f);
    await f.ada.mutation(api.webhooks.remove, { projectId: f.project, webhookId });
    await refused(f.ada.mutation(api.webhooks.remove, { projectId: f.project, webhookId }));
    return { ...own(f.ada), target: { kind: "webhook", id: webhookId } };
  },
  async "signInLink.created"({ server, ada }) {
    const data = { ...verification("magic-link:", ada.userId), value: "{}" };
    await server.mutation(store.create, { model: "verifications", data, request: { actor: "operator", userId: ada.userId } });
    return { actor: "operator", userId: ada.userId, result: "success" };
  },

  async "data.exported"({ server, ada }) {
    await server.mutation(api.auditLog.recordExport, { sessionId: ada.sessionId, of: "data", address: ADDRESS });
    return own(ada, ADDRESS);
  },
  async "accountActivity.exported"({ server, ada }) {
    await server.mutation(api.auditLog.recordExport, { sessionId: ada.sessionId, of: "accountActivity", address: ADDRESS });
    return own(ada, ADDRESS);
  },
  async "item.deleted"({ ada, design }) {
    await ada.mutation(api.designs.moveToTrash, { id: design });
    await ada.mutation(api.trash.purge, { id: design });
    await refused(ada.mutation(api.trash.purge, { id: design }));
    return { ...own(ada), target: { kind: "design", id: design } };
  },
  async "trash.emptied"({ ada, design }) {
    await ada.mutation(api.designs.moveToTrash, { id: design });
    await ada.mutation(api.trash.empty, {});
    await ada.mutation(api.trash.empty, {});
    return own(ada);
  },
  async "account.deleted"({ server, backend, eve }) {
    const request = { path: "/delete-user", address: ADDRESS };
    await server.mutation(store.deleteUser, { userId: eve.userId, request });
    await server.mutation(store.deleteUser, { userId: eve.userId, request });
    await backend.settle();
    return { actor: "user", userId: expect.stringMatching(/^deleted-/), result: "success" };
  },

  async "administrator.added"({ server, ada: { userId } }) {
    await server.mutation(api.accounts.administrators.set, { userId, isAdministrator: true });
    await server.mutation(api.accounts.administrators.set, { userId, isAdministrator: true });
    return { actor: "operator", userId, result: "success" };
  },
  async "administrator.removed"(f) {
    const call = await asAdministrator(f, { isAdministrator: true });
    await f.server.mutation(api.admin.people.removeRole, call);
    await f.server.mutation(api.admin.people.removeRole, call);
    return byAdministrator(f);
  },
  async "account.disabled"(f) {
    const call = await asAdministrator(f);
    await f.server.mutation(api.admin.people.disable, call);
    await f.server.mutation(api.admin.people.disable, call);
    return byAdministrator(f);
  },
  async "archive.downloaded"({ server, ada, project }) {
    const target = { kind: "project" as const, id: project };
    await server.mutation(api.auditLog.recordExport, { sessionId: ada.sessionId, of: "archive", target, address: ADDRESS });
    return { ...own(ada, ADDRESS), target };
  },
  async "auditLog.exported"(f) {
    const { sessionId } = await asAdministrator(f);
    await f.server.mutation(api.admin.auditLog.recordExport, { sessionId, address: ADDRESS });
    return { ...own(f.ada, ADDRESS), actor: "administrator" };
  },
  async "account.enabled"(f) {
    const call = await asAdministrator(f, { disabledAt: 1 });
    await f.server.mutation(api.admin.people.enable, call);
    await f.server.mutation(api.admin.people.enable, call);
    return byAdministrator(f);
  },
  async "quota.changed"(f) {
    const call = { ...(await asAdministrator(f)), bytes: 5 };
    await f.server.mutation(api.admin.people.setQuota, call);
    await f.server.mutation(api.admin.people.setQuota, call);
    return byAdministrator(f);
  },

  async "job.repeated"(f) {
    const { sessionId } = await asAdministrator(f);
    const id = await f.backend.inside.mutation(probe.scheduleFailure, { text: "text" });
    await f.backend.settle();
    await f.server.mutation(api.admin.jobs.repeat, { sessionId, id, address: ADDRESS });
    return { ...own(f.ada, ADDRESS), actor: "administrator", details: { job: "probe:fail" } };
  },
  async "testMail.queued"(f) {
    const { sessionId } = await asAdministrator(f);
    await f.server.mutation(api.admin.mail.queueTest, { sessionId, sealed: "message", expiresAt: Date.now() + DAY, address: ADDRESS });
    return { ...own(f.ada, ADDRESS), actor: "administrator" };
  },

  async "backup.taken"({ server }) {
    await server.mutation(api.auditLog.recordBackup, { name: "2026-11-26", isProven: true });
    return { actor: "system", target: { kind: "backup", id: "2026-11-26" }, result: "success" };
  },
  async "backup.failed"({ server }) {
    await server.mutation(api.auditLog.recordBackup, { isProven: false });
    return { actor: "system", result: "failure" };
  },
  "backup.written": (f) => commandOf(f, "backup.written", "backup"),
  "backup.restored": (f) => commandOf(f, "backup.restored", "backup"),
  "database.rolledBack": (f) => commandOf(f, "database.rolledBack", "snapshot"),
  async "settings.changed"({ server, ada }) {
    const starts: Record<string, string>[] = [
      { SMTP_URL: ada.userId, WEBHOOKS: "b" },
      { SMTP_URL: "a", PORT: "c" },
      { SMTP_URL: "a", PORT: "c" },
    ];
    const secret = { BETTER_AUTH_SECRET: "same" };
    for (const each of starts) await server.mutation(api.auditLog.recordStart, { retentionDays: 30, fingerprints: { ...each, ...secret } });
    return { actor: "operator", details: { settings: ["PORT", "SMTP_URL", "WEBHOOKS"] } };
  },
  async "data.moved"({ backend }) {
    await backend.inside.mutation(internal.moving.recordMove, {});
    return { actor: "operator" };
  },
};

export const PREPARATION_EVENTS: Partial<Record<AuditAction, AuditAction>> = {
  "invitation.revoked": "invitation.created",
  "invitation.accepted": "invitation.created",
  "transfer.cancelled": "transfer.offered",
  "transfer.accepted": "transfer.offered",
  "transfer.declined": "transfer.offered",
  "link.changed": "link.created",
  "link.revoked": "link.created",
  "webhook.removed": "webhook.created",
};

async function commandOf({ server }: Fixtures, action: "backup.written" | "backup.restored" | "database.rolledBack", kind: string) {
  const record = { action, at: Date.now() + 60_000, name: "copy" };
  await server.mutation(api.auditLog.recordCommand, record);
  await server.mutation(api.auditLog.recordCommand, record);
  return { actor: "operator", target: { kind, id: "copy" }, result: "success" };
}

async function asAdministrator(f: Fixtures, eve: object = {}) {
  await setFactor(f, await userRow(f, f.ada), { isAdministrator: true });
  await setFactor(f, await userRow(f, f.eve), eve);
  return { sessionId: f.ada.sessionId, address: ADDRESS, userId: f.eve.userId };
}

const byAdministrator = ({ ada, eve }: Fixtures): Expected => ({
  actor: "administrator",
  userId: eve.userId,
  otherUserId: ada.userId,
  address: ADDRESS,
  result: "success",
});

async function addAccount({ server, ada }: Fixtures, providerId: string, path = "/x"): Promise<string> {
  const data = account(ada, providerId);
  await server.mutation(store.create, { model: "accounts", data, request: { path, address: ADDRESS } });
  return data.id;
}

function account({ userId }: Person, providerId: string) {
  const id = `${providerId} ${userId}`;
  return { id, userId, providerId, accountId: id, ...dates() };
}

const passkey = ({ userId }: Person) => ({
  id: `passkey ${userId}`,
  userId,
  credentialID: userId,
  publicKey: "key",
  counter: 0,
  deviceType: "multiDevice",
  backedUp: true,
});

const webhookOf = ({ server, ada, project }: Fixtures) =>
  server.mutation(api.webhooks.create, {
    sessionId: ada.sessionId,
    projectId: project,
    url: "https://example.com/hook",
    sealedSecret: "sealed",
    events: ["image.created"],
    address: ADDRESS,
  });

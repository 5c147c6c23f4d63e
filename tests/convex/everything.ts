import { api } from "../../convex/_generated/api";
import schema from "../../convex/schema";
import { type Backend, type Person, probe } from "./backends.ts";
import { addCommentImage, addImage, addVersion } from "./pictures.ts";

const TABLES_WITHOUT_USER = [
  "auditSettings",
  "mailAttempts",
  "pausedJobs",
  "presenceSweeps",
  "rateLimits",
  "releasedFiles",
  "revocations",
  "sweeps",
  "upgrades",
];

export const ownedTables = Object.keys(schema.tables).filter((name) => !TABLES_WITHOUT_USER.includes(name));

export async function allDataOf(backend: Backend, person: Person, prefix = "a") {
  const insert = (table: string, row: Record<string, unknown>) => backend.inside.mutation(probe.insert, { table, row });
  const { userId, sessionId } = person;
  const projectId = await person.mutation(api.projects.create, { name: `${prefix} project` });
  const designId = await person.mutation(api.designs.create, { projectId, name: `${prefix} design` });
  const image = await addImage(backend, person, designId, `${userId}.png`);
  const version = await addVersion(backend, person, image.id, `${userId} again.png`);
  await person.mutation(api.projects.setCover, { id: projectId, imageId: image.id });
  await person.mutation(api.projects.setFavourite, { id: projectId, favourite: true });
  await person.mutation(api.designs.setFavourite, { id: designId, favourite: true });
  await person.mutation(api.tags.tagDesign, { id: designId, tag: `${prefix} tag` });
  await person.mutation(api.tags.tagImage, { id: image.id, tag: `${prefix} tag, another` });
  const mention = `${prefix} comment @[${userId}](${userId})`;
  const threadId = await person.mutation(api.comments.startThread, { itemId: image.id, text: mention, key: `${userId} thread` });
  const commentId = await person.mutation(api.comments.reply, { threadId, text: `${prefix} reply`, key: `${userId} reply` });
  const inComment = await addCommentImage(backend, person, image.id, `${userId} comment.png`);
  await person.mutation(api.comments.edit, { commentId, text: `${prefix} reply`, imageIds: [inComment.id] });
  await person.mutation(api.comments.react, { commentId, emoji: "👍", isOn: true });
  const at = Date.now();
  const dates = { createdAt: at, updatedAt: at };
  await insert("accounts", { id: `${userId} account`, userId, providerId: "credential", accountId: userId, ...dates });
  await insert("twoFactors", { id: `${userId} factor`, userId, secret: "secret x", backupCodes: "secret x" });
  const key = { credentialID: userId, publicKey: "secret x", counter: 0, deviceType: "multiDevice", backedUp: true };
  await insert("passkeys", { id: `${userId} key`, userId, ...key });
  const device = `trust-device-${userId}`;
  await insert("verifications", { id: device, identifier: device, value: userId, expiresAt: at + 1e9, ...dates });
  await insert("subscriptions", { id: `${userId} subscription`, plan: "pro", referenceId: userId, status: "active" });
  await insert("userPictures", { userId, contentType: "image/webp", checksum: `${userId} picture`, bytes: new ArrayBuffer(3) });
  await insert("sessionActivity", { sessionId, userId, at: at + 7 });
  await insert("undoSteps", { userId, step: "secret x", at: at + 9, changes: [] });
  const selection = { userId, at: at + 10, kind: "image", ids: [], until: at };
  const selectionId = await insert("bulkSelections", selection);
  await insert("bulkPages", { userId, selectionId, at: at + 12, number: 0, ids: [] });
  const ofJob = { step: "secret x", kind: "image", action: { type: "trash" }, isLimited: false, state: "done", phase: "do" };
  const counts = { run: 0, parts: 0, part: 0, total: 0, done: 0, failed: 0 };
  await insert("bulkJobs", { userId, selectionId, at: at + 11, ...ofJob, ...counts, cursor: null, failures: [], isDismissed: false });
  const invitation = { email: `${userId}@example.com`, tokenHash: "secret x", provesAddress: true, expiresAt: at + 13 };
  await insert("invitations", { ...invitation, invitedBy: userId, acceptedBy: userId, createdAt: at, acceptedAt: at });
  await insert("projectMembers", { projectId, userId, role: "viewer", addedAt: at + 13, addedBy: userId });
  const link = { projectId, itemId: projectId, kind: "view", name: `${prefix} link`, lock: 0, downloads: true, createdBy: userId };
  const secrets = { tokenHash: `secret x ${userId}`, sealedToken: "secret x", passwordHash: "secret x" };
  const linkId = await insert("links", { ...link, ...secrets, createdAt: at + 14, expiresAt: at + 3e9 });
  await insert("linkVisits", { linkId, visits: 2, lastUsedAt: at + 15 });
  await insert("accessTokens", {
    userId,
    name: `${prefix} program`,
    tokenHash: `secret t ${userId}`,
    scopes: ["read"],
    createdAt: at + 16,
  });
  const webhook = { projectId, url: `${prefix} address`, sealedSecret: "secret x", events: ["image.created"], createdBy: userId };
  const webhookId = await insert("webhooks", { ...webhook, createdAt: at + 17 });
  await insert("webhookDeliveries", {
    webhookId,
    event: "image.created",
    items: [{ designId, imageId: image.id }],
    createdAt: at + 18,
    attempts: 1,
    problem: `x ${userId}`,
  });
  const request = { projectId, designId, itemId: image.id, reviewerId: userId, requestedBy: userId };
  await insert("reviewRequests", { ...request, at: at + 19, dueOn: "2026-12-01", note: `${prefix} note` });
  await insert("savedLinks", { userId, linkId, lock: 0, savedAt: at + 19 });
  const presenceId = await insert("presence", { userId, tab: `secret x ${userId}`, designId, isAway: false, isWatching: true });
  await insert("presenceBeats", { presenceId, designId, seenAt: at + 1e9 });
  await insert("presencePointers", { presenceId, imageId: image.id, viewport: { x: 0, y: 0, width: 1, height: 1 } });
  const times = { createdAt: at + 20, expiresAt: at + 4e9 };
  await insert("transfers", { projectId, fromId: userId, toId: userId, state: "offered", run: 0, ...times });
  const notice = await insert("notices", { userId, notice: { kind: "passwordChanged" }, at, read: false });
  await insert("notificationSettings", { userId, deliveries: { comment: "now" }, timeZone: `${prefix} zone`, locale: `${prefix} locale` });
  await insert("mutedProjects", { userId, projectId });
  const audited = { action: "link.created", category: "sharing", result: "success", actor: "user", userId, otherUserId: userId };
  await insert("auditEvents", { ...audited, at: at + 21, address: `${prefix} network`, target: { kind: "link", id: `${prefix} link` } });
  await insert("devices", { userId, mark: "secret x", seenAt: at + 8 });
  await insert("mails", { userId, content: { notice, to: "x" }, attempts: 0, dueAt: at, expiresAt: at + 2e9 });
  await backend.settle();
  return { projectId, designId, imageId: image.id, files: [image.storageId, version.storageId, inComment.storageId] };
}

import { randomUUID } from "node:crypto";
import { api } from "../../convex/_generated/api";
import { addMember, type Fixtures, makeItems, type TestItems } from "./access-fixtures.ts";
import { type Backend, type Person, probe, signUp } from "./backends.ts";
import { addImage } from "./pictures.ts";

export const name = "a name";
const guest = { id: "guest-0123456789abcdef", name: "Guest" };
export const commenting = { kind: "comment" };

export const byId = { field: "id", operator: "eq", value: "nobody", connector: "AND", mode: "sensitive" };
export const verification = () => ({ id: randomUUID(), identifier: "x", value: "y", expiresAt: 0, createdAt: 0, updatedAt: 0 });

export const openTab = { isAway: false, isWatching: false, isNew: true };
export const wholeImage = { x: 0, y: 0, width: 1, height: 1 };

export const insertNotice = (backend: Backend, { userId }: Person) =>
  backend.inside.mutation(probe.insert, { table: "notices", row: { userId, notice: { kind: "passwordChanged" }, at: 0, read: false } });

export async function requesting({ backend }: Fixtures, { project }: TestItems) {
  const person = await signUp(backend, "rev");
  await addMember(backend, project, person, "commenter");
  return { userIds: [person.userId], dueOn: "", note: "" };
}

export const insertMail = (backend: Backend) =>
  backend.inside.mutation(probe.insert, { table: "mails", row: { content: { sealed: "x" }, attempts: 0, dueAt: 0, expiresAt: 0 } });

export async function failedJob({ backend }: Fixtures) {
  const id = await backend.inside.mutation(probe.scheduleFailure, { text: "text" });
  await backend.settle();
  return { id };
}

export async function somebody({ backend }: Fixtures) {
  return { userId: (await signUp(backend, "some")).userId };
}

export async function someMember({ backend }: Fixtures, { project }: TestItems) {
  const person = await signUp(backend, "mem");
  await addMember(backend, project, person, "viewer");
  return { userId: person.userId, role: "editor" };
}

export const insertInvitation = (backend: Backend, projectId: string, { userId }: Person, tokenHash: string = randomUUID()) => {
  const times = { createdAt: Date.now(), expiresAt: Date.now() + 60_000 };
  const row = { email: "x@example.com", tokenHash, provesAddress: false, projectId, role: "viewer", invitedBy: userId, ...times };
  return backend.inside.mutation(probe.insert, { table: "invitations", row });
};

export async function insertTransfer(backend: Backend, projectId: string, fromId: string, toId: string): Promise<string> {
  const earlier = await backend.inside.query(probe.rows, { table: "transfers", field: "projectId", value: projectId });
  for (const { _id } of earlier) await backend.inside.mutation(probe.remove, { table: "transfers", id: String(_id) });
  const times = { createdAt: 0, expiresAt: Date.now() + 60 * 60 * 1000 };
  const row = { projectId, fromId, toId, state: "offered", run: 0, ...times };
  return backend.inside.mutation(probe.insert, { table: "transfers", row });
}

export async function offered({ backend, ada, bob }: Fixtures) {
  const { project } = await makeItems(backend, bob);
  await addMember(backend, project, ada, "viewer");
  return { transferId: await insertTransfer(backend, project, bob.userId, ada.userId) };
}

export const linkSettings = { name: "a link", downloads: false, expiresAt: null };
export function newLink() {
  return { ...linkSettings, tokenHash: randomUUID(), sealedToken: "x", passwordHash: null };
}

export const insertLink = (backend: Backend, projectId: string, fields: object = {}) => {
  const row = { projectId, itemId: projectId, kind: "view", name: "a link", lock: 0, downloads: false, createdBy: "x", createdAt: 0 };
  return backend.inside.mutation(probe.insert, {
    table: "links",
    row: { ...row, tokenHash: randomUUID(), sealedToken: "x", ...fields },
  });
};

export async function commentingLink({ backend }: Fixtures, { project }: TestItems) {
  return { linkId: await insertLink(backend, project, commenting), lock: 0, guest };
}

export async function guestComment(fixtures: Fixtures, items: TestItems) {
  const reference = await commentingLink(fixtures, items);
  const written = { threadId: items.thread, isReply: true, text: "text", createdAt: 1, mentions: [], key: randomUUID() };
  const row = { ...written, authorId: guest.id, guestName: guest.name, linkId: reference.linkId };
  return { ...reference, commentId: await fixtures.backend.inside.mutation(probe.insert, { table: "comments", row }) };
}

const insertWebhook = (backend: Backend, projectId: string) => {
  const row = { projectId, url: "https://example.com/", sealedSecret: "x", events: ["image.created"], createdBy: "x", createdAt: 0 };
  return backend.inside.mutation(probe.insert, { table: "webhooks", row });
};

export async function someWebhook({ backend }: Fixtures, { project }: TestItems) {
  return { webhookId: await insertWebhook(backend, project) };
}

export async function insertDelivery(backend: Backend, projectId: string) {
  const row = { webhookId: await insertWebhook(backend, projectId), event: "test", items: [], createdAt: 0, attempts: 1, lease: "x" };
  return backend.inside.mutation(probe.insert, { table: "webhookDeliveries", row });
}

export async function insertToken(backend: Backend, { userId }: Person, fields: object = {}) {
  const tokenHash = randomUUID();
  const row = { userId, name, tokenHash, scopes: ["read", "write", "comment"], createdAt: 0, ...fields };
  return { id: await backend.inside.mutation(probe.insert, { table: "accessTokens", row }), tokenHash };
}

export async function saveLink({ backend, ada: { userId } }: Fixtures, { project: projectId }: TestItems) {
  const row = { userId, linkId: await insertLink(backend, projectId), lock: 0, savedAt: 0 };
  return { savedId: await backend.inside.mutation(probe.insert, { table: "savedLinks", row }) };
}

export async function invited({ backend, bob }: Fixtures) {
  const tokenHash = randomUUID();
  await insertInvitation(backend, (await makeItems(backend, bob)).project, bob, tokenHash);
  return { tokenHash };
}

export async function intoProject(fixtures: Fixtures, _: TestItems, caller: Person) {
  return { projectId: (await fixtures.ownItems(caller)).project };
}

export async function intoDesign(fixtures: Fixtures, _: TestItems, caller: Person) {
  return { designId: (await fixtures.ownItems(caller)).design };
}

export const movingIds = async ({ backend, ada, adaItems }: Fixtures) => ({
  ids: [(await addImage(backend, ada, adaItems.design, "moving")).id],
});

export async function putPicture({ server, ada: { sessionId, userId } }: Fixtures) {
  await server.mutation(api.accounts.pictures.put, { sessionId, contentType: "image/webp", checksum: "x", bytes: new ArrayBuffer(3) });
  return { userId };
}

export const startingBulk = () => ({ action: { type: "tag" as const, tag: "bulk" }, step: randomUUID().slice(0, 32) });

export async function startBulk({ ada }: Fixtures, { image }: TestItems) {
  return { id: await ada.mutation(api.bulk.start, { kind: "image", ids: [image], ...startingBulk() }) };
}

export async function storeStep({ ada }: Fixtures, { project: id }: TestItems) {
  await ada.mutation(api.projects.setFavourite, { id, favourite: true, step: "stored" });
  return { step: "stored" };
}

export async function finalizing(backend: Backend) {
  const storageId = await backend.store(new Uint8Array(3));
  const properties = {
    contentType: "image/png",
    size: 3,
    width: 1,
    height: 1,
    checksum: `${randomUUID()}${randomUUID()}`.replaceAll("-", ""),
    placeholder: null,
    animated: false,
  };
  return { uploadId: randomUUID(), storageId, name, ...properties };
}

export async function makeVersion({ backend, server, ada: { sessionId }, ada }: Fixtures, { image: imageId }: TestItems) {
  await server.mutation(api.versions.finalize, { sessionId, imageId, ...(await finalizing(backend)) });
  const versions = await ada.query(api.versions.getVersions, { imageId });
  return { versionId: versions.at(-1)?._id };
}

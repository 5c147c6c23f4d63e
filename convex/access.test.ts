import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { makeFunctionReference } from "convex/server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  byId,
  commenting,
  commentingLink,
  failedJob,
  finalizing,
  guestComment,
  insertDelivery,
  insertInvitation,
  insertLink,
  insertMail,
  insertNotice,
  insertToken,
  insertTransfer,
  intoDesign,
  intoProject,
  invited,
  linkSettings,
  makeVersion,
  movingIds,
  name,
  newLink,
  offered,
  openTab,
  putPicture,
  requesting,
  saveLink,
  somebody,
  someMember,
  someWebhook,
  startBulk,
  startingBulk,
  storeStep,
  verification,
  wholeImage,
} from "../tests/convex/access-arguments.ts";
import {
  createFixtures,
  type Fixtures,
  makeItems,
  MEMBER_ROLES,
  setSession,
  setUser,
  type TestItems,
} from "../tests/convex/access-fixtures.ts";
import { backends, type Caller, linkVisitor, type Person, probe, signOut, signUp } from "../tests/convex/backends.ts";
import { refused } from "../tests/convex/expect.ts";
import { addCommentImage, addImage } from "../tests/convex/pictures.ts";
import { api } from "./_generated/api";
import { refusalOf } from "./model/errors";
import { allows, type MemberRole, type Right, RIGHTS } from "./model/rights";

/** `on`: kind of the item, argument with its id, and required right. Functions without it concern only the caller's own data. */
type Entry = {
  by: "person" | "server" | "server for a session" | "server for a link" | "server for a token";
  link?: true | "comments";
  anyKind?: true;
  on?: [kind: keyof TestItems, argument: string, right: Right];
  trashToo?: true;
  administrator?: true;
  isAuthor?: true;
  args?: (fixtures: Fixtures, items: TestItems, caller: Person) => Record<string, unknown> | Promise<Record<string, unknown>>;
};

/** Tests per convex-test backend: each of its queries reads all rows, so more rows make it slower. */
const TESTS_PER_BACKEND = 50;

const paginationOpts = { cursor: null, numItems: 10 };
const trashToo = true;
const anyKind = true;
const link = true;
const administrator = true;

const entries: Record<string, Entry> = {
  "projects:getProjects": { by: "person" },
  "projects:getNames": { by: "person" },
  "projects:listProjects": { by: "person", args: () => ({ paginationOpts }) },
  "projects:getProjectById": { by: "person", link, on: ["project", "id", "view"] },
  "projects:create": { by: "person", args: () => ({ name }) },
  "projects:createWithDesign": { by: "person", args: () => ({ name }) },
  "projects:rename": { by: "person", on: ["project", "id", "edit"], args: () => ({ name }) },
  "projects:remove": { by: "person", on: ["project", "id", "deleteProject"] },
  "projects:moveToTrash": { by: "person", on: ["project", "id", "deleteProject"] },
  "projects:duplicate": { by: "person", on: ["project", "id", "download"] },
  "projects:reorder": { by: "person", on: ["project", "id", "arrange"], args: () => ({ to: "first" }) },
  "projects:setCover": { by: "person", on: ["project", "id", "edit"] },
  "projects:setFavourite": { by: "person", on: ["project", "id", "view"], args: () => ({ favourite: true }) },
  "projects:setDescription": { by: "person", on: ["project", "id", "edit"], args: () => ({ description: "text" }) },
  "designs:getDesignsByProjectId": { by: "person", link, on: ["project", "projectId", "view"] },
  "designs:listDesigns": { by: "person", link, on: ["project", "projectId", "view"], args: () => ({ paginationOpts }) },
  "designs:getDesignById": { by: "person", link, on: ["design", "id", "view"] },
  "designs:getProject": { by: "person", on: ["design", "id", "view"] },
  "designs:getRecent": { by: "person", args: () => ({ shared: "view" }) },
  "designs:create": { by: "person", on: ["project", "projectId", "edit"], args: () => ({ name }) },
  "designs:rename": { by: "person", on: ["design", "id", "edit"], args: () => ({ name }) },
  "designs:remove": { by: "person", on: ["design", "id", "delete"] },
  "designs:moveToTrash": { by: "person", on: ["design", "id", "delete"] },
  "designs:duplicate": { by: "person", on: ["design", "id", "edit"] },
  "designs:reorder": { by: "person", on: ["design", "id", "edit"], args: () => ({ to: "up" }) },
  "designs:setCover": { by: "person", on: ["design", "id", "edit"] },
  "designs:setFavourite": { by: "person", on: ["design", "id", "view"], args: () => ({ favourite: true }) },
  "designs:setDescription": { by: "person", on: ["design", "id", "edit"], args: () => ({ description: "text" }) },
  "designs:move": { by: "person", on: ["design", "id", "edit"], args: intoProject },
  "designImages:getDesignImagesByDesignId": { by: "person", link, on: ["design", "designId", "view"] },
  "designImages:listDesignImages": { by: "person", link, on: ["design", "designId", "view"], args: () => ({ paginationOpts }) },
  "designImages:getDesignImageInPlace": { by: "person", link, on: ["image", "id", "view"] },
  "designImages:rename": { by: "person", on: ["image", "id", "edit"], args: () => ({ name }) },
  "designImages:remove": { by: "person", on: ["image", "id", "delete"] },
  "designImages:moveToTrash": { by: "person", on: ["image", "id", "delete"] },
  "designImages:duplicate": { by: "person", on: ["image", "id", "edit"] },
  "designImages:reorder": { by: "person", on: ["image", "id", "edit"], args: () => ({ to: "last" }) },
  "designImages:rotate": { by: "person", on: ["image", "id", "edit"], args: () => ({ direction: "right" }) },
  "designImages:setCaption": { by: "person", on: ["image", "id", "edit"], args: () => ({ caption: "text" }) },
  "designImages:move": { by: "person", on: ["design", "designId", "edit"], args: (fixtures) => movingIds(fixtures) },
  "many:trashImages": { by: "person", on: ["image", "ids", "delete"] },
  "many:trashDesigns": { by: "person", on: ["design", "ids", "delete"] },
  "many:moveDesigns": { by: "person", on: ["design", "ids", "edit"], args: intoProject },
  "many:copyImages": { by: "person", on: ["image", "ids", "download"], args: intoDesign },
  "many:copyDesigns": { by: "person", on: ["design", "ids", "download"], args: intoProject },
  "many:favouriteDesigns": { by: "person", on: ["design", "ids", "view"], args: () => ({ favourite: true }) },
  "many:tagImages": { by: "person", on: ["image", "ids", "edit"], args: () => ({ tag: "poster" }) },
  "many:untagImages": { by: "person", on: ["image", "ids", "edit"], args: () => ({ tag: "poster" }) },
  "many:tagDesigns": { by: "person", on: ["design", "ids", "edit"], args: () => ({ tag: "poster" }) },
  "many:untagDesigns": { by: "person", on: ["design", "ids", "edit"], args: () => ({ tag: "poster" }) },
  "many:restore": { by: "person", on: ["trashed", "ids", "delete"] },
  "many:getName": { by: "person", on: ["image", "ids", "view"], args: () => ({ kind: "image" }) },
  "bulk:start": { by: "person", args: ({ adaItems }) => ({ kind: "image", ids: [adaItems.image], ...startingBulk() }) },
  "bulk:getRecent": { by: "person" },
  "bulk:cancel": { by: "person", args: startBulk },
  "bulk:resume": { by: "person", args: startBulk },
  "bulk:dismiss": { by: "person", args: startBulk },
  "wall:listProjectImages": { by: "person", on: ["project", "projectId", "view"], args: () => ({ paginationOpts }) },
  "activities:list": { by: "person", on: ["project", "projectId", "view"], args: () => ({ paginationOpts }) },
  "comments:listThreads": {
    by: "person",
    link: "comments",
    on: ["image", "itemId", "readComments"],
    anyKind,
    args: () => ({ filter: "all", paginationOpts }),
  },
  "comments:getThread": { by: "person", link: "comments", on: ["thread", "threadId", "readComments"] },
  "comments:listReplies": { by: "person", link: "comments", on: ["thread", "threadId", "readComments"], args: () => ({ paginationOpts }) },
  "comments:listPins": { by: "person", link: "comments", on: ["image", "itemId", "readComments"], anyKind },
  "comments:listPeople": { by: "person", on: ["project", "projectId", "readComments"] },
  "comments:markRead": { by: "person", on: ["image", "itemId", "readComments"], anyKind },
  "comments:startThread": { by: "person", on: ["image", "itemId", "comment"], anyKind, args: () => ({ text: "text", key: randomUUID() }) },
  "comments:reply": { by: "person", on: ["thread", "threadId", "comment"], args: () => ({ text: "text", key: randomUUID() }) },
  "commentImages:generateUploadUrl": {
    by: "server for a session",
    on: ["image", "itemId", "comment"],
    anyKind,
    args: () => ({ bytes: 1 }),
  },
  "commentImages:finalize": {
    by: "server for a session",
    on: ["image", "itemId", "comment"],
    anyKind,
    args: ({ backend }) => finalizing(backend),
  },
  "commentImages:remove": { by: "person", args: () => ({ imageId: "none" }) },
  "comments:edit": { by: "person", on: ["comment", "commentId", "comment"], isAuthor: true, args: () => ({ text: "text" }) },
  "comments:remove": { by: "person", on: ["comment", "commentId", "comment"], isAuthor: true },
  "comments:react": { by: "person", on: ["comment", "commentId", "react"], args: () => ({ emoji: "👍", isOn: true }) },
  "comments:removeOfLink": {
    by: "person",
    on: ["project", "projectId", "moderate"],
    args: async ({ backend }, { project }) => ({ linkId: await insertLink(backend, project) }),
  },
  "linkComments:startThread": {
    by: "server for a link",
    args: async (fixtures, items) => ({ ...(await commentingLink(fixtures, items)), itemId: items.image, text: "text", key: randomUUID() }),
  },
  "linkComments:reply": {
    by: "server for a link",
    args: async (fixtures, items) => ({
      ...(await commentingLink(fixtures, items)),
      threadId: items.thread,
      text: "text",
      key: randomUUID(),
    }),
  },
  "linkComments:edit": {
    by: "server for a link",
    args: async (fixtures, items) => ({ ...(await guestComment(fixtures, items)), text: "text" }),
  },
  "linkComments:remove": { by: "server for a link", args: guestComment },
  "comments:setResolved": { by: "person", on: ["thread", "threadId", "resolve"], args: () => ({ isResolved: true }) },
  "trash:getTrash": { by: "person" },
  "trash:listTrash": { by: "person", args: () => ({ kind: "design", paginationOpts }) },
  "trash:getTrashed": { by: "person", on: ["trashed", "id", "delete"] },
  "trash:restore": { by: "person", on: ["trashed", "id", "delete"] },
  "trash:purge": { by: "person", on: ["trashed", "id", "purge"] },
  "trash:empty": { by: "person" },
  "undo:revert": { by: "person", args: storeStep },
  "usage:getUsage": { by: "person" },
  "members:listSharedProjects": { by: "person", args: () => ({ paginationOpts }) },
  "members:listEditable": { by: "person" },
  "members:listOwnShared": { by: "person" },
  "members:getOwner": { by: "person", on: ["project", "projectId", "view"] },
  "members:list": { by: "person", on: ["project", "projectId", "view"], args: () => ({ paginationOpts }) },
  "members:setRole": { by: "person", on: ["project", "projectId", "manageMembers"], args: someMember },
  "members:remove": {
    by: "person",
    on: ["project", "projectId", "manageMembers"],
    args: async (fixtures, items) => ({ userId: (await someMember(fixtures, items)).userId }),
  },
  "members:leave": { by: "person", on: ["project", "projectId", "leave"] },
  "invitations:invite": {
    by: "server for a session",
    on: ["project", "projectId", "manageMembers"],
    args: () => ({ email: `${randomUUID()}@example.com`, role: "viewer", tokenHash: randomUUID(), isMailed: true }),
  },
  "invitations:list": { by: "person", on: ["project", "projectId", "manageMembers"] },
  "invitations:revoke": {
    by: "person",
    on: ["project", "projectId", "manageMembers"],
    args: async ({ backend, ada }, { project }) => ({ invitationId: await insertInvitation(backend, project, ada) }),
  },
  "invitations:find": { by: "server", args: () => ({ tokenHash: "none" }) },
  "invitations:findOwn": { by: "person", args: () => ({ invitationId: "none" }) },
  "invitations:accept": { by: "server for a session", args: invited },
  "transfers:offer": {
    by: "server for a session",
    on: ["project", "projectId", "transfer"],
    args: async (fixtures, items) => ({ userId: (await someMember(fixtures, items)).userId }),
  },
  "transfers:cancel": {
    by: "person",
    on: ["project", "projectId", "transfer"],
    args: async ({ backend, ada }, { project }) => {
      await insertTransfer(backend, project, ada.userId, "x");
      return {};
    },
  },
  "transfers:get": { by: "person", on: ["project", "projectId", "view"] },
  "transfers:accept": { by: "person", args: offered },
  "transfers:decline": { by: "person", args: offered },
  "transfers:listOffered": { by: "person" },
  "links:create": { by: "server for a session", on: ["project", "itemId", "manageLinks"], anyKind: true, args: newLink },
  "links:change": {
    by: "server for a session",
    on: ["project", "projectId", "manageLinks"],
    args: async ({ backend }, { project }) => ({ linkId: await insertLink(backend, project), ...linkSettings }),
  },
  "links:revoke": {
    by: "person",
    on: ["project", "projectId", "manageLinks"],
    args: async ({ backend }, { project }) => ({ linkId: await insertLink(backend, project) }),
  },
  "links:list": { by: "person", on: ["project", "projectId", "manageLinks"], args: () => ({ paginationOpts }) },
  "links:getItem": { by: "person", on: ["project", "itemId", "manageLinks"], anyKind: true },
  "links:find": { by: "server", args: () => ({ tokenHash: "none" }) },
  "links:getFile": {
    by: "server for a link",
    args: async ({ backend }, { project, image }) => ({ linkId: await insertLink(backend, project), lock: 0, imageId: image }),
  },
  "linkArchive:designs": {
    by: "server for a link",
    args: async ({ backend }, { project }) => ({
      linkId: await insertLink(backend, project, { downloads: true }),
      lock: 0,
      projectId: project,
      paginationOpts,
    }),
  },
  "linkArchive:images": {
    by: "server for a link",
    args: async ({ backend }, { project, design }) => ({
      linkId: await insertLink(backend, project, { downloads: true }),
      lock: 0,
      designId: design,
      paginationOpts,
    }),
  },
  "links:save": {
    by: "server for a session",
    args: async ({ backend }, { project }) => ({ linkId: await insertLink(backend, project), lock: 0 }),
  },
  "links:isSaved": { by: "server for a session", args: () => ({ linkId: "none", lock: 0 }) },
  "links:listSaved": { by: "person" },
  "links:forget": { by: "person", args: saveLink },
  "links:listAll": { by: "server", args: () => ({ paginationOpts }) },
  "links:revokeAny": { by: "server", args: () => ({ linkId: "none" }) },
  "links:noteVisits": { by: "server", args: () => ({ linkId: "none", visits: 1 }) },
  "links:countAttempt": { by: "server", args: () => ({ limits: [{ key: randomUUID(), most: 1 }], seconds: 1 }) },
  "httpApi:listProjects": { by: "server for a token", args: () => ({ paginationOpts }) },
  "httpApi:listSharedProjects": { by: "server for a token", args: () => ({ paginationOpts }) },
  "httpApi:getProject": { by: "server for a token", on: ["project", "id", "view"] },
  "httpApi:listDesigns": { by: "server for a token", on: ["project", "projectId", "view"], args: () => ({ paginationOpts }) },
  "httpApi:getDesign": { by: "server for a token", on: ["design", "id", "view"] },
  "httpApi:listImages": { by: "server for a token", on: ["design", "designId", "view"], args: () => ({ paginationOpts }) },
  "httpApi:getVersions": { by: "server for a token", on: ["image", "imageId", "view"] },
  "httpApi:getImage": { by: "server for a token", on: ["image", "id", "view"] },
  "httpApi:getFile": { by: "server for a token", on: ["image", "imageId", "view"] },
  "httpApi:listThreads": { by: "server for a token", on: ["image", "itemId", "readComments"], anyKind, args: () => ({ paginationOpts }) },
  "httpApi:listReplies": { by: "server for a token", on: ["thread", "threadId", "readComments"], args: () => ({ paginationOpts }) },
  "httpApi:startThread": {
    by: "server for a token",
    on: ["image", "itemId", "comment"],
    anyKind,
    args: () => ({ text: "text", key: randomUUID() }),
  },
  "httpApi:reply": { by: "server for a token", on: ["thread", "threadId", "comment"], args: () => ({ text: "text", key: randomUUID() }) },
  "webhooks:create": {
    by: "server for a session",
    on: ["project", "projectId", "manageWebhooks"],
    args: () => ({ url: "https://example.com/", sealedSecret: "x", events: ["image.created" as const] }),
  },
  "webhooks:remove": { by: "person", on: ["project", "projectId", "manageWebhooks"], args: someWebhook },
  "webhooks:sendTest": { by: "person", on: ["project", "projectId", "manageWebhooks"], args: someWebhook },
  "webhooks:list": { by: "person", on: ["project", "projectId", "manageWebhooks"] },
  "webhooks:due": { by: "server" },
  "webhooks:claim": { by: "server", args: () => ({ lease: "x", leaseMs: 0, limit: 1 }) },
  "webhooks:claimDue": { by: "server", args: () => ({ lease: "x", leaseMs: 0, limit: 1, after: null, running: [] }) },
  "webhooks:finish": {
    by: "server",
    args: async ({ backend }, { project }) => ({ id: await insertDelivery(backend, project), lease: "x" }),
  },
  "webhooks:postpone": {
    by: "server",
    args: async ({ backend }, { project }) => ({ id: await insertDelivery(backend, project), lease: "x", dueAt: 0 }),
  },
  "many:reviewImages": { by: "person", on: ["image", "ids", "review"], args: () => ({ status: "approved" }) },
  "many:reviewDesigns": { by: "person", on: ["design", "ids", "review"], args: () => ({ status: "approved" }) },
  "reviews:setStatus": { by: "person", on: ["design", "id", "review"], anyKind: true, args: () => ({ status: "approved", note: "" }) },
  "reviews:getReview": { by: "person", on: ["design", "id", "view"], anyKind: true },
  "pages:load": { by: "person", args: () => ({ queries: [{ name: "projects:getProjects", args: {} }] }) },
  "reviews:getReviewers": { by: "person", on: ["design", "id", "edit"], anyKind: true },
  "reviews:getOverview": { by: "person", on: ["project", "projectId", "view"] },
  "reviews:request": { by: "person", on: ["design", "id", "edit"], anyKind: true, args: requesting },
  "reviews:cancelRequest": { by: "person", on: ["design", "id", "edit"], anyKind: true, args: () => ({ requestId: "none" }) },
  "presence:update": { by: "person", on: ["image", "itemId", "view"], anyKind, args: () => ({ tab: randomUUID(), ...openTab }) },
  "presence:list": { by: "person", on: ["design", "designId", "view"] },
  "presence:listPointers": { by: "person", on: ["image", "imageId", "view"] },
  "presence:setPointer": { by: "person", on: ["image", "imageId", "view"], args: () => ({ tab: randomUUID(), viewport: wholeImage }) },
  "presence:leave": { by: "person", args: () => ({ tab: randomUUID() }) },
  "presence:end": { by: "server", args: () => ({ tab: randomUUID() }) },
  "search:find": { by: "person", args: () => ({ text: name }) },
  "tags:getTags": { by: "person" },
  "tags:tagDesign": { by: "person", on: ["design", "id", "edit"], args: () => ({ tag: "poster" }) },
  "tags:untagDesign": { by: "person", on: ["design", "id", "edit"], args: () => ({ tag: "poster" }) },
  "tags:tagImage": { by: "person", on: ["image", "id", "edit"], args: () => ({ tag: "poster" }) },
  "tags:untagImage": { by: "person", on: ["image", "id", "edit"], args: () => ({ tag: "poster" }) },
  "versions:getVersions": { by: "person", on: ["image", "imageId", "view"] },
  "versions:getImageVersion": { by: "person", link, on: ["image", "imageId", "view"] },
  "versions:makeCurrent": { by: "person", on: ["image", "imageId", "edit"], args: makeVersion },
  "versions:finalize": { by: "server for a session", on: ["image", "imageId", "edit"], args: ({ backend }) => finalizing(backend) },
  "uploads:expectRoom": { by: "server for a session", on: ["design", "designId", "edit"] },
  "uploads:admit": {
    by: "server for a session",
    on: ["design", "designId", "edit"],
    args: ({ ada }) => ({ storageOwnerId: ada.userId, images: 1 }),
  },
  "uploads:getStorageOwner": { by: "server for a session", on: ["design", "designId", "edit"] },
  "uploads:expectSession": { by: "server for a session" },
  "uploads:generateUploadUrl": { by: "server for a session", on: ["design", "designId", "edit"] },
  "uploads:finalize": { by: "server for a session", on: ["design", "designId", "edit"], args: ({ backend }) => finalizing(backend) },
  "uploads:generateUploadUrls": {
    by: "server for a session",
    on: ["design", "designId", "edit"],
    args: () => ({ reserved: 0, files: [] }),
  },
  "uploads:finalizeMany": {
    by: "server for a session",
    on: ["design", "designId", "edit"],
    args: async ({ backend }) => ({ files: [await finalizing(backend)] }),
  },
  "uploads:getFile": { by: "server for a session", on: ["image", "imageId", "view"] },
  "uploads:getFiles": { by: "server for a session", args: (_, { image }) => ({ images: [{ imageId: image }] }) },
  "uploads:noteDetails": {
    by: "server for a session",
    on: ["image", "imageId", "view"],
    args: () => ({ checksum: "0".repeat(64), details: { hasPlace: false } }),
  },
  "uploads:discard": { by: "server", args: async ({ backend }) => ({ storageId: await backend.store(new Uint8Array(3)) }) },
  "released:since": { by: "server", args: () => ({ after: 0 }) },
  "released:list": { by: "server", args: () => ({ from: 0, paginationOpts }) },
  "released:latest": { by: "server" },
  "released:living": { by: "server", args: () => ({ table: "designImages", paginationOpts }) },
  "revocations:since": { by: "server", args: () => ({ after: null, connection: 0 }) },
  "billing:getBilling": { by: "person" },
  "auditLog:list": { by: "person", args: () => ({ paginationOpts }) },
  "auditLog:listAll": { by: "person", args: () => ({ paginationOpts }) },
  "auditLog:recordFailure": { by: "server", args: () => ({ kind: "signIn", request: {}, reason: "INVALID_OTP" }) },
  "auditLog:recordExport": { by: "server for a session", args: () => ({ of: "data" }) },
  "auditLog:recordBackup": { by: "server", args: () => ({ isProven: true }) },
  "auditLog:recordCommand": { by: "server", args: () => ({ action: "backup.restored", at: 1 }) },
  "auditLog:recordStart": { by: "server", args: () => ({ retentionDays: 30, fingerprints: {} }) },
  "notices:list": { by: "person" },
  "notices:listAll": { by: "person" },
  "notices:getNotices": { by: "person" },
  "notices:getUnreadCount": { by: "person" },
  "notices:markRead": { by: "person", args: async ({ backend, ada }) => ({ id: await insertNotice(backend, ada) }) },
  "notices:markAllRead": { by: "person" },
  "notificationSettings:get": { by: "person" },
  "notificationSettings:set": { by: "person", args: () => ({ deliveries: { comment: "now" } }) },
  "notificationSettings:isMuted": { by: "person", on: ["project", "projectId", "view"] },
  "notificationSettings:setMuted": { by: "person", on: ["project", "projectId", "view"], args: () => ({ isMuted: true }) },
  "notificationSettings:end": { by: "server", args: () => ({ userId: "nobody", from: "digest" }) },
  "accounts/accessTokens:list": { by: "person" },
  "accounts/accessTokens:create": {
    by: "server for a session",
    args: () => ({ name, tokenHash: randomUUID(), scopes: ["read" as const], days: null }),
  },
  "accounts/accessTokens:revoke": { by: "person", args: async ({ backend, ada }) => ({ id: (await insertToken(backend, ada)).id }) },
  "accounts/accessTokens:find": { by: "server", args: () => ({ tokenHash: "none" }) },
  "accounts/accessTokens:noteUse": { by: "server", args: () => ({ tokenHash: "none" }) },
  "accounts/linked:unlink": { by: "server for a session", args: () => ({ id: "none", lastToo: false }) },
  "accounts/reclaim:removeCredentials": { by: "server", args: () => ({ userId: "none" }) },
  "accounts/reclaim:verifyAddress": { by: "server", args: () => ({ userId: "none", providerId: "google", removed: [] }) },
  "accounts/mail:queue": { by: "server", args: () => ({ sealed: "x", expiresAt: 0 }) },
  "accounts/mail:due": { by: "server" },
  "accounts/mail:claim": { by: "server", args: () => ({ lease: "x", leaseMs: 0, limit: 1 }) },
  "accounts/mail:claimAll": { by: "server", args: () => ({ lease: "x", leaseMs: 0, limit: 1 }) },
  "accounts/mail:done": { by: "server", args: async ({ backend }) => ({ id: await insertMail(backend), lease: "x" }) },
  "accounts/mail:postpone": { by: "server", args: async ({ backend }) => ({ id: await insertMail(backend), lease: "x", dueAt: 0 }) },
  "accounts/mail:outbox": { by: "server" },
  "accounts/mail:listQueued": { by: "server" },
  "accounts/mail:pace": { by: "server", args: () => ({ key: randomUUID(), seconds: 1 }) },
  "accounts/invitations:create": { by: "server", args: () => ({ email: "eve@example.com", tokenHash: randomUUID() }) },
  "accounts/invitations:find": { by: "server", args: () => ({ tokenHash: "none" }) },
  "accounts/invitations:isInvited": { by: "server", args: () => ({ email: "none" }) },
  "accounts/invitations:list": { by: "server" },
  "accounts/invitations:revoke": { by: "server", args: () => ({ email: "none" }) },
  "accounts/rateLimits:consume": { by: "server", args: () => ({ key: randomUUID(), window: 1, max: 1 }) },
  "accounts/deleted:filter": { by: "server", args: () => ({ userIds: [] }) },
  "accounts/mine:getMe": { by: "person" },
  "accounts/mine:getSessions": { by: "person" },
  "accounts/mine:getConnections": { by: "person" },
  "accounts/mine:getSecurity": { by: "person" },
  "accounts/mine:noteActivity": { by: "server for a session" },
  "accounts/pictures:put": {
    by: "server for a session",
    args: () => ({ contentType: "image/webp", checksum: "x", bytes: new ArrayBuffer(3) }),
  },
  "accounts/pictures:remove": { by: "server for a session" },
  "accounts/pictures:get": { by: "server for a session", args: putPicture },
  "accounts/archive:projects": { by: "server for a session", args: () => ({ paginationOpts }) },
  "accounts/archive:designs": {
    by: "server for a session",
    on: ["project", "projectId", "export"],
    trashToo,
    args: () => ({ paginationOpts }),
  },
  "accounts/archive:images": {
    by: "server for a session",
    on: ["design", "designId", "export"],
    trashToo,
    args: () => ({ paginationOpts }),
  },
  "accounts/archive:versions": { by: "server for a session", on: ["image", "imageId", "export"], trashToo },
  "accounts/archive:file": { by: "server for a session", on: ["image", "imageId", "export"], trashToo },
  "accounts/archive:commentFile": {
    by: "server for a session",
    args: async ({ backend }, { image }, caller) => ({ imageId: (await addCommentImage(backend, caller, image, name)).id }),
  },
  "accounts/archive:favourites": { by: "server for a session", args: () => ({ paginationOpts }) },
  "accounts/archive:comments": { by: "server for a session", args: () => ({ paginationOpts }) },
  "accounts/archive:reactions": { by: "server for a session", args: () => ({ paginationOpts }) },
  "accounts/archive:links": { by: "server for a session", args: () => ({ paginationOpts }) },
  "accounts/archive:accessTokens": { by: "server for a session", args: () => ({ paginationOpts }) },
  "accounts/archive:auditEvents": { by: "server for a session", args: () => ({ paginationOpts }) },
  "accounts/archive:webhooks": { by: "server for a session", args: () => ({ paginationOpts }) },
  "accounts/archive:savedLinks": { by: "server for a session", args: () => ({ paginationOpts }) },
  "accounts/archive:transfers": { by: "server for a session" },
  "accounts/archive:activities": { by: "server for a session", args: () => ({ paginationOpts }) },
  "accounts/belongings:account": { by: "server for a session" },
  "accounts/belongings:projects": { by: "server for a session", args: () => ({ paginationOpts }) },
  "accounts/belongings:designs": { by: "server for a session", on: ["project", "projectId", "download"], args: () => ({ paginationOpts }) },
  "accounts/belongings:images": { by: "server for a session", on: ["design", "designId", "download"], args: () => ({ paginationOpts }) },
  "accounts/belongings:selected": {
    by: "server for a session",
    args: ({ adaItems }) => ({
      kind: "image",
      place: { kind: "design", id: adaItems.design },
      ids: [],
      until: Date.now(),
      cursor: null,
    }),
  },
  "accounts/belongings:chosenImages": { by: "server for a session", args: ({ adaItems }) => ({ ids: [adaItems.image] }) },
  "accounts/belongings:chosenDesigns": { by: "server for a session", args: ({ adaItems }) => ({ ids: [adaItems.design] }) },
  "accounts/administrators:isAllowed": { by: "server", args: () => ({ sessionId: "none" }) },
  "accounts/administrators:set": { by: "server", args: () => ({ userId: "none", isAdministrator: true }) },
  "accounts/administrators:list": { by: "server" },
  "accounts/administrators:listRecipients": { by: "server" },
  "accounts/administrators:endGroup": { by: "server", args: () => ({ issuer: "none", issuerSubject: "none" }) },
  "accounts/administrators:keepGroups": { by: "server", args: () => ({ groups: [] }) },
  "admin/people:list": { by: "person", administrator, args: () => ({ text: "", paginationOpts }) },
  "admin/people:get": { by: "person", administrator, args: somebody },
  "admin/people:disable": { by: "server for a session", administrator, args: somebody },
  "admin/people:enable": { by: "server for a session", administrator, args: somebody },
  "admin/people:expectRemovable": { by: "server for a session", administrator, args: somebody },
  "admin/people:remove": { by: "server for a session", administrator, args: somebody },
  "admin/people:signOutEverywhere": { by: "server for a session", administrator, args: somebody },
  "admin/people:resetSecondFactor": { by: "server for a session", administrator, args: somebody },
  "admin/people:setQuota": { by: "server for a session", administrator, args: async (all) => ({ ...(await somebody(all)), bytes: 7 }) },
  "admin/people:removeRole": { by: "server for a session", administrator, args: somebody },
  "admin/invitations:list": { by: "person", administrator },
  "admin/invitations:create": {
    by: "server for a session",
    administrator,
    args: () => ({ email: "eve@example.com", tokenHash: randomUUID() }),
  },
  "admin/invitations:revoke": { by: "server for a session", administrator, args: () => ({ email: "none" }) },
  "admin/auditLog:list": { by: "person", administrator, args: () => ({ paginationOpts }) },
  "admin/auditLog:exported": { by: "server for a session", administrator, args: () => ({ paginationOpts }) },
  "admin/auditLog:recordExport": { by: "server for a session", administrator },
  "admin/storage:people": { by: "person", administrator, args: () => ({ paginationOpts }) },
  "admin/storage:projects": { by: "person", administrator },
  "admin/jobs:get": { by: "server for a session", administrator },
  "admin/jobs:repeat": { by: "server for a session", administrator, args: failedJob },
  "admin/mail:get": { by: "person", administrator },
  "admin/mail:queueTest": { by: "server for a session", administrator, args: () => ({ sealed: "sealed", expiresAt: Date.now() + 60_000 }) },
  "admin/links:list": { by: "person", administrator, args: () => ({ paginationOpts }) },
  "admin/links:revoke": { by: "server for a session", administrator, args: () => ({ linkId: "none" }) },
  "accounts/store:findMany": { by: "server", args: () => ({ model: "users", where: [byId], limit: 1 }) },
  "accounts/store:findOne": { by: "server", args: () => ({ model: "users", where: [byId] }) },
  "accounts/store:count": { by: "server", args: () => ({ model: "users", where: [byId] }) },
  "accounts/store:create": { by: "server", args: () => ({ model: "verifications", data: verification() }) },
  "accounts/store:update": { by: "server", args: () => ({ model: "users", where: [byId], update: {} }) },
  "accounts/store:updateMany": { by: "server", args: () => ({ model: "users", where: [byId], update: {} }) },
  "accounts/store:deleteMany": { by: "server", args: () => ({ model: "users", where: [byId] }) },
  "accounts/store:deleteUser": { by: "server", args: () => ({ userId: "nobody" }) },
  "accounts/store:consumeOne": { by: "server", args: () => ({ model: "users", where: [byId] }) },
  "accounts/store:incrementOne": { by: "server", args: () => ({ model: "rateLimits", where: [byId], increment: { count: 1 } }) },
  "accounts/store:commit": { by: "server", args: () => ({ writes: [{ kind: "insert", model: "verifications", data: verification() }] }) },
};

const SENDERS: Record<string, "write" | "comment"> = {
  "uploads:getStorageOwner": "write",
  "uploads:generateUploadUrl": "write",
  "uploads:finalize": "write",
  "versions:finalize": "write",
  "commentImages:generateUploadUrl": "comment",
  "commentImages:finalize": "comment",
};

const scopeOf = (name: string): "read" | "comment" => (/:(?:startThread|reply)$/.test(name) ? "comment" : "read");

const entriesBy = (by: Entry["by"]) => Object.entries(entries).filter(([, entry]) => entry.by === by);
const entriesOnItems = Object.entries(entries).flatMap(([name, { on, ...entry }]) => (on ? [[name, { on, ...entry }] as const] : []));

const UNRECORDED: Record<string, string> = {
  "projects:setFavourite": "orders only the user's own list",
  "projects:reorder": "orders only the user's own list",
  "designs:setFavourite": "orders only the user's own list",
  "many:favouriteDesigns": "orders only the user's own list",
  "designImages:rotate": "undo and a further rotation restore it; the file is unchanged",
  "uploads:admit": "finalize records it",
  "uploads:generateUploadUrl": "finalize records it",
  "uploads:generateUploadUrls": "finalizeMany records it",
  "uploads:noteDetails": "details of the same file",
  "uploads:discard": "no image was created",
};

const EFFECTIVE_ARGS: Record<string, (fixtures: Fixtures, args: Record<string, unknown>) => Promise<Record<string, unknown>>> = {
  "designs:reorder": async ({ ada }, { id }) => {
    const { projectId } = await ada.query(api.designs.getDesignById, { id: String(id) });
    await ada.mutation(api.designs.create, { projectId, name: "another" });
    return { to: "last" };
  },
  "designImages:reorder": async ({ backend, ada }, { id }) => {
    const { image } = await ada.query(api.designImages.getDesignImageInPlace, { id: String(id) });
    await addImage(backend, ada, image.designId, "another");
    return { to: "last" };
  },
  "designs:setCover": async ({ ada }, { id }) => ({ imageId: (await imagesOf(ada, String(id)))[0]?._id }),
  "projects:setCover": async ({ ada }, { id }) => {
    const [design] = await ada.query(api.designs.getDesignsByProjectId, { projectId: String(id) });
    return { imageId: (await imagesOf(ada, design?._id ?? ""))[0]?._id };
  },
  "tags:untagDesign": async ({ ada }, { id }) => ada.mutation(api.tags.tagDesign, { id: String(id), tag: "poster" }).then(() => ({})),
  "tags:untagImage": async ({ ada }, { id }) => ada.mutation(api.tags.tagImage, { id: String(id), tag: "poster" }).then(() => ({})),
  "many:untagDesigns": async ({ ada }, { ids }) => ada.mutation(api.many.tagDesigns, { ids: idsOf(ids), tag: "poster" }).then(() => ({})),
  "many:untagImages": async ({ ada }, { ids }) => ada.mutation(api.many.tagImages, { ids: idsOf(ids), tag: "poster" }).then(() => ({})),
};

const imagesOf = (person: Person, designId: string) => person.query(api.designImages.getDesignImagesByDesignId, { designId });
const codeOf = (error: unknown) => refusalOf(error)?.code;
const idsOf = (ids: unknown): string[] => (Array.isArray(ids) ? ids.map(String) : []);

async function exported() {
  const modules = import.meta.glob<Record<string, unknown>>([
    "./**/*.ts",
    "!./**/*.test.ts",
    "!./_generated/**",
    "!./auth.config.ts",
    "!./**/*.d.ts",
  ]);
  const functions = [];
  for (const [path, load] of Object.entries(modules)) {
    for (const [key, value] of Object.entries(await load())) {
      if (typeof value !== "function") continue;
      const type = (["Query", "Mutation", "Action"] as const).find((each) => `is${each}` in value);
      if (type) functions.push({ name: `${path.slice(2, -3)}:${key}`, type, isPublic: "isPublic" in value });
    }
  }
  return functions;
}

const contentChanges = (await exported()).flatMap(({ name, type, isPublic }) => {
  const entry = entries[name];
  const isContents = /^(projects|designs|designImages|many|trash|tags|versions|uploads):/.test(name);
  return entry && isPublic && type === "Mutation" && isContents ? [[name, entry] as const] : [];
});

it("has an entry for every public function, and no other entries", { tags: "@has-entry-every-public-function-no" }, async () => {
  const functions = await exported();
  expect(
    functions
      .filter(({ isPublic }) => isPublic)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(Object.keys(entries).toSorted());
  expect(functions.filter(({ isPublic }) => !isPublic).length).toBeGreaterThan(0);
});

it("docs/access.md has the rights of each role and the right of each function", async () => {
  const text = await readFile("docs/access.md", "utf8");
  const tableRows = text.split("\n").filter((line) => line.startsWith("| `"));
  const cells = tableRows.map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const ofRoles = cells.filter(({ length }) => length === 5).map(([right = "", ...roles]) => [/`(\w+)`/.exec(right)?.[1], ...roles]);
  const roles = ["owner", ...MEMBER_ROLES] as const;
  expect(ofRoles).toEqual(
    Object.entries(RIGHTS).map(([right, has]) => [right, ...roles.map((role) => (has.includes(role) ? "yes" : "–"))]),
  );

  const ofLinks = cells
    .filter(({ length, 0: each }) => length === 2 && !each?.startsWith("`/"))
    .map(([each = ""]) => each.replaceAll("`", ""));
  const reached = Object.entries(entries).filter(([, { by, link }]) => link || by === "server for a link");
  expect(ofLinks.toSorted()).toEqual(reached.map(([each]) => each).toSorted());

  const needs = cells
    .filter(({ length }) => length === 3)
    .flatMap(([module = "", right = "", functions = ""]) =>
      functions.split(", ").map((each) => `${module}:${each} ${right}`.replaceAll("`", "")),
    );
  const own = ({ by, on, ...entry }: Entry) =>
    (entry.administrator && "administrator") ?? on?.[2] ?? (["server", "server for a link"].includes(by) ? "server" : "own");
  expect(needs.toSorted()).toEqual(
    Object.entries(entries)
      .map(([each, entry]) => `${each} ${own(entry)}`)
      .toSorted(),
  );
});

it("lists arguments and results of all public functions", { tags: "@says-what-every-public-function-this" }, async () => {
  const modules = import.meta.glob<Record<string, { exportReturns?: () => string; exportArgs?: () => string }>>([
    "./*.ts",
    "!./*.test.ts",
    "!./{crons,schema,auth.config}.ts",
  ]);
  for (const [path, load] of Object.entries(modules)) {
    for (const [key, value] of Object.entries(await load())) {
      if (!value?.exportReturns) continue;
      expect(JSON.parse(value.exportArgs?.() ?? "null"), `${path} ${key} args`).toHaveProperty("type", "object");
      expect(JSON.parse(value.exportReturns()), `${path} ${key} returns`).not.toBeNull();
    }
  }
});

for (const backend of backends) {
  describe(`access on ${backend.name}`, { tags: backend.scansAllRows ? [] : ["slow"] }, () => {
    testAccess(backend);
  });
}

function testAccess({ start, scansAllRows }: Pick<(typeof backends)[number], "start" | "scansAllRows">): void {
  let fixtures: Fixtures;
  let tests = 0;
  let types: Map<string, "Query" | "Mutation" | "Action">;
  beforeAll(async () => {
    types = new Map((await exported()).map(({ name, type }) => [name, type]));
    fixtures = await createFixtures(await start());
  });
  beforeEach(async () => {
    if (!scansAllRows || ++tests % TESTS_PER_BACKEND !== 0) return;
    await fixtures.backend.close();
    fixtures = await createFixtures(await start());
    unchanged = undefined;
    links = undefined;
  });
  afterAll(() => fixtures.backend.close());

  const call = (caller: Caller, name: string, args: Record<string, unknown>) =>
    types.get(name) === "Query"
      ? caller.query(makeFunctionReference<"query">(name), args)
      : caller.mutation(makeFunctionReference<"mutation">(name), args);

  let unchanged: Promise<TestItems> | undefined;
  const refusedArgs = async (entry: Entry) =>
    rightful(entry, fixtures.ada, await (unchanged ??= makeItems(fixtures.backend, fixtures.ada)));

  async function rightful(entry: Entry, person: Person, given?: TestItems): Promise<Record<string, unknown>> {
    const items = given ?? (await makeItems(fixtures.backend, person));
    const args: Record<string, unknown> = { ...(await entry.args?.(fixtures, items, person)) };
    if (entry.by === "server for a session") args["sessionId"] = person.sessionId;
    if (entry.by === "server for a token") args["tokenHash"] = (await insertToken(fixtures.backend, person)).tokenHash;
    if (entry.on) args[entry.on[1]] = entry.on[1] === "ids" ? [items[entry.on[0]]] : items[entry.on[0]];
    if (entry.isAuthor) args["commentId"] = await fixtures.authored(person, items);
    return args;
  }

  const isForOwners = ([, { on }]: [string, Entry]) => !on || allows("owner", on[2]);

  it.each(Object.entries(entries).filter(isForOwners))("%s accepts its permitted callers", async (name, entry) => {
    const person = entry.administrator ? fixtures.administrator : fixtures.ada;
    const caller = entry.by === "person" ? person : fixtures.server;
    await expect(call(caller, name, await rightful(entry, person))).resolves.toBeDefined();
  });

  it.each(Object.entries(entries).filter(([, entry]) => entry.administrator))(
    "%s refuses users, former administrators and disabled ones",
    { tags: "@administration-refuses-others" },
    async (name, entry) => {
      const { backend, ada, bob, administrator, server } = fixtures;
      const [former, left, disabled] = await Promise.all(["former", "left", "disabled"].map((each) => signUp(backend, each)));
      if (!former || !left || !disabled) throw new Error("A person is missing.");
      await setUser(backend, disabled, { isAdministrator: true, disabledAt: 1 });
      await server.mutation(api.accounts.administrators.set, { userId: former.userId, isAdministrator: true });
      await server.mutation(api.accounts.administrators.set, { userId: former.userId, isAdministrator: false });
      await setSession(backend, left, { issuer: "oidc-acme", issuerSubject: left.userId, adminGroup: "admins" });
      await server.mutation(api.accounts.administrators.endGroup, { issuer: "oidc-acme", issuerSubject: left.userId });
      const args = await rightful(entry, administrator, fixtures.adaItems);
      const by = (person: Person) =>
        call(entry.by === "person" ? person : server, name, entry.by === "person" ? args : { ...args, sessionId: person.sessionId });
      const codes = [];
      for (const person of [ada, bob, former, left, disabled]) codes.push((await refused(by(person))).code);
      expect(codes).toEqual(["not_found", "not_found", "not_found", "not_found", "unauthenticated"]);
      await setSession(backend, left, { adminGroup: "admins" });
      await expect(by(left)).resolves.toBeDefined();
    },
  );

  it.each(contentChanges)("records %s in the project's history", async (name, entry) => {
    const readActivities = async () => {
      const rows = await fixtures.backend.inside.query(probe.rows, { table: "activities" });
      return rows.map(({ _id, kind, at, count, thing }) => [_id, kind, at, count, thing]);
    };
    const args = { ...(await rightful(entry, fixtures.ada)) };
    Object.assign(args, await EFFECTIVE_ARGS[name]?.(fixtures, args));
    await fixtures.backend.settle();
    const before = await readActivities();
    await call(entry.by === "person" ? fixtures.ada : fixtures.server, name, args);
    const isRecorded = JSON.stringify(await readActivities()) !== JSON.stringify(before);
    expect(isRecorded, UNRECORDED[name]).toBe(UNRECORDED[name] === undefined);
  });

  it.each(Object.entries(entries))(
    "%s refuses calls without a token and tokens of the wrong kind",
    { tags: "@closed-without-token-not" },
    async (name, entry) => {
      const args = await refusedArgs(entry);
      const others = entry.by === "person" ? [fixtures.nobody, fixtures.server] : [fixtures.nobody, fixtures.ada, ...fixtures.pretenders];
      for (const other of others) expect(await refused(call(other, name, args))).toEqual({ code: "unauthenticated" });
      for (const other of fixtures.forgers) await expect(call(other, name, args)).rejects.toBeInstanceOf(Error);
    },
  );

  it.each(entriesBy("person"))(
    "%s refuses an ended session and another person's session",
    { tags: "@closed-session-has-been-ended-another" },
    async (name, entry) => {
      const args = await refusedArgs(entry);
      for (const other of [fixtures.signedOut, fixtures.mixedUp, fixtures.withoutSession]) {
        expect(await refused(call(other, name, args))).toEqual({ code: "unauthenticated" });
      }
    },
  );

  it.each(entriesBy("server for a session"))("%s refuses an ended, expired or unknown session", async (name, entry) => {
    const args = await refusedArgs(entry);
    for (const sessionId of [fixtures.signedOut.sessionId, fixtures.expired.sessionId, "", "never"]) {
      expect(await refused(call(fixtures.server, name, { ...args, sessionId }))).toEqual({ code: "unauthenticated" });
    }
  });

  it.each(entriesBy("server for a token"))("%s refuses expired tokens and tokens without the scope", async (name, entry) => {
    const { backend, ada, server } = fixtures;
    const args = await refusedArgs(entry);
    const scopes = { read: ["write", "comment"], comment: ["read", "write"] }[scopeOf(name)];
    const expired = await insertToken(backend, ada, { expiresAt: Date.now() - 1 });
    const others = [expired, await insertToken(backend, ada, { scopes }), await insertToken(backend, ada, { userId: "nobody" })];
    for (const tokenHash of [...others.map((each) => each.tokenHash), "", "never"])
      expect(await refused(call(server, name, { ...args, tokenHash }))).toEqual({ code: "unauthenticated" });
  });

  it("accepts access tokens for uploads only", async () => {
    const { backend, ada, server } = fixtures;
    for (const [name, entry] of entriesBy("server for a session")) {
      const { sessionId: _, ...args } = await rightful(entry, ada);
      const { tokenHash } = await insertToken(backend, ada);
      const outcome = await call(server, name, { ...args, tokenHash }).then(
        () => "ok",
        () => "refused",
      );
      expect(`${name} ${outcome}`).toBe(`${name} ${name in SENDERS ? "ok" : "refused"}`);
      if (!(name in SENDERS)) continue;
      const scopes = ["read", "write", "comment"].filter((scope) => scope !== SENDERS[name]);
      const reader = await insertToken(backend, ada, { scopes });
      expect(await refused(call(server, name, { ...args, tokenHash: reader.tokenHash }))).toEqual({ code: "unauthenticated" });
    }
  });

  it.each(entriesOnItems)(
    "%s throws the same error for foreign, removed, missing and malformed ids",
    { tags: "@tells-another-persons-removed-missing-malformed" },
    async (name, entry) => {
      const [kind, argument] = entry.on;
      const caller = entry.by === "person" ? fixtures.ada : fixtures.server;
      const args = await refusedArgs(entry);
      const before = await fixtures.bobs();
      const wrong = [
        fixtures.bobItems[kind],
        ...fixtures.absent(kind, entry.trashToo, entry.anyKind),
        "",
        "nonsense",
        "a".repeat(5000),
        "../projects",
        fixtures.ada.userId,
      ];
      for (const id of wrong) {
        const right = args[argument];
        const refusal = await refused(call(caller, name, { ...args, [argument]: Array.isArray(right) ? [...right, id] : id }));
        expect(refusal, `${argument} = ${id.slice(0, 40)}`).toEqual({ code: "not_found" });
      }
      expect(await fixtures.bobs()).toEqual(before);
    },
  );

  it.each(entriesOnItems)("%s accepts exactly the roles that have its right", async (name, { on, ...entry }) => {
    const right = on[2];
    const { roles, removed, signedOut } = fixtures.members;
    const prepared = async (person: Person, items: TestItems) => {
      const args = await rightful({ ...entry, on }, person, items);
      return () => call(entry.by === "person" ? person : fixtures.server, name, args);
    };
    const [allowed = [], others = []] = [true, false].map((isAllowed) => MEMBER_ROLES.filter((role) => allows(role, right) === isAllowed));
    const owner = allows("owner", right) ? [] : [fixtures.ada];
    // An access token outlives the session.
    const ended = entry.by === "server for a token" ? [] : [signedOut];
    const items = await fixtures.sharedItems();
    const refusals = await Promise.all(
      [...others.map((role) => roles[role]), fixtures.bob, removed, ...owner, ...ended].map((person) => prepared(person, items)),
    );
    const before = await fixtures.contentOf(items);
    const codes = [];
    for (const calling of refusals) codes.push((await refused(calling())).code);
    expect(codes).toEqual([...refusals.slice(ended.length).map(() => "not_found"), ...ended.map(() => "unauthenticated")]);
    expect(await fixtures.contentOf(items)).toEqual(before);
    const accept = async (role: MemberRole) => {
      const calling = await prepared(roles[role], await fixtures.sharedItems());
      await expect(calling(), role).resolves.toBeDefined();
    };
    await Promise.all(allowed.map(accept));
  });

  let links: ReturnType<typeof makeLinks> | undefined;
  async function makeLinks() {
    const { backend, ada, bobItems } = fixtures;
    const { project } = await (unchanged ??= makeItems(backend, ada));
    const revoked = await insertLink(backend, project);
    await backend.inside.mutation(probe.remove, { table: "links", id: revoked });
    const claims = { subject: "public-link", audience: "atelier-link" } as const;
    const elsewhere = { ...claims, linkId: await insertLink(backend, project), lock: 0, issuer: "https://elsewhere.invalid" };
    return {
      viewing: await linkVisitor(backend, await insertLink(backend, project)),
      commenting: await linkVisitor(backend, await insertLink(backend, project, commenting)),
      ofOthers: await linkVisitor(backend, await insertLink(backend, bobItems.project, commenting)),
      forger: await backend.holder(elsewhere),
      earlierBuild: await backend.holder({ ...claims, linkId: await insertLink(backend, project), lock: 0 }),
      closed: [
        await linkVisitor(backend, await insertLink(backend, project, { passwordHash: "x", lock: 1 })),
        await linkVisitor(backend, await insertLink(backend, project, { expiresAt: Date.now() - 1 })),
        await linkVisitor(backend, await insertLink(backend, project, { expiredAt: Date.now() })),
        await linkVisitor(backend, revoked),
        await linkVisitor(backend, "nonsense"),
        await backend.holder(claims),
        await backend.holder({ ...claims, subject: "public-link other", linkId: await insertLink(backend, project), lock: 0 }),
        await backend.holder({ ...claims, linkId: await insertLink(backend, project), lock: 0, sessionId: ada.sessionId }),
      ],
    };
  }

  it.each(Object.entries(entries))("%s is available to visitors of open links only if it is listed", async (name, entry) => {
    const { viewing, earlierBuild, commenting, ofOthers, forger, closed } = await (links ??= makeLinks());
    const args = await refusedArgs(entry);
    for (const other of closed) expect(await refused(call(other, name, args))).toEqual({ code: "unauthenticated" });
    await expect(call(forger, name, args)).rejects.toBeInstanceOf(Error);
    const visitors = [ofOthers, viewing, earlierBuild, commenting];
    const answers = await Promise.all(visitors.map((visitor) => call(visitor, name, args).then(() => "ok", codeOf)));
    const closedToAll = visitors.map(() => "unauthenticated");
    const seen = entry.link === "comments" ? "not_found" : "ok";
    expect(answers).toEqual(entry.link ? ["not_found", seen, seen, "ok"] : closedToAll);
  });

  it("shows each person their own projects and nobody else's", { tags: "@shows-each-person-own-projects-nobody" }, async () => {
    const carol = await signUp(fixtures.backend, "carol");
    await carol.mutation(api.projects.create, { name: "carol's" });
    expect(await names(carol)).toEqual(["carol's"]);
    expect(await names(fixtures.ada)).not.toContain("carol's");
    const { page } = await fixtures.ada.query(api.projects.listProjects, { paginationOpts: { cursor: null, numItems: 200 } });
    expect(page.map(({ name }) => name)).not.toContain("carol's");
  });

  it("refuses a token after its session has ended", { tags: "@ends-session-same-token-refused-after" }, async () => {
    const dora = await signUp(fixtures.backend, "dora");
    expect(await dora.query(api.projects.getProjects, {})).toEqual([]);
    await signOut(fixtures.backend, dora);
    expect(await refused(dora.query(api.projects.getProjects, {}))).toEqual({ code: "unauthenticated" });
  });

  it("exposes no storage ids and no addresses", { tags: "@shows-storage-ids-addresses-nobody" }, async () => {
    const { project, design } = fixtures.adaItems;
    const shown = JSON.stringify([
      await fixtures.ada.query(api.projects.getProjects, {}),
      await fixtures.ada.query(api.projects.getProjectById, { id: project }),
      await fixtures.ada.query(api.designs.getDesignsByProjectId, { projectId: project }),
      await fixtures.ada.query(api.designImages.getDesignImagesByDesignId, { designId: design }),
    ]);
    expect(shown).toContain(fixtures.adaItems.image);
    expect(shown).not.toContain(fixtures.adaItems.storageId);
    expect(shown).not.toMatch(/storage|https?:/i);
  });
}

const names = async (person: Person) => (await person.query(api.projects.getProjects, {})).map(({ name }) => name);

import { type PaginationOptions, paginationOptsValidator, type PaginationResult } from "convex/server";
import { v } from "convex/values";
import { designFor, ifVisible, imageFor, projectFor, serverQueryFor } from "../model/access";
import { bulkSelection } from "../model/bulk/bulkTables";
import { selectedPage } from "../model/bulk/selectedPage";
import { pageOf } from "../model/lists/paging";

/** Queries for the data export (`/account/export`). They omit secrets. */

const LIMIT = 1000;
/** Maximum rows of tables whose rows are large and expire within a day. More would exceed the limits of a query. */
const LATEST = { undoSteps: 100, bulkSelections: 5, bulkPages: 100, bulkJobs: 50 } as const;
/** Must be at least `PAGE` of `app/features/downloads/content-reader.server.ts`, which requests so many ids at once. */
const ARCHIVE_PAGE = 100;
const args = { paginationOpts: paginationOptsValidator };
export const rows = v.object({ page: v.array(v.any()), isDone: v.boolean(), continueCursor: v.string() });

export const account = serverQueryFor({
  args: {},
  returns: v.any(),
  handler: async ({ db, user }) => {
    const rowsOf = async (table: "accounts" | "sessions" | "passkeys" | "twoFactors") =>
      db
        .query(table)
        .withIndex("userId", (q) => q.eq("userId", user.id))
        .take(LIMIT);
    const by = async (
      table:
        | "sessionActivity"
        | "devices"
        | "notices"
        | "mails"
        | "notificationSettings"
        | "mutedProjects"
        | "userPictures"
        | "projectMembers"
        | "commentReads"
        | "commentMentions",
    ) =>
      db
        .query(table)
        .withIndex("by_user", (q) => q.eq("userId", user.id))
        .take(LIMIT);
    const latest = async (table: keyof typeof LATEST) =>
      db
        .query(table)
        .withIndex("by_user", (q) => q.eq("userId", user.id))
        .order("desc")
        .take(LATEST[table]);
    const ofAddress = db.query("invitations").withIndex("by_email", (q) => q.eq("email", user.email));
    const invitations = [
      // Others can sign up with an address that is not theirs.
      ...(user.emailVerified ? await ofAddress.take(LIMIT) : []),
      ...(await db
        .query("invitations")
        .withIndex("by_inviter", (q) => q.eq("invitedBy", user.id))
        .take(LIMIT)),
    ];
    const subscriptions = await db
      .query("subscriptions")
      .withIndex("referenceId", (q) => q.eq("referenceId", user.id))
      .take(LIMIT);
    const usage = await db
      .query("usage")
      .withIndex("by_owner", (q) => q.eq("ownerId", user.id))
      .first();
    const given = await db
      .query("verifications")
      .withIndex("value", (q) => q.eq("value", user.id))
      .take(LIMIT);
    const requestsBy = (index: "by_reviewer" | "by_requester", field: "reviewerId" | "requestedBy") =>
      db
        .query("reviewRequests")
        .withIndex(index, (q) => q.eq(field, user.id))
        .take(LIMIT);
    const seen = new Map((await by("sessionActivity")).map((row) => ["sessionId" in row ? row.sessionId : "", row]));
    return {
      user: without(user, []),
      accounts: (await rowsOf("accounts")).map((row) => without(row, ["password", "accessToken", "refreshToken", "idToken"])),
      sessions: (await rowsOf("sessions")).map((row) => ({
        ...without(row, ["token", "device", "issuerSession"]),
        ...seenAt(seen.get(row.id)),
      })),
      devices: (await by("devices")).map((row) => without(row, ["userId", "mark"])),
      passkeys: (await rowsOf("passkeys")).map((row) => without(row, ["publicKey"])),
      twoFactor: (await rowsOf("twoFactors")).map((row) => without(row, ["userId", "secret", "backupCodes"])),
      given: given.map(({ identifier, expiresAt, createdAt }) => ({ kind: kindOf(identifier), expiresAt, createdAt })),
      notices: (await by("notices")).map((row) => without(row, ["userId"])),
      mails: (await by("mails")).map((row) => ({
        writtenAt: row._creationTime,
        ...without(row, ["userId", "content", "key", "lease", "claimedAt"]),
      })),
      notificationSettings: (await by("notificationSettings")).map((row) => without(row, ["userId"])),
      mutedProjects: (await by("mutedProjects")).map((row) => without(row, ["userId"])),
      undoSteps: (await latest("undoSteps")).map((row) => without(row, ["userId", "step"])),
      bulkSelections: (await latest("bulkSelections")).map((row) => without(row, ["userId"])),
      bulkPages: (await latest("bulkPages")).map((row) => without(row, ["userId", "selectionId"])),
      bulkJobs: (await latest("bulkJobs")).map((row) => without(row, ["userId", "step", "selectionId", "run", "call", "cursor"])),
      commentReads: (await by("commentReads")).map((row) => without(row, ["userId"])),
      commentMentions: (await by("commentMentions")).map((row) => without(row, ["userId"])),
      reviewRequests: [
        ...(await requestsBy("by_reviewer", "reviewerId")).map((row) => without(row, ["reviewerId", "requestedBy"])),
        ...(await requestsBy("by_requester", "requestedBy")).map((row) => without(row, ["reviewerId", "requestedBy"])),
      ],
      memberships: (await by("projectMembers")).map((row) => without(row, ["userId", "addedBy"])),
      pictures: (await by("userPictures")).map((row) => without(row, ["userId", "bytes"])),
      subscriptions: subscriptions.map((row) => without(row, ["referenceId"])),
      invitations: invitations.map((row) => without(row, ["tokenHash", "provesAddress"])),
      usage: usage && without(usage, ["ownerId", "counting"]),
    };
  },
});

const KINDS = ["trust-device-", "reset-password:", "delete-account-"];

const kindOf = (identifier: string) => KINDS.find((kind) => identifier.startsWith(kind))?.slice(0, -1) ?? "other";

const seenAt = (row: object | undefined) => (row && "at" in row ? { seenAt: row.at } : {});

export const projects = serverQueryFor({
  args,
  returns: rows,
  handler: async ({ db, user }, { paginationOpts }) =>
    exported(pageOf(paginationOpts), (options) =>
      db
        .query("projects")
        .withIndex("by_owner", (q) => q.eq("ownerId", user.id).eq("removedAt", undefined))
        .paginate(options),
    ),
});

export const designs = serverQueryFor({
  args: { ...args, projectId: v.string() },
  returns: rows,
  handler: async (ctx, { paginationOpts, projectId }) => {
    const { _id } = await projectFor(ctx, projectId, "download");
    return exported(pageOf(paginationOpts), (options) =>
      ctx.db
        .query("designs")
        .withIndex("by_project", (q) => q.eq("projectId", _id).eq("removedAt", undefined))
        .paginate(options),
    );
  },
});

export const images = serverQueryFor({
  args: { ...args, designId: v.string() },
  returns: rows,
  handler: async (ctx, { paginationOpts, designId }) => {
    const { design } = await designFor(ctx, designId, "download");
    return exported(pageOf(paginationOpts), (options) =>
      ctx.db
        .query("designImages")
        .withIndex("by_design", (q) => q.eq("designId", design._id).eq("removedAt", undefined))
        .paginate(options),
    );
  },
});

export const chosenImages = serverQueryFor({
  args: { ids: v.array(v.string()) },
  returns: v.array(v.any()),
  handler: async (ctx, { ids }) => {
    const found = await Promise.all(ids.slice(0, ARCHIVE_PAGE).map((id) => ifVisible(imageFor(ctx, id, "download"))));
    return found.flatMap((each) => (each ? [toExportedRow(each.image)] : []));
  },
});

export const chosenDesigns = serverQueryFor({
  args: { ids: v.array(v.string()) },
  returns: v.array(v.any()),
  handler: async (ctx, { ids }) => {
    const found = await Promise.all(ids.slice(0, ARCHIVE_PAGE).map((id) => ifVisible(designFor(ctx, id, "download"))));
    return found.flatMap((each) => (each ? [toExportedRow(each.design)] : []));
  },
});

export const selected = serverQueryFor({
  args: { ...bulkSelection, cursor: v.union(v.string(), v.null()) },
  returns: rows,
  handler: async (ctx, { cursor, ...selection }) => {
    const { ids, cursor: next } = await selectedPage(ctx, selection, cursor, ARCHIVE_PAGE);
    const rowOf = async (id: string): Promise<Stored | undefined> =>
      selection.kind === "image"
        ? (await ifVisible(imageFor(ctx, id, "download")))?.image
        : (await ifVisible(designFor(ctx, id, "download")))?.design;
    const page = (await Promise.all(ids.map(rowOf))).flatMap((row) => (row ? [toExportedRow(row)] : []));
    return { page, isDone: next === null, continueCursor: next ?? "" };
  },
});

const INTERNAL_FIELDS = [
  "favouriteAt",
  "cover",
  "chosenCover",
  "sortName",
  "words",
  "ownerId",
  "latestImageAt",
  "storageId",
  "uploadId",
  "placeholder",
  "reviews",
  "imageReviews",
  "reviewedImages",
];

export async function exported<Row extends Stored>(
  options: PaginationOptions,
  read: (options: PaginationOptions) => Promise<PaginationResult<Row>>,
) {
  const { page, isDone, continueCursor } = await read(options);
  return { page: page.filter(isKept).map(toExportedRow), isDone, continueCursor };
}

type Stored = { _id: string; _creationTime: number };

const isKept = (row: object) => !("purgingSince" in row) || row.purgingSince === undefined;

type ExportedRow = Record<string, unknown> & { id: string; createdAt: number };

export const toExportedRow = (row: Stored): ExportedRow => ({
  ...without(row, INTERNAL_FIELDS),
  id: row._id,
  createdAt: row._creationTime,
});

function without(row: object, left: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([field]) => !field.startsWith("_") && !left.includes(field)));
}

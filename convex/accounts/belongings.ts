import { type PaginationOptions, paginationOptsValidator, type PaginationResult } from "convex/server";
import { v } from "convex/values";
import { designFor, ifVisible, imageFor, projectFor, serverQueryFor } from "../access";
import { pageOf } from "../paging";

/**
 * Everything that belongs to somebody, for the archive that they take with them (`/account/data`). For the app server alone, which reads it
 * page by page while it writes the archive. Secrets are left out: nobody has a use for them but who steals the archive.
 */

const LIMIT = 1000;
/** As the archive asks for them (`app/archives/belongings.server.ts`). */
const CHOSEN = 100;
const args = { paginationOpts: paginationOptsValidator };
const rows = v.object({ page: v.array(v.any()), isDone: v.boolean(), continueCursor: v.string() });

/** The account: who they are, how and where they sign in, and what they were told. */
export const account = serverQueryFor({
  args: {},
  returns: v.any(),
  handler: async ({ db, user }) => {
    const of = async (table: "accounts" | "sessions" | "passkeys") =>
      db
        .query(table)
        .withIndex("userId", (q) => q.eq("userId", user.id))
        .take(LIMIT);
    const notices = await db
      .query("notices")
      .withIndex("by_user", (q) => q.eq("userId", user.id))
      .take(LIMIT);
    const subscriptions = await db
      .query("subscriptions")
      .withIndex("referenceId", (q) => q.eq("referenceId", user.id))
      .take(LIMIT);
    return {
      user: without(user, []),
      accounts: (await of("accounts")).map((row) => without(row, ["password", "accessToken", "refreshToken", "idToken"])),
      sessions: (await of("sessions")).map((row) => without(row, ["token", "device"])),
      passkeys: (await of("passkeys")).map((row) => without(row, ["publicKey"])),
      notices: notices.map((row) => without(row, ["userId"])),
      subscriptions: subscriptions.map((row) => without(row, ["referenceId"])),
    };
  },
});

/** A page of their projects. */
export const projects = serverQueryFor({
  args,
  returns: rows,
  handler: async ({ db, user }, { paginationOpts }) =>
    exported(paginationOpts, (options) =>
      db
        .query("projects")
        .withIndex("by_owner", (q) => q.eq("ownerId", user.id).eq("removedAt", undefined))
        .paginate(options),
    ),
});

/** A page of a project's designs. Throws "not_found". */
export const designs = serverQueryFor({
  args: { ...args, projectId: v.string() },
  returns: rows,
  handler: async (ctx, { paginationOpts, projectId }) => {
    const { _id } = await projectFor(ctx, projectId, "view");
    return exported(paginationOpts, (options) =>
      ctx.db
        .query("designs")
        .withIndex("by_project", (q) => q.eq("projectId", _id).eq("removedAt", undefined))
        .paginate(options),
    );
  },
});

/** A page of a design's images. Throws "not_found". */
export const images = serverQueryFor({
  args: { ...args, designId: v.string() },
  returns: rows,
  handler: async (ctx, { paginationOpts, designId }) => {
    const { design } = await designFor(ctx, designId, "view");
    return exported(paginationOpts, (options) =>
      ctx.db
        .query("designImages")
        .withIndex("by_design", (q) => q.eq("designId", design._id).eq("removedAt", undefined))
        .paginate(options),
    );
  },
});

/** Of the images that somebody chose, those that are still to be seen: what has gone meanwhile is left out. At most `CHOSEN` of them at once. */
export const chosenImages = serverQueryFor({
  args: { ids: v.array(v.string()) },
  returns: v.array(v.any()),
  handler: async (ctx, { ids }) => {
    const found = await Promise.all(ids.slice(0, CHOSEN).map((id) => ifVisible(imageFor(ctx, id, "view"))));
    return found.flatMap((each) => (each ? [asExported(each.image)] : []));
  },
});

/** Of the designs that somebody chose, those that are still to be seen. */
export const chosenDesigns = serverQueryFor({
  args: { ids: v.array(v.string()) },
  returns: v.array(v.any()),
  handler: async (ctx, { ids }) => {
    const found = await Promise.all(ids.slice(0, CHOSEN).map((id) => ifVisible(designFor(ctx, id, "view"))));
    return found.flatMap((each) => (each ? [asExported(each.design)] : []));
  },
});

/** Covers, places and file names of the deployment's own are no part of what is somebody's. */
const OURS = ["cover", "ownerId", "latestImageAt", "storageId", "uploadId", "placeholder"];

async function exported<Row extends { _id: string; _creationTime: number }>(
  options: PaginationOptions,
  read: (options: PaginationOptions) => Promise<PaginationResult<Row>>,
) {
  const { page, isDone, continueCursor } = await read(pageOf(options));
  return { page: page.map(asExported), isDone, continueCursor };
}

const asExported = (row: { _id: string; _creationTime: number }) => ({ ...without(row, OURS), id: row._id, createdAt: row._creationTime });

function without(row: object, left: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([field]) => !field.startsWith("_") && !left.includes(field)));
}

import { customMutation, customQuery } from "convex-helpers/server/customFunctions";
import { v } from "convex/values";
import { mutation, type MutationCtx, query, type QueryCtx } from "../_generated/server";
import type { Doc, Id } from "../_generated/dataModel";
import { type AccessScope, findAccessToken } from "./accounts/accessTokens";
import { ISSUER, isSubjectOfLink, requireService } from "./accounts/service";
import { sessionOf } from "./accounts/sessions";
import { RECENT_SIGN_IN_MS } from "./admin/recentSignIn";
import { check } from "./check";
import { isGuest } from "./comments/guests";
import { notFound, refusalOf, unauthenticated } from "./errors";
import { designAccessOf, type ProjectAccess, projectAccessOf } from "./items/accessCopies";
import { type LinkReference, openLink } from "./links/links";
import { memberOf } from "./members";
import { expectWritable } from "./readOnly";
import { allows, linkRole, MEMBER_ROLES, type MemberRole, type Right, type Role } from "./rights";
import { nameGuest } from "./rules";
import { recordAccessChanges, recordingAccessChanges } from "./revocations/recordAccessChanges";
import { recordRead, type Reads, recordReads } from "./revocations/recordReads";
import { recordChanges } from "./undo/recordChanges";
import type { UndoStep } from "./undo/undoTables";

/** Builds all public functions; those named `server…` are for the app server. Missing and foreign ids throw "not_found". */

type Caller = { user: Doc<"users">; session: Doc<"sessions">; address?: string };
export type CallerCtx = QueryCtx & Pick<Caller, "user">;
type Reader = { user: Doc<"users"> | null; link?: Doc<"links"> };
export type ReaderCtx = QueryCtx & Reader;

const asPerson = {
  args: {},
  input: async (ctx: QueryCtx) => ({ ctx: await caller(ctx), args: {} }),
};
const asServer = {
  args: {},
  input: async (ctx: QueryCtx) => {
    await requireService(ctx);
    return { ctx: {}, args: {} };
  },
};
const asServerFor = {
  args: { sessionId: v.string() },
  input: async (ctx: QueryCtx, { sessionId }: { sessionId: string }) => {
    await requireService(ctx);
    return { ctx: await liveSession(ctx, sessionId), args: {} };
  },
};

type ServerCall = { sessionId: string; address?: string | undefined };
const asServerForChange = {
  args: { sessionId: v.string(), address: v.optional(v.string()) },
  input: async (ctx: QueryCtx, { sessionId, address }: ServerCall) => {
    await requireService(ctx);
    return { ctx: { ...(await liveSession(ctx, sessionId)), ...(address !== undefined && { address }) }, args: {} };
  },
};

const asAdministrator = {
  args: {},
  input: async (ctx: QueryCtx) => ({ ctx: expectAdministrator(await caller(ctx)), args: {} }),
};
const asServerForAdministrator = {
  args: asServerForChange.args,
  input: async (ctx: QueryCtx, args: ServerCall) => {
    const input = await asServerForChange.input(ctx, args);
    expectAdministrator(input.ctx);
    return input;
  },
};
const asServerForRecentAdministrator = {
  ...asServerForAdministrator,
  input: async (ctx: QueryCtx, args: ServerCall) => {
    const input = await asServerForAdministrator.input(ctx, args);
    if (Date.now() - input.ctx.session.createdAt >= RECENT_SIGN_IN_MS) throw unauthenticated();
    return input;
  },
};

/** The role comes from `npm run user -- admin`, or from the issuer's group at this session's sign-in (decision 213). */
export const isAdministrator = ({ user, session }: Caller): boolean => user.isAdministrator === true || Boolean(session.adminGroup);

/** Throws "not_found" without the role: the function must look like a missing item. */
function expectAdministrator(live: Caller): Caller {
  if (!isAdministrator(live)) throw notFound();
  return live;
}

async function liveSession({ db }: QueryCtx, sessionId: string): Promise<Caller> {
  const live = await sessionOf(db, { sessionId });
  // The app server calls this without the user's token, whose expiry Convex would check.
  if (!live || live.session.expiresAt <= Date.now()) throw unauthenticated();
  return live;
}

const asServerForToken = (scope: AccessScope) => ({
  args: { tokenHash: v.string() },
  input: async (ctx: QueryCtx, { tokenHash }: { tokenHash: string }) => {
    await requireService(ctx);
    return { ctx: { user: await userOfToken(ctx, tokenHash, scope) }, args: {} };
  },
});
type Sender = { sessionId?: string | undefined; tokenHash?: string | undefined };
const asServerForSender = (scope: AccessScope) => ({
  args: { sessionId: v.optional(v.string()), tokenHash: v.optional(v.string()) },
  input: async (ctx: QueryCtx, { sessionId = "", tokenHash }: Sender) => {
    await requireService(ctx);
    const user = tokenHash === undefined ? (await liveSession(ctx, sessionId)).user : await userOfToken(ctx, tokenHash, scope);
    return { ctx: { user }, args: {} };
  },
});

async function userOfToken(ctx: QueryCtx, tokenHash: string, scope: AccessScope): Promise<Doc<"users">> {
  const found = await findAccessToken(ctx, tokenHash);
  if (!found?.token.scopes.includes(scope)) throw unauthenticated();
  return found.user;
}

const asReader = {
  args: {},
  input: async (ctx: QueryCtx): Promise<{ ctx: Reader; args: object }> => ({ ctx: (await visitor(ctx)) ?? (await caller(ctx)), args: {} }),
};
const asServerForLink = {
  args: { linkId: v.string(), lock: v.number() },
  input: async (ctx: QueryCtx, reference: LinkReference): Promise<{ ctx: Reader; args: object }> => {
    await requireService(ctx);
    return { ctx: await linkReader(ctx, reference), args: {} };
  },
};

/** The author of a comment. Through a link, signed-in authors have only the link's rights. */
type Author = { id: string; guestName?: string; linkId?: Id<"links"> };
export type AuthorCtx = MutationCtx & Reader & { author: Author };

const asServerForLinkAuthor = {
  args: {
    ...asServerForLink.args,
    /** Session of a signed-in author. Otherwise the author is `guest`, whose id the app server has verified. */
    sessionId: v.optional(v.string()),
    guest: v.optional(v.object({ id: v.string(), name: v.string() })),
  },
  input: async (ctx: QueryCtx, { sessionId, guest, ...reference }: LinkReference & LinkWriter) => {
    await requireService(ctx);
    const reader = await linkReader(ctx, reference);
    const linkId = reader.link?._id;
    const writer = sessionId === undefined ? guestOf(guest) : { id: (await liveSession(ctx, sessionId)).user.id };
    return { ctx: { ...reader, author: { ...writer, ...(linkId && { linkId }) } }, args: {} };
  },
};
type LinkWriter = { sessionId?: string | undefined; guest?: { id: string; name: string } | undefined };

function guestOf(guest: LinkWriter["guest"]): Author {
  if (!guest || !isGuest(guest.id)) throw unauthenticated();
  return { id: guest.id, guestName: check(nameGuest, guest).name };
}

type Customization<Ctx, Rest extends unknown[], Args, Input> = { args: Args; input: (ctx: Ctx, ...rest: Rest) => Promise<Input> };

/** Refuses the mutation before any read while the data is being moved, and records changes of access to images. */
const writing = <Rest extends unknown[], Args, Input extends { ctx: object }>({
  args,
  input,
}: Customization<MutationCtx, Rest, Args, Input>) => ({
  args,
  input: async (ctx: MutationCtx, ...rest: Rest) => {
    expectWritable();
    return recordingAccessChanges(ctx, (recorded) => input(recorded, ...rest));
  },
});

/** Records the rows that a query of image files reads, because changes of them can end the access. */
const readingFiles = <Rest extends unknown[], Args, Input extends { ctx: object }>({
  args,
  input,
}: Customization<QueryCtx, Rest, Args, Input>) => ({
  args,
  input: async (ctx: QueryCtx, ...rest: Rest) => {
    const reads = recordReads(ctx.db);
    const given = await input({ ...ctx, db: reads.db }, ...rest);
    return { ...given, ctx: { ...given.ctx, db: reads.db, reads } };
  },
});
export type FileReaderCtx = ReaderCtx & { reads: Reads<QueryCtx["db"]> };

export const userQuery = customQuery(query, asPerson);
/** Builds queries for users and for visitors of public links. Visitors can call no other functions (docs/access.md). */
export const readerQuery = customQuery(query, asReader);
export const userMutation = customMutation(mutation, writing(asPerson));
/** Builds a `userMutation` whose changes `undo.revert` can undo, if the caller names a `step`. */
export const undoableMutation = customMutation(mutation, {
  args: { step: v.optional(v.string()) },
  input: async (ctx: MutationCtx, { step }: { step?: string | undefined }) => {
    expectWritable();
    const accessChanges = recordAccessChanges(ctx.db);
    const live = await caller(ctx);
    const recorder = step === undefined ? null : recordChanges({ ...ctx, ...live, db: accessChanges.db });
    return {
      ctx: { ...live, db: recorder?.db ?? accessChanges.db, ...(step !== undefined && { step: { name: step } }) },
      args: {},
      onSuccess: async () => {
        if (recorder && step !== undefined) await recorder.save(step);
        await accessChanges.save();
      },
    };
  },
});
/** Jobs act for a user without a session. `step` is the undo step that records the changes. */
export type UserMutationCtx = MutationCtx & Pick<Caller, "user" | "address"> & { step?: UndoStep };
export const serverQuery = customQuery(query, asServer);
export const serverMutation = customMutation(mutation, writing(asServer));
export const serverQueryFor = customQuery(query, asServerFor);
export const serverMutationFor = customMutation(mutation, writing(asServerForChange));
export const administratorQuery = customQuery(query, asAdministrator);
/** Builds the administration's queries for downloads, which can outlast the token of a browser. */
export const serverQueryForAdministrator = customQuery(query, asServerForAdministrator);
export const administratorMutation = customMutation(mutation, writing(asServerForAdministrator));
/** Builds administrators' destructive mutations. Throws "unauthenticated" unless the administrator has signed in recently. */
export const recentAdministratorMutation = customMutation(mutation, writing(asServerForRecentAdministrator));
export type AdministratorCtx = MutationCtx & Caller;
export const serverQueryForToken = (scope: AccessScope) => customQuery(query, asServerForToken(scope));
export const serverMutationForToken = (scope: AccessScope) => customMutation(mutation, writing(asServerForToken(scope)));
export const serverQueryForSender = customQuery(query, asServerForSender("write"));
export const serverMutationForSender = customMutation(mutation, writing(asServerForSender("write")));
export const serverMutationForCommenter = customMutation(mutation, writing(asServerForSender("comment")));
export const serverQueryForLink = customQuery(query, asServerForLink);
export const fileQueryFor = customQuery(query, readingFiles(asServerFor));
export const fileQueryForToken = customQuery(query, readingFiles(asServerForToken("read")));
export const fileQueryForLink = customQuery(query, readingFiles(asServerForLink));
export const serverMutationForLink = customMutation(mutation, writing(asServerForLinkAuthor));

async function caller(ctx: QueryCtx): Promise<Caller> {
  const identity = await ctx.auth.getUserIdentity();
  const sessionId = identity?.["sessionId"];
  if (!identity || identity.issuer !== ISSUER || typeof sessionId !== "string") throw unauthenticated();
  const live = await sessionOf(ctx.db, { sessionId, userId: identity.subject });
  if (!live) throw unauthenticated();
  const address = identity["address"];
  return { ...live, ...(typeof address === "string" && { address }) };
}

async function visitor(ctx: QueryCtx): Promise<Reader | null> {
  const identity = await ctx.auth.getUserIdentity();
  const linkId = identity?.["linkId"];
  const lock = identity?.["lock"];
  if (identity?.issuer !== ISSUER || identity["sessionId"] !== undefined || typeof linkId !== "string" || typeof lock !== "number")
    return null;
  return isSubjectOfLink(identity.subject, linkId) ? linkReader(ctx, { linkId, lock }) : null;
}

async function linkReader(ctx: QueryCtx, reference: LinkReference): Promise<Reader> {
  const link = await openLink(ctx, reference);
  if (!link) throw unauthenticated();
  return { user: null, link };
}

/** Caches memberships within a call, as each call has its own user object. Bulk actions check one project many times. */
const knownMembers = new WeakMap<Doc<"users">, Map<Id<"projects">, Promise<Doc<"projectMembers"> | null>>>();

/** Applies the only access rule. Owners need no query. */
async function roleIn({ db, user, link }: ReaderCtx, { _id, ownerId }: ProjectAccess): Promise<Role | null> {
  if (user === null) return link?.projectId === _id ? linkRole({ downloads: link.downloads, comments: link.kind === "comment" }) : null;
  if (ownerId === user.id) return "owner";
  const known = knownMembers.get(user) ?? new Map<Id<"projects">, Promise<Doc<"projectMembers"> | null>>();
  knownMembers.set(user, known);
  const member = known.get(_id) ?? memberOf({ db }, _id, user.id);
  known.set(_id, member);
  recordRead(db, await member);
  return (await member)?.role ?? null;
}

/** Throws "not_found" unless the link's target is the item or one of its parents. */
function expectTarget({ user, link }: ReaderCtx, ...path: string[]): void {
  if (user === null && !path.includes(link?.itemId ?? "")) throw notFound();
}

export async function ownRoleIn(ctx: ReaderCtx, project: Doc<"projects">): Promise<{ role?: MemberRole }> {
  const role = await roleIn(ctx, project);
  const memberRole = MEMBER_ROLES.find((each) => each === role);
  return memberRole === undefined ? {} : { role: memberRole };
}

export const hasRight = async (ctx: ReaderCtx, project: ProjectAccess, right: Right): Promise<boolean> =>
  allows(await roleIn(ctx, project), right);

/** Throws "not_found" unless the caller also has this right in a project that an access function returned. */
export async function expectRight(ctx: ReaderCtx, project: ProjectAccess, right: Right): Promise<void> {
  if (!(await hasRight(ctx, project, right))) throw notFound();
}

export type DesignPath = { design: Doc<"designs">; project: Doc<"projects"> };
export type ImagePath = DesignPath & { image: Doc<"designImages"> };
export type ItemPath = { project: Doc<"projects">; design?: Doc<"designs">; image?: Doc<"designImages"> };

/** Throws "not_found" for malformed, missing, removed and foreign ids, so that callers cannot distinguish them. */
export async function projectFor(ctx: ReaderCtx, id: string, right: Right): Promise<Doc<"projects">> {
  const project = await visibleProject(ctx, id, right);
  expectTarget(ctx, project._id);
  return project;
}

async function visibleProject(ctx: ReaderCtx, id: string, right: Right): Promise<Doc<"projects">> {
  const projectId = ctx.db.normalizeId("projects", id);
  const project = projectId && (await ctx.db.get(projectId));
  if (!project || project.removedAt !== undefined) throw notFound();
  await expectRight(ctx, project, right);
  return project;
}

export async function designFor(ctx: ReaderCtx, id: string, right: Right): Promise<DesignPath> {
  const path = await visibleDesign(ctx, id, right);
  expectTarget(ctx, path.project._id, path.design._id);
  return path;
}

async function visibleDesign(ctx: ReaderCtx, id: string, right: Right): Promise<DesignPath> {
  const designId = ctx.db.normalizeId("designs", id);
  const design = designId && (await ctx.db.get(designId));
  if (!design || design.removedAt !== undefined) throw notFound();
  return { design, project: await visibleProject(ctx, design.projectId, right) };
}

export async function imageFor(ctx: ReaderCtx, id: string, right: Right): Promise<ImagePath> {
  const image = await visibleRow(ctx, ctx.db.normalizeId("designImages", id));
  const path = { image, ...(await visibleDesign(ctx, image.designId, right)) };
  expectTarget(ctx, path.project._id, path.design._id, image._id);
  return path;
}

/** Does not read the design and the project, which each upload changes, so that live queries of one image run less often. */
export async function imageAloneFor(ctx: ReaderCtx, id: string, right: Right): Promise<Doc<"designImages">> {
  const image = await visibleRow(ctx, ctx.db.normalizeId("designImages", id));
  const design = await designAccessOf(ctx, image.designId);
  if (!design || design.removedAt !== undefined) throw notFound();
  const project = await projectAccessOf(ctx, design.projectId);
  if (!project || project.removedAt !== undefined) throw notFound();
  await expectRight(ctx, project, right);
  expectTarget(ctx, project._id, design._id, image._id);
  return image;
}

export type ImageGroup = DesignPath & { images: Doc<"designImages">[] };

/** Returns the images without duplicates, grouped by design to load each design once. */
export async function imagesFor(ctx: CallerCtx, ids: readonly string[], right: Right): Promise<ImageGroup[]> {
  const images = await Promise.all([...new Set(ids)].map((id) => visibleRow(ctx, ctx.db.normalizeId("designImages", id))));
  const groups = [...Map.groupBy(images, ({ designId }) => designId)];
  return Promise.all(groups.map(async ([id, group]) => ({ images: group, ...(await designFor(ctx, id, right)) })));
}

export type DesignGroup = { designs: Doc<"designs">[]; project: Doc<"projects"> };

export async function designsFor(ctx: CallerCtx, ids: readonly string[], right: Right): Promise<DesignGroup[]> {
  const designs = await Promise.all([...new Set(ids)].map((id) => visibleRow(ctx, ctx.db.normalizeId("designs", id))));
  const groups = [...Map.groupBy(designs, ({ projectId }) => projectId)];
  return Promise.all(groups.map(async ([id, group]) => ({ designs: group, project: await projectFor(ctx, id, right) })));
}

async function visibleRow<Table extends "designs" | "designImages">({ db }: ReaderCtx, id: Id<Table> | null): Promise<Doc<Table>> {
  const row = id && (await db.get(id));
  if (!row || row.removedAt !== undefined) throw notFound();
  return row;
}

export type Trashed = { kind: "project"; project: Doc<"projects"> } | ({ kind: "design" } & DesignPath) | ({ kind: "image" } & ImagePath);

/** Throws "not_found" unless the item is in the trash, is not being purged, and can be restored by the caller. */
export async function trashedFor(ctx: CallerCtx, id: string): Promise<Trashed> {
  const found = await unpurgedPathOf(ctx, id, "delete");
  if (rowsOf(found).at(-1)?.removedAt === undefined) throw notFound();
  return found;
}

export async function trashedAncestorFor(ctx: CallerCtx, id: string): Promise<Trashed> {
  const found = await unpurgedPathOf(ctx, id, "delete");
  if (found.kind === "image" && found.image.removedAt !== undefined) return found;
  if (found.kind !== "project" && found.design.removedAt !== undefined) return { ...found, kind: "design" };
  if (found.project.removedAt !== undefined) return { kind: "project", project: found.project };
  throw notFound();
}

/** Returns an item, trashed or not. Requires the right, and for a trashed item also the right to restore it. */
export async function unpurgedFor<Kind extends Trashed["kind"]>(
  ctx: CallerCtx,
  id: string,
  kind: Kind,
  right: Right,
): Promise<Trashed & { kind: Kind }> {
  const found = await unpurgedPathOf(ctx, id, right);
  if (!isOf(found, kind)) throw notFound();
  return found;
}

const isOf = <Kind extends Trashed["kind"]>(found: Trashed, kind: Kind): found is Trashed & { kind: Kind } => found.kind === kind;

async function unpurgedPathOf(ctx: CallerCtx, id: string, right: Right): Promise<Trashed> {
  const found = await remainingPathOf(ctx, id);
  if (!found) throw notFound();
  await expectRight(ctx, found.project, right);
  if (rowsOf(found).some(({ removedAt }) => removedAt !== undefined)) await expectRight(ctx, found.project, "delete");
  // A project in the trash is hidden from its members with all that it contains.
  if (found.project.removedAt !== undefined) await expectRight(ctx, found.project, "deleteProject");
  return found;
}

function rowsOf(path: Trashed): Pick<Doc<"projects">, "removedAt" | "purgingSince">[] {
  if (path.kind === "project") return [path.project];
  return path.kind === "design" ? [path.project, path.design] : [path.project, path.design, path.image];
}

/** Returns null for an item that is or will be deleted permanently. */
export async function remainingPathOf(ctx: Pick<QueryCtx, "db">, id: string): Promise<Trashed | null> {
  const found = await pathOf(ctx, id);
  return found && rowsOf(found).every(({ purgingSince }) => purgingSince === undefined) ? found : null;
}

async function pathOf({ db }: Pick<QueryCtx, "db">, id: string): Promise<Trashed | null> {
  const imageId = db.normalizeId("designImages", id);
  const image = imageId && (await db.get(imageId));
  const designId = image ? image.designId : db.normalizeId("designs", id);
  const design = designId && (await db.get(designId));
  if (image && !design) return null;
  const projectId = design ? design.projectId : db.normalizeId("projects", id);
  const project = projectId && (await db.get(projectId));
  if (!project) return null;
  if (!design) return { kind: "project", project };
  return image ? { kind: "image", image, design, project } : { kind: "design", design, project };
}

export async function maySeeName(ctx: CallerCtx, id: string): Promise<boolean> {
  const found = await remainingPathOf(ctx, id);
  return found !== null && hasRight(ctx, found.project, found.project.removedAt === undefined ? "view" : "deleteProject");
}

export async function ifVisible<Result>(looking: Promise<Result>): Promise<Result | null> {
  try {
    return await looking;
  } catch (error) {
    if (refusalOf(error)?.code === "not_found") return null;
    throw error;
  }
}

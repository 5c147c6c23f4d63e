import { customMutation, customQuery } from "convex-helpers/server/customFunctions";
import { v } from "convex/values";
import { mutation, type MutationCtx, query, type QueryCtx } from "./_generated/server";
import type { Doc, Id } from "./_generated/dataModel";
import { ISSUER, requireService } from "./accounts/service";
import { sessionOf } from "./accounts/sessions";
import { notFound, refusalOf, unauthenticated } from "./errors";

/**
 * Who calls, and what they may touch: asked here, once, for every function that others can call.
 *
 * - `userQuery`, `userMutation`: for people. `ctx.user` and `ctx.session` are the rows behind the token.
 * - `serverQuery`, `serverMutation`: for the app server alone, by its own token.
 * - `serverQueryFor`, `serverMutationFor`: for the app server, acting for the session that it names in `sessionId`.
 *
 * `projectFor`, `designFor`, `imageFor` are the one access rule: what they do not answer does not exist for the caller. `trashedFor` is the
 * same rule for what lies in the trash, where only who may change it finds it.
 */

type Caller = { user: Doc<"users">; session: Doc<"sessions"> };
type CallerCtx = QueryCtx & Caller;

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
    const live = await sessionOf(ctx.db, { sessionId });
    // No token of the session's speaks for it here, so its time is asked for.
    if (!live || live.session.expiresAt <= Date.now()) throw unauthenticated();
    return { ctx: live, args: {} };
  },
};

export const userQuery = customQuery(query, asPerson);
export const userMutation = customMutation(mutation, asPerson);
/** What the handler of a `userMutation` is given. */
export type UserMutationCtx = MutationCtx & Caller;
export const serverQuery = customQuery(query, asServer);
export const serverMutation = customMutation(mutation, asServer);
export const serverQueryFor = customQuery(query, asServerFor);
export const serverMutationFor = customMutation(mutation, asServerFor);

/** The person behind the token and the session it was made in; throws "unauthenticated" when that session has ended. */
async function caller(ctx: QueryCtx): Promise<Caller> {
  const identity = await ctx.auth.getUserIdentity();
  const sessionId = identity?.["sessionId"];
  if (!identity || identity.issuer !== ISSUER || typeof sessionId !== "string") throw unauthenticated();
  const live = await sessionOf(ctx.db, { sessionId, userId: identity.subject });
  if (!live) throw unauthenticated();
  return live;
}

/** What somebody may do with a project and all that is in it. */
type Right = "view" | "edit";

/** THE access rule. Shared access joins here: a person's part in a project, looked up, that grants some of the rights. */
async function rightsIn(ctx: CallerCtx, project: Doc<"projects">): Promise<readonly Right[]> {
  return project.ownerId === ctx.user.id ? ["view", "edit"] : [];
}

/**
 * The project with this id, for somebody who has the right to it. Throws "not_found" alike for a malformed id, one of another table, a
 * missing or removed project, and somebody else's.
 */
export async function projectFor(ctx: CallerCtx, id: string, right: Right): Promise<Doc<"projects">> {
  const known = ctx.db.normalizeId("projects", id);
  const project = known && (await ctx.db.get(known));
  if (!project || project.removedAt !== undefined || !(await rightsIn(ctx, project)).includes(right)) throw notFound();
  return project;
}

/** A design, by the right to its project; throws as `projectFor` does. */
export async function designFor(ctx: CallerCtx, id: string, right: Right): Promise<{ design: Doc<"designs">; project: Doc<"projects"> }> {
  const known = ctx.db.normalizeId("designs", id);
  const design = known && (await ctx.db.get(known));
  if (!design || design.removedAt !== undefined) throw notFound();
  return { design, project: await projectFor(ctx, design.projectId, right) };
}

/** An image, by the right to its project; throws as `projectFor` does. */
export async function imageFor(
  ctx: CallerCtx,
  id: string,
  right: Right,
): Promise<{ image: Doc<"designImages">; design: Doc<"designs">; project: Doc<"projects"> }> {
  const known = ctx.db.normalizeId("designImages", id);
  const image = known && (await ctx.db.get(known));
  if (!image || image.removedAt !== undefined) throw notFound();
  return { image, ...(await designFor(ctx, image.designId, right)) };
}

/** Images that are in one design. */
export type ImageGroup = { images: Doc<"designImages">[]; design: Doc<"designs">; project: Doc<"projects"> };

/** Several images, each once and in their order, by the designs that they are in, which are looked up once. Throws as `imageFor` does for any. */
export async function imagesFor(ctx: CallerCtx, ids: readonly string[], right: Right): Promise<ImageGroup[]> {
  const images = await Promise.all([...new Set(ids)].map((id) => unhidden(ctx, ctx.db.normalizeId("designImages", id))));
  const groups = [...Map.groupBy(images, ({ designId }) => designId)];
  return Promise.all(groups.map(async ([id, group]) => ({ images: group, ...(await designFor(ctx, id, right)) })));
}

/** Designs that are in one project. */
export type DesignGroup = { designs: Doc<"designs">[]; project: Doc<"projects"> };

/** Several designs, each once and in their order, by the projects that they are in. Throws as `designFor` does for any. */
export async function designsFor(ctx: CallerCtx, ids: readonly string[], right: Right): Promise<DesignGroup[]> {
  const designs = await Promise.all([...new Set(ids)].map((id) => unhidden(ctx, ctx.db.normalizeId("designs", id))));
  const groups = [...Map.groupBy(designs, ({ projectId }) => projectId)];
  return Promise.all(groups.map(async ([id, group]) => ({ designs: group, project: await projectFor(ctx, id, right) })));
}

/** A row that is not in the trash itself; whether it may be seen is still to be asked. */
async function unhidden<Table extends "designs" | "designImages">({ db }: CallerCtx, id: Id<Table> | null): Promise<Doc<Table>> {
  const row = id && (await db.get(id));
  if (!row || row.removedAt !== undefined) throw notFound();
  return row;
}

/** Something in the trash, and where it was: itself marked, while what it was in may be in the trash too, for itself. */
export type Trashed =
  | { kind: "project"; project: Doc<"projects"> }
  | { kind: "design"; design: Doc<"designs">; project: Doc<"projects"> }
  | { kind: "image"; image: Doc<"designImages">; design: Doc<"designs">; project: Doc<"projects"> };

/**
 * What lies in the trash under this id. Throws "not_found" for everything that does not, that is being deleted for ever, itself or with what it
 * was in, and for what is not the caller's to change.
 */
export async function trashedFor(ctx: CallerCtx, id: string): Promise<Trashed> {
  const found = await changeablePlaceOf(ctx, id);
  if (rowsOf(found).at(-1)?.removedAt === undefined) throw notFound();
  return found;
}

/** What in the trash hides the thing with this id: itself, or the nearest that it is in. Throws as `trashedFor` does, also where nothing does. */
export async function hidingFor(ctx: CallerCtx, id: string): Promise<Trashed> {
  const found = await changeablePlaceOf(ctx, id);
  if (found.kind === "image" && found.image.removedAt !== undefined) return found;
  if (found.kind !== "project" && found.design.removedAt !== undefined) return { ...found, kind: "design" };
  if (found.project.removedAt !== undefined) return { kind: "project", project: found.project };
  throw notFound();
}

/**
 * The thing of this kind and id, in the trash or not, for who may take it along: whoever may change it. Throws "not_found" as `trashedFor` does.
 */
export async function keptFor<Kind extends Trashed["kind"]>(ctx: CallerCtx, id: string, kind: Kind): Promise<Trashed & { kind: Kind }> {
  const found = await changeablePlaceOf(ctx, id);
  if (!isOf(found, kind)) throw notFound();
  return found;
}

const isOf = <Kind extends Trashed["kind"]>(found: Trashed, kind: Kind): found is Trashed & { kind: Kind } => found.kind === kind;

/** Something, hidden or not, with all that it is in, for who may change it while it is not being deleted for ever. */
async function changeablePlaceOf(ctx: CallerCtx, id: string): Promise<Trashed> {
  const found = await placeOf(ctx, id);
  if (!found || rowsOf(found).some(({ purgingSince }) => purgingSince !== undefined)) throw notFound();
  if (!(await rightsIn(ctx, found.project)).includes("edit")) throw notFound();
  return found;
}

/** From the outside in. */
function rowsOf(place: Trashed): Pick<Doc<"projects">, "removedAt" | "purgingSince">[] {
  if (place.kind === "project") return [place.project];
  return place.kind === "design" ? [place.project, place.design] : [place.project, place.design, place.image];
}

async function placeOf({ db }: CallerCtx, id: string): Promise<Trashed | null> {
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

/** What one of the above answers, or null where it throws "not_found": for lists of what may have gone, or may not be seen. */
export async function ifVisible<Result>(looking: Promise<Result>): Promise<Result | null> {
  try {
    return await looking;
  } catch (error) {
    if (refusalOf(error)?.code === "not_found") return null;
    throw error;
  }
}

import { type PaginationOptions, paginationOptsValidator, type PaginationResult, paginationResultValidator } from "convex/server";
import { v } from "convex/values";
import { designFor, fileQueryForToken, imageFor, ownRoleIn, projectFor, serverMutationForToken, serverQueryForToken } from "./model/access";
import { commentShape, threadShape } from "./model/comments/commentShapes";
import { anchor } from "./model/comments/commentTables";
import { repliesIn, threadsOn } from "./model/comments/readThreads";
import { addReply, addThread, asAuthor, withImages } from "./model/comments/writeComments";
import { invalid, refusalOf } from "./model/errors";
import { imageFileArgs, imageFileFor, imageFileShape } from "./model/images/imageFile";
import { pageOf } from "./model/lists/paging";
import { designImageShape, designShape, projectPageShape, toDesign, toDesignImage, toProject, versionShape } from "./model/shapes";
import { versionsIn } from "./versions";

/** Functions for programs with a personal access token (docs/api.md). Besides these, programs can call only the upload functions. */

const tokenQuery = serverQueryForToken("read");
const paged = { paginationOpts: paginationOptsValidator };

type Rows<Row> = { paginate(options: PaginationOptions): Promise<PaginationResult<Row>> };

const pageAt = <Row>(rows: Rows<Row>, options: PaginationOptions): Promise<PaginationResult<Row>> =>
  refusingCursor(options, () => rows.paginate(pageOf(options)));

async function refusingCursor<Page>({ cursor }: PaginationOptions, read: () => Promise<Page>): Promise<Page> {
  try {
    return await read();
  } catch (error) {
    if (cursor === null || !(error instanceof Error) || refusalOf(error)) throw error;
    throw invalid({ cursor: ["Pass the cursor of the previous page."] });
  }
}

export const listProjects = tokenQuery({
  args: paged,
  returns: paginationResultValidator(projectPageShape),
  handler: async ({ db, user }, { paginationOpts }) => {
    const rows = db
      .query("projects")
      .withIndex("by_owner", (q) => q.eq("ownerId", user.id).eq("removedAt", undefined))
      .order("desc");
    const result = await pageAt(rows, paginationOpts);
    return { ...result, page: result.page.map((row) => toProject(row)) };
  },
});

export const listSharedProjects = tokenQuery({
  args: paged,
  returns: paginationResultValidator(projectPageShape),
  handler: async ({ db, user }, { paginationOpts }) => {
    const rows = db
      .query("projectMembers")
      .withIndex("by_user", (q) => q.eq("userId", user.id))
      .order("desc");
    const result = await pageAt(rows, paginationOpts);
    const projects = await Promise.all(result.page.map(async ({ projectId, role }) => ({ role, row: await db.get(projectId) })));
    const page = projects.flatMap(({ role, row }) => (row && row.removedAt === undefined ? [{ ...toProject(row), role }] : []));
    return { ...result, page };
  },
});

export const getProject = tokenQuery({
  args: { id: v.string() },
  returns: projectPageShape,
  handler: async (ctx, { id }) => {
    const project = await projectFor(ctx, id, "view");
    return { ...toProject(project), ...(await ownRoleIn(ctx, project)) };
  },
});

export const listDesigns = tokenQuery({
  args: { projectId: v.string(), ...paged },
  returns: paginationResultValidator(designShape),
  handler: async (ctx, { projectId, paginationOpts }) => {
    const project = await projectFor(ctx, projectId, "view");
    const rows = ctx.db
      .query("designs")
      .withIndex("by_project", (q) => q.eq("projectId", project._id).eq("removedAt", undefined))
      .order("desc");
    const result = await pageAt(rows, paginationOpts);
    return { ...result, page: result.page.map((row) => toDesign(row)) };
  },
});

export const getDesign = tokenQuery({
  args: { id: v.string() },
  returns: designShape,
  handler: async (ctx, { id }) => toDesign((await designFor(ctx, id, "view")).design),
});

export const listImages = tokenQuery({
  args: { designId: v.string(), ...paged },
  returns: paginationResultValidator(designImageShape),
  handler: async (ctx, { designId, paginationOpts }) => {
    const { design } = await designFor(ctx, designId, "view");
    const rows = ctx.db.query("designImages").withIndex("by_order", (q) => q.eq("designId", design._id).eq("removedAt", undefined));
    const result = await pageAt(rows, paginationOpts);
    return { ...result, page: result.page.map(toDesignImage) };
  },
});

export const getImage = tokenQuery({
  args: { id: v.string() },
  returns: designImageShape,
  handler: async (ctx, { id }) => toDesignImage((await imageFor(ctx, id, "view")).image),
});

export const getVersions = tokenQuery({
  args: { imageId: v.string() },
  returns: v.array(versionShape),
  handler: (ctx, { imageId }) => versionsIn(ctx, imageId),
});

export const getFile = fileQueryForToken({
  args: imageFileArgs,
  returns: imageFileShape,
  handler: imageFileFor,
});

export const listThreads = tokenQuery({
  args: { itemId: v.string(), ...paged },
  returns: paginationResultValidator(threadShape),
  handler: (ctx, args) => refusingCursor(args.paginationOpts, () => threadsOn(ctx, { ...args, filter: "all" })),
});

export const listReplies = tokenQuery({
  args: { threadId: v.string(), ...paged },
  returns: paginationResultValidator(commentShape),
  handler: (ctx, args) => refusingCursor(args.paginationOpts, () => repliesIn(ctx, args)),
});

const commentMutation = serverMutationForToken("comment");

export const startThread = commentMutation({
  args: { itemId: v.string(), text: v.string(), anchor: v.optional(anchor), key: v.string(), ...withImages },
  returns: v.id("commentThreads"),
  handler: (ctx, args) => addThread(asAuthor(ctx), args),
});

export const reply = commentMutation({
  args: { threadId: v.string(), text: v.string(), key: v.string(), ...withImages },
  returns: v.id("comments"),
  handler: (ctx, args) => addReply(asAuthor(ctx), args),
});

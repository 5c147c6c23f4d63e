import { paginationOptsValidator, paginationResultValidator } from "convex/server";
import { type Infer, v } from "convex/values";
import type { Doc } from "./_generated/dataModel";
import { type CallerCtx, ifVisible, maySeeName, unpurgedFor, projectFor, userQuery } from "./model/access";
import { activity, type DiscussionKind, discussionKind, shownActivityKind } from "./model/activities/activityShape";
import { isGuest } from "./model/comments/guests";
import { peopleOf } from "./model/comments/people";
import { pageOf } from "./model/lists/paging";
import { nameOf } from "./model/members";
import { memo } from "./model/memo";
import { reviewFilter } from "./model/review/reviewTables";
import { isReviewFilter, STATUS_NAMES } from "./model/review/statuses";
import { coverShape, toDesign, toProject } from "./model/shapes";
import { toCover } from "./model/items/summaries";

const { ownerId: _, actorId: __, projectId: ___, fromId: ____, toId: _____, ...publicFields } = activity.fields;

const activityShape = v.object({
  ...publicFields,
  /** "tagged" for a change of status and for comments, because pages of earlier builds lack texts for these. */
  kind: shownActivityKind,
  discussion: v.optional(discussionKind),
  review: v.optional(v.object({ from: v.optional(reviewFilter), to: reviewFilter })),
  transfer: v.optional(v.object({ from: v.string(), to: v.string() })),
  _id: v.id("activities"),
  actor: v.union(v.object({ name: v.string(), isMe: v.boolean() }), v.null()),
  /** The current design and image of the entry, also in the trash. Permanently deleted ones are omitted. */
  place: v.optional(v.object({ designId: v.optional(v.id("designs")), imageId: v.optional(v.id("designImages")) })),
  picture: v.optional(coverShape),
});
export type Activity = Infer<typeof activityShape>;

export const list = userQuery({
  args: { projectId: v.string(), paginationOpts: paginationOptsValidator },
  returns: paginationResultValidator(activityShape),
  handler: async (ctx, { projectId, paginationOpts }) => {
    const project = await projectFor(ctx, projectId, "view");
    const result = await ctx.db
      .query("activities")
      .withIndex("by_project", (q) => q.eq("projectId", project._id))
      .order("desc")
      .paginate(pageOf(paginationOpts));

    const names = new Map<string, string | null>([["", null]]);
    for (const { actorId } of result.page) {
      if (names.has(actorId)) continue;
      if (isGuest(actorId)) {
        names.set(actorId, "A guest");
        continue;
      }
      const user = await ctx.db
        .query("users")
        .withIndex("id", (q) => q.eq("id", actorId))
        .unique();
      names.set(actorId, user && nameOf(user));
    }
    const [cover] = toProject(project).cover;
    const ofProject: About = { place: {}, ...(cover && { picture: cover }) };
    const abouts = new Map<string, Promise<About>>();
    const maySee = memo((id) => maySeeName(ctx, id));
    const namesOf = peopleOf(ctx);
    const transferIn = async ({ fromId = "", toId = "" }: Doc<"activities">) => {
      const owners = await namesOf([fromId, toId]);
      return { from: owners.get(fromId) ?? "", to: owners.get(toId) ?? "" };
    };
    const shownName = async (name: string | undefined, id: string | undefined, { actorId, kind }: Doc<"activities">) => {
      const isInside = id === undefined || kind === "covered" || actorId === ctx.user.id;
      return name === undefined || isInside || (await maySee(id)) ? name : undefined;
    };
    const entry = async (row: Doc<"activities">): Promise<Activity> => {
      const { _id, actorId, at, kind, thing, design, count } = row;
      const review = reviewIn(row);
      const transfer = kind === "transferred" ? await transferIn(row) : undefined;
      const discussion = DISCUSSION_NAMES[kind];
      const [from, to] = transfer
        ? [transfer.from, transfer.to]
        : review
          ? tagTexts(review)
          : discussion
            ? [undefined, discussion.text]
            : [await shownName(row.from, row.fromId, row), await shownName(row.to, row.toId, row)];
      const about =
        abouts.get(thing.id) ?? (thing.kind === "project" ? Promise.resolve(ofProject) : aboutOf(ctx, thing.kind, thing.id, design?.id));
      abouts.set(thing.id, about);
      const name = names.get(actorId);
      const actor = typeof name === "string" ? { name, isMe: actorId === ctx.user.id } : null;
      return {
        _id,
        at,
        kind: shownKind(kind),
        thing,
        actor,
        ...(await about),
        ...(review && { review }),
        ...(transfer && { transfer }),
        ...(discussion && { discussion: discussion.kind }),
        ...(design && { design }),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(count !== undefined && { count }),
      };
    };
    return { ...result, page: await Promise.all(result.page.map(entry)) };
  },
});

type Kind = Doc<"activities">["kind"];

/** Pages of earlier builds show discussions as tags with these names. */
const DISCUSSION_NAMES: Partial<Record<Kind, { kind: DiscussionKind; text: string }>> = {
  commented: { kind: "commented", text: "Comment" },
  resolved: { kind: "resolved", text: "Comment resolved" },
  reopened: { kind: "reopened", text: "Comment reopened" },
};

function shownKind(kind: Kind): Activity["kind"] {
  switch (kind) {
    case "transferred":
      return "moved";
    case "reviewed":
    case "commented":
    case "resolved":
    case "reopened":
      return "tagged";
    default:
      return kind;
  }
}

type StatusChange = NonNullable<Activity["review"]>;

function reviewIn({ kind, from, to }: Doc<"activities">): StatusChange | undefined {
  if (kind !== "reviewed" || !isReviewFilter(to)) return undefined;
  return { to, ...(isReviewFilter(from) && { from }) };
}

const tagTexts = ({ from, to }: StatusChange): [from: string | undefined, to: string | undefined] =>
  to === "none" ? [from && STATUS_NAMES[from], undefined] : [undefined, STATUS_NAMES[to]];

type About = Pick<Activity, "place" | "picture">;

async function aboutOf(ctx: CallerCtx, kind: "design" | "image", id: string, designId: string | undefined): Promise<About> {
  const found = await ifVisible(unpurgedFor(ctx, id, kind, "view"));
  if (!found) {
    const parent = designId === undefined ? null : await ifVisible(unpurgedFor(ctx, designId, "design", "view"));
    return { place: parent ? { designId: parent.design._id } : {} };
  }
  const { design, project } = found;
  const isHidden = [project, design, ...(found.kind === "image" ? [found.image] : [])].some(({ removedAt }) => removedAt !== undefined);
  const shown = isHidden ? undefined : found.kind === "image" ? pictureOf(found.image) : toDesign(design).cover[0];
  const place = { designId: design._id, ...(found.kind === "image" && { imageId: found.image._id }) };
  return { place, ...(shown && { picture: shown }) };
}

function pictureOf(image: Doc<"designImages">): About["picture"] {
  const { addedAt: _, ...picture } = toCover(image);
  return picture;
}

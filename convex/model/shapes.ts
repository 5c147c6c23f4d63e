import { type Infer, v } from "convex/values";
import type { Doc } from "../_generated/dataModel";
import type { ReaderCtx } from "./access";
import { memberRole } from "./memberRole";
import { projectReviews, reviewCounts, reviewStatus } from "./review/reviewTables";
import { rotation } from "./images/versionTables";

/** Shapes never contain storage ids or URLs: the app serves images and checks access on each request. */

export const coverShape = v.object({
  imageId: v.id("designImages"),
  placeholder: v.union(v.string(), v.null()),
  width: v.number(),
  height: v.number(),
  /** Part of the image URL, because another version is another picture. */
  versionId: v.optional(v.id("imageVersions")),
  rotation: v.optional(rotation),
});
export type Cover = Infer<typeof coverShape>;

/** `lastCommentAt`: time of the newest comment on the item or in it. `isUnread`: the caller has not read that comment. */
const commented = { lastCommentAt: v.optional(v.number()), isUnread: v.optional(v.boolean()) };
const openThreadCount = v.optional(v.number());

export const projectShape = v.object({
  _id: v.id("projects"),
  _creationTime: v.number(),
  name: v.string(),
  updatedAt: v.number(),
  designCount: v.number(),
  imageCount: v.number(),
  cover: v.array(coverShape),
  coverChosen: v.boolean(),
  favourite: v.boolean(),
  description: v.string(),
  ...commented,
});
export type Project = Infer<typeof projectShape>;

const ownRole = { role: v.optional(memberRole) };
export const projectPageShape = v.object({ ...projectShape.fields, ...ownRole, reviews: v.optional(projectReviews) });

/** Omits the author's name, which would cost a list one read per item. `reviews:getReview` returns all. */
const shownReview = v.object({ status: reviewStatus, at: v.number(), version: v.optional(v.number()) });
const review = v.optional(shownReview);
type ShownReview = Infer<typeof shownReview>;

export const designShape = v.object({
  _id: v.id("designs"),
  _creationTime: v.number(),
  projectId: v.id("projects"),
  name: v.string(),
  updatedAt: v.number(),
  imageCount: v.number(),
  cover: v.array(coverShape),
  coverChosen: v.boolean(),
  favourite: v.boolean(),
  description: v.string(),
  tags: v.optional(v.array(v.string())),
  openThreadCount,
  ...commented,
  review,
});
export type Design = Infer<typeof designShape>;
export const designPageShape = v.object({ ...designShape.fields, ...ownRole, imageReviews: v.optional(reviewCounts) });

export const designImageShape = v.object({
  _id: v.id("designImages"),
  _creationTime: v.number(),
  designId: v.id("designs"),
  name: v.string(),
  caption: v.string(),
  tags: v.optional(v.array(v.string())),
  review,
  contentType: v.string(),
  size: v.number(),
  /** Pixels, after applying orientation and rotation. */
  width: v.number(),
  height: v.number(),
  checksum: v.string(),
  placeholder: v.union(v.string(), v.null()),
  animated: v.boolean(),
  versionId: v.optional(v.id("imageVersions")),
  page: v.optional(v.number()),
  rotation: v.optional(rotation),
  openThreadCount,
  ...commented,
});
export type DesignImage = Infer<typeof designImageShape>;

export const versionShape = v.object({
  _id: v.id("imageVersions"),
  number: v.number(),
  name: v.string(),
  author: v.union(v.string(), v.null()),
  addedAt: v.number(),
  isCurrent: v.boolean(),
  contentType: v.string(),
  size: v.number(),
  width: v.number(),
  height: v.number(),
  checksum: v.string(),
  placeholder: v.union(v.string(), v.null()),
  animated: v.boolean(),
  rotation: v.optional(rotation),
});

/** Removes tags and reviews for visitors of public links, and comments unless the link has them. */
export function forReader<Shown extends Commented & { tags?: string[]; review?: ShownReview }>({ link }: ReaderCtx, item: Shown): Shown {
  return link ? Object.assign(commentsFor(link, item), { tags: [], review: undefined }) : item;
}

export function commentsFor<Shown extends Commented>(link: Doc<"links">, item: Shown): Shown {
  if (link.kind === "comment") return item;
  const shown = { ...item };
  delete shown.lastCommentAt;
  delete shown.openThreadCount;
  return shown;
}

type Commented = { lastCommentAt?: number; openThreadCount?: number };

const commentsOf = ({ lastCommentAt, openThreadCount: count }: Commented) => ({
  ...(lastCommentAt !== undefined && { lastCommentAt }),
  ...(count !== undefined && { openThreadCount: count }),
});

export function toProject(row: Doc<"projects">, favourite = false): Project {
  const { _id, _creationTime, name, updatedAt, designCount, imageCount } = row;
  return { _id, _creationTime, name, updatedAt, designCount, imageCount, favourite, ...arranged(row), ...commentsOf(row) };
}

export function toDesign(row: Doc<"designs">, favourite = false): Design {
  const { _id, _creationTime, projectId, name, updatedAt, imageCount, tags } = row;
  const optional = { ...(tags && { tags }), ...commentsOf(row), ...toReview(row) };
  return { _id, _creationTime, projectId, name, updatedAt, imageCount, favourite, ...arranged(row), ...optional };
}

export function toDesignImage(row: Doc<"designImages">): DesignImage {
  const {
    _id,
    _creationTime,
    designId,
    name,
    caption = "",
    contentType,
    size,
    width,
    height,
    checksum,
    placeholder,
    animated,
    versionId,
    tags,
    page,
    rotation,
  } = row;
  const properties = { contentType, size, width, height, checksum, placeholder, animated };
  const optional = {
    ...(tags && { tags }),
    ...(versionId !== undefined && { versionId }),
    ...(page !== undefined && { page }),
    ...(rotation !== undefined && { rotation }),
    ...commentsOf(row),
    ...toReview(row),
  };
  return { _id, _creationTime, designId, name, caption, ...properties, ...optional };
}

function toReview({ review }: Doc<"designs"> | Doc<"designImages">): { review?: ShownReview } {
  if (!review) return {};
  const { status, at, version } = review;
  return { review: { status, at, ...(version !== undefined && { version }) } };
}

function arranged({ cover, chosenCover, coverImageId, description = "" }: Doc<"projects"> | Doc<"designs">) {
  return {
    cover: (chosenCover ? [chosenCover] : cover).map(toCover),
    coverChosen: coverImageId !== undefined,
    description,
  };
}

function toCover({ imageId, placeholder, width, height, versionId, rotation }: Doc<"designs">["cover"][number]): Cover {
  const optional = { ...(versionId !== undefined && { versionId }), ...(rotation !== undefined && { rotation }) };
  return { imageId, placeholder, width, height, ...optional };
}

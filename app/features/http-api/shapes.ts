import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { z } from "zod";
import { COMMENT_IMAGES_MAX } from "#convex/model/comments/imagesMax";
import { REVIEW_FILTERS } from "#convex/model/review/statuses";
import type { api } from "#convex/_generated/api";

const id = z.string().meta({ description: "An opaque id" });
const time = z.iso.datetime().meta({ description: "A time in UTC (RFC 3339)" });
const address = z.url().meta({ description: "The address of the page in the app" });

const reviewStatus = z.enum(REVIEW_FILTERS).meta({ description: "The review status" });

export const projectSchema = z
  .object({
    id,
    name: z.string(),
    description: z.string(),
    role: z.enum(["owner", "editor", "commenter", "viewer"]).meta({ description: "The role of the token's user" }),
    designCount: z.int(),
    imageCount: z.int(),
    createdAt: time,
    updatedAt: time,
    url: address,
  })
  .meta({ id: "Project" });

export const designSchema = z
  .object({
    id,
    projectId: id,
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()),
    reviewStatus,
    imageCount: z.int(),
    createdAt: time,
    updatedAt: time,
    url: address,
  })
  .meta({ id: "Design" });

export const imageSchema = z
  .object({
    id,
    designId: id,
    name: z.string(),
    caption: z.string(),
    tags: z.array(z.string()),
    reviewStatus,
    contentType: z.string(),
    size: z.int().meta({ description: "Bytes of the original" }),
    width: z.int().meta({ description: "Pixels, with the orientation applied" }),
    height: z.int().meta({ description: "Pixels, with the orientation applied" }),
    checksum: z.string().meta({ description: "SHA-256 of the original in hexadecimal" }),
    createdAt: time,
    url: address,
    fileUrl: z.url().meta({ description: "The address of the file in this API" }),
  })
  .meta({ id: "Image" });

export const versionSchema = z
  .object({
    id: id.nullable().meta({ description: "Null for an image that has only one version" }),
    number: z.int().meta({ description: "Version number. The first upload is version 1." }),
    name: z.string(),
    isCurrent: z.boolean().meta({ description: "Whether this is the current version" }),
    contentType: z.string(),
    size: z.int().meta({ description: "Bytes of the original" }),
    width: z.int().meta({ description: "Pixels, with the orientation applied" }),
    height: z.int().meta({ description: "Pixels, with the orientation applied" }),
    checksum: z.string().meta({ description: "SHA-256 of the original in hexadecimal" }),
    createdAt: time,
    fileUrl: z.url().meta({ description: "The address of the file in this API" }),
  })
  .meta({ id: "Version" });
export const versionsSchema = z.object({ items: z.array(versionSchema) }).meta({ id: "Versions" });

export const commentImageSchema = z
  .object({
    id,
    name: z.string(),
    width: z.int(),
    height: z.int(),
    fileUrl: z.url().meta({ description: "The address of the file in this API. It has no metadata." }),
  })
  .meta({ id: "CommentImage" });

const author = z.object({ id, name: z.string().meta({ description: '"Deleted user" after the deletion of the account' }) });
const commentFields = {
  id,
  text: z.string().meta({ description: "A subset of Markdown; empty for a deleted comment" }),
  author,
  images: z.array(commentImageSchema),
  createdAt: time,
};

export const replySchema = z.object({ ...commentFields, threadId: id, editedAt: time.nullable() }).meta({ id: "Reply" });

const fraction = z.number().min(0).max(1);
export const placeSchema = z
  .object({ x: fraction, y: fraction, width: fraction.optional(), height: fraction.optional() })
  .meta({ id: "Place", description: "A point or an area, in fractions of the image before its rotation" });

export const threadSchema = z
  .object({
    ...commentFields,
    editedAt: time.nullable(),
    place: placeSchema.nullable(),
    version: z.int().nullable().meta({ description: "The image version that the thread is about" }),
    isResolved: z.boolean(),
    replyCount: z.int(),
  })
  .meta({ id: "Thread", description: "A first comment and its replies" });

export const createdSchema = z.object({ id }).meta({ id: "Created" });

export const newReplySchema = z.object({
  text: z.string().max(5000).meta({ description: "Can be empty in a comment with images" }),
  imageIds: z
    .array(z.string())
    .max(COMMENT_IMAGES_MAX)
    .optional()
    .meta({ description: "Images that were uploaded for comments on the item" }),
});
export const newThreadSchema = z.object({ ...newReplySchema.shape, place: placeSchema.optional() });

export const uploadSchema = z
  .object({
    results: z.array(
      z.union([
        z.object({ name: z.string(), ok: z.literal(true), imageId: id }),
        z.object({
          name: z.string(),
          ok: z.literal(false),
          message: z.string(),
          isRetryable: z.boolean().meta({ description: "Whether sending the file again may help" }),
        }),
      ]),
    ),
  })
  .meta({ id: "Upload", description: "One result per file, in the order of the form" });

export const errorSchema = z
  .object({ error: z.object({ code: z.string(), message: z.string() }) })
  .meta({ id: "Error", description: "What went wrong, and what was expected" });

export const pageSchema = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().meta({ description: "Pass it as `cursor` to get the next page; null on the last page" }),
  });

type Thread = FunctionReturnType<typeof api.httpApi.listThreads>["page"][number];
type Reply = FunctionReturnType<typeof api.httpApi.listReplies>["page"][number];

const toComment = ({ text, author: { userId, name }, images = [], createdAt, editedAt }: Reply, { base }: Addresses) => ({
  text,
  author: { id: userId, name },
  images: images.map((image) => ({
    id: image._id,
    name: image.name,
    width: image.width,
    height: image.height,
    fileUrl: `${base}/images/${image._id}/file`,
  })),
  createdAt: timeOf(createdAt),
  editedAt: editedAt === undefined ? null : timeOf(editedAt),
});

export const toReply = (reply: Reply, addresses: Addresses): z.infer<typeof replySchema> => ({
  id: reply._id,
  threadId: reply.threadId,
  ...toComment(reply, addresses),
});

export const toThread = (
  { _id: id, first, anchor, versionNumber, isResolved, replyCount }: Thread,
  addresses: Addresses,
): z.infer<typeof threadSchema> => ({
  id,
  ...toComment(first, addresses),
  place: anchor ?? null,
  version: versionNumber ?? null,
  isResolved,
  replyCount,
});

type Project = FunctionReturnType<typeof api.httpApi.getProject>;
type Design = FunctionReturnType<typeof api.httpApi.getDesign>;
type Image = FunctionReturnType<typeof api.httpApi.getImage>;

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();

export type Addresses = { origin: string; base: string };

export const toProject = (
  { _id: id, _creationTime, updatedAt, name, description, designCount, imageCount, role }: Project,
  { origin }: Addresses,
): z.infer<typeof projectSchema> => ({
  id,
  name,
  description,
  role: role ?? "owner",
  designCount,
  imageCount,
  createdAt: timeOf(_creationTime),
  updatedAt: timeOf(updatedAt),
  url: origin + href("/projects/:id", { id }),
});

export const toDesign = (
  { _id: id, _creationTime, updatedAt, projectId, name, description, tags = [], review, imageCount }: Design,
  { origin }: Addresses,
): z.infer<typeof designSchema> => ({
  id,
  projectId,
  name,
  description,
  tags,
  reviewStatus: review?.status ?? "none",
  imageCount,
  createdAt: timeOf(_creationTime),
  updatedAt: timeOf(updatedAt),
  url: origin + href("/design/:id", { id }),
});

export const toImage = (
  { _id: id, _creationTime, designId, name, caption, tags = [], review, contentType, size, width, height, checksum }: Image,
  { origin, base }: Addresses,
): z.infer<typeof imageSchema> => ({
  id,
  designId,
  name,
  caption,
  tags,
  reviewStatus: review?.status ?? "none",
  contentType,
  size,
  width,
  height,
  checksum,
  createdAt: timeOf(_creationTime),
  url: origin + href("/design/:id/images/:imageId", { id: designId, imageId: id }),
  fileUrl: `${base}/images/${id}/file`,
});

type Version = FunctionReturnType<typeof api.httpApi.getVersions>[number];

export function toVersions(
  { image, versions }: { image: Image; versions: Version[] },
  { base }: Addresses,
): z.infer<typeof versionsSchema> {
  const fileUrl = `${base}/images/${image._id}/file`;
  const propertiesOf = ({ name, contentType, size, width, height, checksum }: Image | Version) => ({
    name,
    contentType,
    size,
    width,
    height,
    checksum,
  });
  if (versions.length === 0) {
    const only = { id: null, number: 1, isCurrent: true, createdAt: timeOf(image._creationTime), fileUrl };
    return { items: [{ ...only, ...propertiesOf(image) }] };
  }
  const items = versions.map((version) => ({
    id: version._id,
    number: version.number,
    isCurrent: version.isCurrent,
    ...propertiesOf(version),
    createdAt: timeOf(version.addedAt),
    fileUrl: `${fileUrl}?version=${version._id}`,
  }));
  return { items };
}

import type { PaginationOptions, PaginationResult } from "convex/server";
import type { RouterContextProvider } from "react-router";
import { z } from "zod";
import { VARIANT_WIDTHS } from "~/features/images/display/image-address";
import { serveTokenImage } from "~/features/images/serve/serve-image.server";
import { serviceConvex } from "~/features/accounts/session/convex/service-client.server";
import { configContext } from "~/lib/http/context";
import { api } from "#convex/_generated/api";
import type { AccessScope } from "#convex/model/accounts/accessTokens";
import {
  type Addresses,
  createdSchema,
  designSchema,
  imageSchema,
  newReplySchema,
  newThreadSchema,
  pageSchema,
  projectSchema,
  replySchema,
  threadSchema,
  toDesign,
  toImage,
  toProject,
  toReply,
  toThread,
  toVersions,
  uploadSchema,
  versionsSchema,
} from "./shapes";
import { ApiError } from "./api-error.server";
import { uploadCommentImages } from "./upload-comment-images.server";
import { commentKeyOf } from "./idempotency-key.server";
import { uploadImages } from "./upload-images.server";

export type ApiCall = {
  request: Request;
  context: Readonly<RouterContextProvider>;
  tokenHash: string;
  addresses: Addresses;
  id: string;
};

export type Endpoint = {
  method: "GET" | "POST";
  path: string;
  summary: string;
  scope: AccessScope;
  query?: z.ZodObject;
  sends?: "files" | z.ZodObject;
  answer: z.ZodType | "file";
  /** `query` contains the checked parameters of the address, `body` the checked JSON. Throws the errors of the functions. */
  run(call: ApiCall, query: Record<string, unknown>, body: unknown): Promise<Response>;
};

const PAGE_SIZE = 50;
const PAGE_SIZE_MAX = 200;
const paged = z.object({
  cursor: z.string().max(2000).optional().meta({ description: "`nextCursor` of the previous page" }),
  limit: z.coerce.number().int().min(1).max(PAGE_SIZE_MAX).default(PAGE_SIZE).meta({ description: "Items per page" }),
});
const files = z.object({
  version: z.string().max(64).optional().meta({ description: "The id of a version. Without it, the current one." }),
  width: z
    .enum(VARIANT_WIDTHS.map(String))
    .optional()
    .meta({ description: "Width in pixels of a smaller variant, as WebP or AVIF. Without it, the original." }),
});

const optionsOf = (query: Record<string, unknown>): PaginationOptions => {
  const { cursor, limit } = paged.parse(query);
  return { cursor: cursor ?? null, numItems: limit };
};

type ItemEndpoint<Item, Shown> = Pick<Endpoint, "path" | "summary"> & {
  answer: z.ZodType<Shown>;
  get: (call: ApiCall) => Promise<Item>;
  toShape: (item: Item, addresses: Addresses) => Shown;
};

const item = <Item, Shown>({ get, toShape, ...described }: ItemEndpoint<Item, Shown>): Endpoint => ({
  ...described,
  method: "GET",
  scope: "read",
  run: async (call) => Response.json(toShape(await get(call), call.addresses)),
});

type ListEndpoint<Item, Shown> = Pick<Endpoint, "path" | "summary"> & {
  of: z.ZodType<Shown>;
  list: (call: ApiCall, paginationOpts: PaginationOptions) => Promise<PaginationResult<Item>>;
  toShape: (item: Item, addresses: Addresses) => Shown;
};

const list = <Item, Shown>({ list, toShape, of, ...described }: ListEndpoint<Item, Shown>): Endpoint => ({
  ...described,
  method: "GET",
  scope: "read",
  query: paged,
  answer: pageSchema(of),
  async run(call, query) {
    const { page, isDone, continueCursor } = await list(call, optionsOf(query));
    const items = page.map((each) => toShape(each, call.addresses));
    return Response.json({ items, nextCursor: isDone ? null : continueCursor });
  },
});

type WriteEndpoint<Sent extends z.ZodObject> = Pick<Endpoint, "path" | "summary"> & {
  sends: Sent;
  write: (call: ApiCall, body: z.output<Sent>, key: string) => Promise<string>;
};

const write = <Sent extends z.ZodObject>({ write, sends, ...described }: WriteEndpoint<Sent>): Endpoint => ({
  ...described,
  method: "POST",
  scope: "comment",
  sends,
  answer: createdSchema,
  async run(call, _, body) {
    const comment = sends.parse(body);
    const id = await write(call, comment, commentKeyOf(call.request, comment));
    return Response.json({ id }, { status: 201 });
  },
});

function expectContent({ text, imageIds = [] }: z.output<typeof newReplySchema>): void {
  if (text === "" && imageIds.length === 0) throw new ApiError(400, "invalid_body", "text: expected a string, or imageIds");
}

const commentsOn = (itemPath: string, item: string): Endpoint[] => {
  const path = `${itemPath}/comments`;
  return [
    list({
      path,
      summary: `Lists the threads of comments on ${item}, newest first`,
      of: threadSchema,
      list: (call, paginationOpts) =>
        convexOf(call).query(api.httpApi.listThreads, { tokenHash: call.tokenHash, itemId: call.id, paginationOpts }),
      toShape: toThread,
    }),
    write({
      path,
      summary: `Writes a comment on ${item}`,
      sends: newThreadSchema,
      write: (call, { place, ...comment }, key) => {
        expectContent(comment);
        const thread = { tokenHash: call.tokenHash, itemId: call.id, key, ...comment, ...(place && { anchor: place }) };
        return convexOf(call).mutation(api.httpApi.startThread, thread, { skipQueue: true });
      },
    }),
    {
      method: "POST",
      path: `${itemPath}/comment-images`,
      summary: `Uploads images for a comment on ${item}`,
      scope: "comment",
      sends: "files",
      answer: uploadSchema,
      run: uploadCommentImages,
    },
  ];
};

const convexOf = ({ context }: ApiCall) => serviceConvex(context.get(configContext));

export const endpoints: readonly Endpoint[] = [
  list({
    path: "/projects",
    summary: "Lists your own projects, last changed first",
    of: projectSchema,
    list: (call, paginationOpts) => convexOf(call).query(api.httpApi.listProjects, { tokenHash: call.tokenHash, paginationOpts }),
    toShape: toProject,
  }),
  list({
    path: "/shared-projects",
    summary: "Lists the projects that others share with you, last shared first",
    of: projectSchema,
    list: (call, paginationOpts) => convexOf(call).query(api.httpApi.listSharedProjects, { tokenHash: call.tokenHash, paginationOpts }),
    toShape: toProject,
  }),
  item({
    path: "/projects/{id}",
    summary: "Reads a project",
    answer: projectSchema,
    get: (call) => convexOf(call).query(api.httpApi.getProject, { tokenHash: call.tokenHash, id: call.id }),
    toShape: toProject,
  }),
  list({
    path: "/projects/{id}/designs",
    summary: "Lists the designs of a project, last changed first",
    of: designSchema,
    list: (call, paginationOpts) =>
      convexOf(call).query(api.httpApi.listDesigns, { tokenHash: call.tokenHash, projectId: call.id, paginationOpts }),
    toShape: toDesign,
  }),
  item({
    path: "/designs/{id}",
    summary: "Reads a design",
    answer: designSchema,
    get: (call) => convexOf(call).query(api.httpApi.getDesign, { tokenHash: call.tokenHash, id: call.id }),
    toShape: toDesign,
  }),
  list({
    path: "/designs/{id}/images",
    summary: "Lists the images of a design in their order",
    of: imageSchema,
    list: (call, paginationOpts) =>
      convexOf(call).query(api.httpApi.listImages, { tokenHash: call.tokenHash, designId: call.id, paginationOpts }),
    toShape: toImage,
  }),
  {
    method: "POST",
    path: "/designs/{id}/images",
    summary: "Uploads images to a design",
    scope: "write",
    sends: "files",
    answer: uploadSchema,
    run: uploadImages,
  },
  ...commentsOn("/designs/{id}", "a design"),
  item({
    path: "/images/{id}",
    summary: "Reads an image",
    answer: imageSchema,
    get: (call) => convexOf(call).query(api.httpApi.getImage, { tokenHash: call.tokenHash, id: call.id }),
    toShape: toImage,
  }),
  item({
    path: "/images/{id}/versions",
    summary: "Lists the versions of an image, newest first",
    answer: versionsSchema,
    get: async (call) => {
      const { tokenHash, id } = call;
      const [image, versions] = await Promise.all([
        convexOf(call).query(api.httpApi.getImage, { tokenHash, id }),
        convexOf(call).query(api.httpApi.getVersions, { tokenHash, imageId: id }),
      ]);
      return { image, versions };
    },
    toShape: toVersions,
  }),
  ...commentsOn("/images/{id}", "an image"),
  list({
    path: "/threads/{id}/replies",
    summary: "Lists the replies in a thread, oldest first",
    of: replySchema,
    list: (call, paginationOpts) =>
      convexOf(call).query(api.httpApi.listReplies, { tokenHash: call.tokenHash, threadId: call.id, paginationOpts }),
    toShape: toReply,
  }),
  write({
    path: "/threads/{id}/replies",
    summary: "Writes a reply in a thread",
    sends: newReplySchema,
    write: (call, comment, key) => {
      expectContent(comment);
      const reply = { tokenHash: call.tokenHash, threadId: call.id, key, ...comment };
      return convexOf(call).mutation(api.httpApi.reply, reply, { skipQueue: true });
    },
  }),
  {
    method: "GET",
    path: "/images/{id}/file",
    summary: "Downloads the file of an image, or of an image in a comment",
    scope: "read",
    query: files,
    answer: "file",
    async run(call, query) {
      const { request, context, tokenHash, id } = call;
      // Throws this API's errors; `serveTokenImage` responds with plain text.
      await convexOf(call).query(api.httpApi.getFile, { tokenHash, imageId: id });
      return serveTokenImage(request, id, context, tokenHash, files.parse(query));
    },
  },
];

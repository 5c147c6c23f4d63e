import type { FunctionReturnType } from "convex/server";
import { ACCEPTED } from "~/features/images/display/accepted-types";
import type { api } from "#convex/_generated/api";

export type CommentImage = FunctionReturnType<typeof api.commentImages.finalize>;
export type CommentImageAnswer = { image: CommentImage } | { problem: string };

/** `item` is in the address, because access to the commented item is checked before the file is decoded. */
export const COMMENT_IMAGE_FIELDS = { item: "item", sending: "sending", files: "files" } as const;

const types = Object.keys(ACCEPTED).filter((type) => type !== "application/pdf");
export const COMMENT_IMAGE_ACCEPT = [...types, "image/heif", ".heic", ".heif"].join(",");

import { href } from "react-router";

/** The search parameter that names the thread to show. */
export const THREAD = "thread";

type CommentedItem = { designId: string; imageId?: string | undefined };

/** Returns the address of the page with an item's comments. */
export const commentsAddress = ({ designId: id, imageId }: CommentedItem): string =>
  imageId === undefined ? href("/design/:id/comments", { id }) : href("/design/:id/images/:imageId/comments", { id, imageId });

export const threadAddress = (item: CommentedItem, threadId: string): string => `${commentsAddress(item)}?${THREAD}=${threadId}`;

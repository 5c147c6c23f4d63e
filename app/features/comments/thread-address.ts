import { SIGNED_IN } from "~/lib/rights/item-addresses";

export const THREAD = "thread";

type CommentedItem = { designId: string; imageId?: string | undefined };

export const commentsAddress = ({ designId, imageId }: CommentedItem, addresses = SIGNED_IN): string =>
  addresses.comments(designId, imageId);

export const threadAddress = (item: CommentedItem, threadId: string, addresses = SIGNED_IN): string =>
  `${commentsAddress(item, addresses)}?${THREAD}=${threadId}`;

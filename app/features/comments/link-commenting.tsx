import { createContext, use } from "react";
import type { Comment } from "./optimistic";

export type LinkAuthor = { userId: string; name: string; isGuest: boolean };

/** `run` sends a change to the app server, which limits the changes per link. It throws if the change is rejected. */
export type LinkCommenting = {
  me: LinkAuthor;
  setName: (name: string) => void;
  run: (call: "startThread" | "reply" | "edit" | "remove", args: object) => Promise<void>;
};

export const LinkCommentingContext = createContext<LinkCommenting | null>(null);

export const useLinkCommenting = (): LinkCommenting | null => use(LinkCommentingContext);

export function useGuest(): LinkAuthor | null {
  const me = use(LinkCommentingContext)?.me;
  return me?.isGuest ? me : null;
}

/** Returns a test for own comments. Visitors share the link's token, so the server does not mark their comments. */
export function useIsMine(): (comment: Comment) => boolean {
  const me = use(LinkCommentingContext)?.me;
  return ({ author, through }) => (me ? through !== undefined && author.userId === me.userId : author.isMe);
}

export function ViaLinkBadge({ through }: Pick<Comment, "through">) {
  if (through === undefined) return null;
  return <span className="comment-mark">{through === "guest" ? "Guest" : "Via link"}</span>;
}

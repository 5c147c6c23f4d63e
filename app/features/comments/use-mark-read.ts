import { useEffect, useRef } from "react";
import { connection } from "~/lib/data/connection/connection";
import { api } from "#convex/_generated/api";

/** Each mark changes the unread items of all lists, so comments that arrive together are marked together. */
const PAUSE_MS = 2000;

type CommentedItem = { _id: string; isUnread?: boolean | undefined; lastCommentAt?: number | undefined };

export function useMarkRead({ _id: itemId, isUnread = false, lastCommentAt }: CommentedItem, isShown = true): void {
  const markedAt = useRef(0);
  const waiting = useRef<(() => void) | null>(null);
  useEffect(() => {
    const mark = () => {
      if (document.visibilityState !== "visible") return;
      waiting.current = null;
      markedAt.current = Date.now();
      void connection()
        .then((convex) => convex.mutation(api.comments.markRead, { itemId }))
        .catch(() => {});
    };
    waiting.current = isUnread && isShown ? mark : null;
    if (!waiting.current) return;
    const timer = setTimeout(mark, Math.max(0, markedAt.current + PAUSE_MS - Date.now()));
    document.addEventListener("visibilitychange", mark);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", mark);
    };
  }, [itemId, isUnread, isShown, lastCommentAt]);
  useEffect(() => () => waiting.current?.(), [itemId]);
}

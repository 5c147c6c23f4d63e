import type { OptimisticUpdate } from "convex/browser";
import type { FunctionArgs, FunctionReference } from "convex/server";
import { connection, reconnectingConvex } from "~/lib/data/connection/connection";
import { useRoot } from "~/lib/data/use-root";
import { toast } from "~/lib/ui/overlays/toasts";
import { api } from "#convex/_generated/api";
import { problemOf } from "../composer/composer";
import { editComment, react, removeComment, setResolved } from "../optimistic";

/** The signed-in person as an author. */
export function useMe(): { userId: string; name: string } | null {
  const { user, userId } = useRoot() ?? {};
  return user && userId ? { userId, name: user.name || user.email } : null;
}

type Mutation = FunctionReference<"mutation">;

/** Waits for the connection. Throws for a rejected change. */
async function run<M extends Mutation>(mutation: M, args: FunctionArgs<M>, optimistic?: OptimisticUpdate<FunctionArgs<M>>): Promise<void> {
  const convex = reconnectingConvex() ?? (await connection());
  await convex.mutation(mutation, args, optimistic && { optimisticUpdate: optimistic });
}

const orToast = (change: Promise<void>) =>
  void change.catch((error: unknown) => void toast(problemOf(error, "It was not saved. Try again.")));

export const commentActions = {
  resolve: (threadId: string, isResolved: boolean) => orToast(run(api.comments.setResolved, { threadId, isResolved }, setResolved)),
  react: (commentId: string, emoji: string, isOn: boolean) => orToast(run(api.comments.react, { commentId, emoji, isOn }, react)),
  remove: (commentId: string) => orToast(run(api.comments.remove, { commentId }, removeComment)),
  markRead: (itemId: string) => void run(api.comments.markRead, { itemId }).catch(() => {}),
  edit: (commentId: string, text: string, from: string) => run(api.comments.edit, { commentId, text, from }, editComment),
};

import type { OptimisticUpdate } from "convex/browser";
import type { FunctionArgs, FunctionReference } from "convex/server";
import { useMemo } from "react";
import { connection, reconnectingConvex } from "~/lib/data/connection/connection";
import { withJoinedQueries } from "~/lib/data/joined-queries";
import { useRoot } from "~/lib/data/use-root";
import { toast } from "~/lib/ui/overlays/toasts";
import { api } from "#convex/_generated/api";
import { problemOf } from "../composer/composer";
import type { Draft } from "../drafts/drafts";
import { sendComment, type Unsent } from "../drafts/outbox";
import { useLinkCommenting } from "../link-commenting";
import { editCommentWith, react, removeComment, setResolved } from "../optimistic";

export function useMe(): { userId: string; name: string } | null {
  const { user, userId } = useRoot() ?? {};
  const link = useLinkCommenting();
  const name = user ? user.name || user.email : null;
  const person = useMemo(() => (userId && name !== null ? { userId, name } : null), [userId, name]);
  return link ? link.me : person;
}

type Mutation = FunctionReference<"mutation">;

async function run<M extends Mutation>(mutation: M, args: FunctionArgs<M>, optimistic?: OptimisticUpdate<FunctionArgs<M>>): Promise<void> {
  const convex = reconnectingConvex() ?? (await connection());
  await convex.mutation(mutation, args, optimistic && { optimisticUpdate: withJoinedQueries(optimistic) });
}

const orToast = (change: Promise<void>) =>
  void change.catch((error: unknown) => void toast(problemOf(error, "The change was not saved. Try again.")));

export const commentActions = {
  resolve: (threadId: string, isResolved: boolean) => orToast(run(api.comments.setResolved, { threadId, isResolved }, setResolved)),
  react: (commentId: string, emoji: string, isOn: boolean) => orToast(run(api.comments.react, { commentId, emoji, isOn }, react)),
  removeAllOf: (projectId: string, linkId: string, authorId: string) =>
    orToast(run(api.comments.removeOfLink, { projectId, linkId, authorId })),
};

type Images = NonNullable<Draft["images"]>;
type Author = { userId: string; name: string };

export function useWriting() {
  const link = useLinkCommenting();
  if (!link)
    return {
      send: sendComment,
      edit: (commentId: string, text: string, from: string, images: Images = []) =>
        run(api.comments.edit, { commentId, text, from, imageIds: images.map(({ _id }) => _id) }, editCommentWith(images)),
      remove: (commentId: string) => orToast(run(api.comments.remove, { commentId }, removeComment)),
    };
  return {
    async send(_: Author, unsent: Unsent): Promise<void> {
      const { key, anchor } = unsent.draft;
      const { text } = unsent;
      if ("threadId" in unsent) return link.run("reply", { threadId: unsent.threadId, text, key });
      const { itemId, versionId } = unsent;
      return link.run("startThread", { itemId, text, key, ...(anchor && { anchor }), ...(versionId !== undefined && { versionId }) });
    },
    edit: (commentId: string, text: string, from: string) => link.run("edit", { commentId, text, from }),
    remove: (commentId: string) => orToast(link.run("remove", { commentId })),
  };
}

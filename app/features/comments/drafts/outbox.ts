import type { ConvexReactClient } from "convex/react";
import { connection, reconnectingConvex } from "~/lib/data/connection/connection";
import { toast } from "~/lib/ui/overlays/toasts";
import { api } from "#convex/_generated/api";
import { addReply, addThread } from "../optimistic";
import { type Draft, isDraft, writeDraft } from "./drafts";
import { readStored, store, unsentKey } from "./stored-comments";

export type Unsent = { place: string; draft: Draft; text: string } & (
  | { threadId: string }
  | { itemId: string; versionId?: string | undefined; versionNumber?: number | undefined }
);

type Author = { userId: string; name: string };

const sending = new Set<string>();

/** Sends a comment when connected. Stores it until then, so that a later page can send it. Throws for a rejected comment. */
export async function sendComment(me: Author, unsent: Unsent): Promise<void> {
  const { key } = unsent.draft;
  if (sending.has(key)) return;
  sending.add(key);
  const stored = unsentKey(me.userId, key);
  store(stored, unsent);
  try {
    await send(reconnectingConvex() ?? (await connection()), me, unsent);
  } finally {
    sending.delete(key);
    store(stored, null);
  }
}

async function send(convex: ConvexReactClient, me: Author, unsent: Unsent): Promise<void> {
  const { key, anchor, images = [] } = unsent.draft;
  const { text } = unsent;
  const withImages = images.length > 0 ? { imageIds: images.map(({ _id }) => _id) } : {};
  if ("threadId" in unsent) {
    await convex.mutation(
      api.comments.reply,
      { threadId: unsent.threadId, text, key, ...withImages },
      { optimisticUpdate: addReply(me, images) },
    );
    return;
  }
  const { itemId, versionId, versionNumber } = unsent;
  const args = { itemId, text, key, ...(anchor && { anchor }), ...(versionId !== undefined && { versionId }), ...withImages };
  await convex.mutation(api.comments.startThread, args, { optimisticUpdate: addThread(me, versionNumber, images) });
}

export function sendStoredComments(me: Author): void {
  for (const { key, value } of readStored(unsentKey(me.userId))) {
    if (!isUnsent(value)) store(key, null);
    else
      sendComment(me, value).catch(() => {
        writeDraft(me.userId, value.place, value.draft);
        void toast("A comment could not be sent. It is kept as a draft.");
      });
  }
}

function isUnsent(value: unknown): value is Unsent {
  const { place, draft, text, threadId, itemId } = Object(value) as Record<string, unknown>;
  return typeof place === "string" && typeof text === "string" && isDraft(draft) && typeof (threadId ?? itemId) === "string";
}

import { useEffect, useState } from "react";
import type { CommentImage } from "../attachments/comment-images";
import { type Draft, readDraft, removeDraft, writeDraft } from "../drafts/drafts";

const newDraft = (): Draft => ({ text: "", people: {}, key: crypto.getRandomValues(new Uint32Array(4)).join("-"), at: 0 });

/** Stores the text typed at a place, so that it survives a reload. `start` is used where nothing is stored. */
export function useDraft(userId: string, place: string, start?: Pick<Draft, "text" | "people" | "images">) {
  const [draft, setDraft] = useState<Draft>(() => readDraft(userId, place) ?? { ...newDraft(), ...start });
  const isChanged = draft.at > 0;
  useEffect(() => {
    if (isChanged) writeDraft(userId, place, draft);
  }, [userId, place, draft, isChanged]);
  return {
    draft,
    change: (change: Partial<Pick<Draft, "text" | "people" | "anchor">>) => setDraft((now) => ({ ...now, ...change, at: Date.now() })),
    addImage: (image: CommentImage) => setDraft((now) => ({ ...now, images: [...(now.images ?? []), image], at: Date.now() })),
    removeImage: (id: string) => setDraft((now) => ({ ...now, images: now.images?.filter(({ _id }) => _id !== id), at: Date.now() })),
    take(): Draft {
      removeDraft(userId, place);
      setDraft(newDraft());
      return draft;
    },
    restore: (taken: Draft) =>
      setDraft((now) => ({
        ...taken,
        text: [taken.text, now.text].filter(Boolean).join("\n\n"),
        people: { ...taken.people, ...now.people },
        images: [...(taken.images ?? []), ...(now.images ?? [])],
        at: Date.now(),
      })),
  };
}

export type DraftState = ReturnType<typeof useDraft>;

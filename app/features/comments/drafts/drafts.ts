import { type Anchor, isAnchor } from "../anchor";
import type { CommentImage } from "../attachments/comment-images";
import { draftKey, readStored, store } from "./stored-comments";

/** An unsent comment. The server writes one comment per `key`. `people`: ids of the mentioned people by name. */
export type Draft = {
  text: string;
  people: Readonly<Record<string, string>>;
  images?: readonly CommentImage[] | undefined;
  key: string;
  anchor?: Anchor | undefined;
  at: number;
};

const LIFETIME_MS = 30 * 24 * 60 * 60_000;

export function readDraft(userId: string, place: string, now = Date.now()): Draft | null {
  const key = draftKey(userId, place);
  const found = readStored(key).find((stored) => stored.key === key)?.value;
  if (!isDraft(found)) return null;
  if (found.at > now - LIFETIME_MS) return found;
  store(key, null);
  return null;
}

export function writeDraft(userId: string, place: string, draft: Draft): void {
  const isEmpty = draft.text.trim() === "" && !draft.anchor && !draft.images?.length;
  store(draftKey(userId, place), isEmpty ? null : draft);
}

export const removeDraft = (userId: string, place: string): void => store(draftKey(userId, place), null);

export function isDraft(value: unknown): value is Draft {
  const { text, people, images, key, anchor, at } = Object(value) as Record<keyof Draft, unknown>;
  const hasNames = typeof people === "object" && people !== null && Object.values(people).every((id) => typeof id === "string");
  const isComplete = typeof text === "string" && typeof key === "string" && typeof at === "number" && hasNames;
  return isComplete && (anchor === undefined || isAnchor(anchor)) && (images === undefined || areImages(images));
}

function areImages(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((each: unknown) => {
      const { _id, name, width, height } = Object(each) as Partial<CommentImage>;
      return typeof _id === "string" && typeof name === "string" && typeof width === "number" && typeof height === "number";
    })
  );
}

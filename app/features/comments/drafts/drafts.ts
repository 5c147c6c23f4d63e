import { type Anchor, isAnchor } from "../anchor";
import { draftKey, readStored, store } from "./stored-comments";

/** What a person has typed and not sent. `key` makes sending it twice write one comment. `people`: the mentioned ones by name. */
export type Draft = { text: string; people: Readonly<Record<string, string>>; key: string; anchor?: Anchor | undefined; at: number };

const REMEMBERED_MS = 30 * 24 * 60 * 60_000;

export function readDraft(userId: string, place: string, now = Date.now()): Draft | null {
  const key = draftKey(userId, place);
  const found = readStored(key).find((stored) => stored.key === key)?.value;
  if (!isDraft(found)) return null;
  if (found.at > now - REMEMBERED_MS) return found;
  store(key, null);
  return null;
}

/** Stores a draft. One without text and anchor is removed. */
export function writeDraft(userId: string, place: string, draft: Draft): void {
  const isEmpty = draft.text.trim() === "" && !draft.anchor;
  store(draftKey(userId, place), isEmpty ? null : draft);
}

export const removeDraft = (userId: string, place: string): void => store(draftKey(userId, place), null);

export function isDraft(value: unknown): value is Draft {
  const { text, people, key, anchor, at } = Object(value) as Record<keyof Draft, unknown>;
  const hasNames = typeof people === "object" && people !== null && Object.values(people).every((id) => typeof id === "string");
  return (
    typeof text === "string" && typeof key === "string" && typeof at === "number" && hasNames && (anchor === undefined || isAnchor(anchor))
  );
}

import { cutText } from "../cutText";

/** Texts contain mentions as "@[name](userId)". They are stored without the name, so that a renamed or deleted user's name is current. */

const MENTION = /@\[([^[\]\n]{0,200})\]\(([\w-]{1,64})\)/g;

export const MENTIONS_MAX = 20;

export const mentionedIn = (text: string): string[] => [...new Set(Array.from(text.matchAll(MENTION), ([, , userId = ""]) => userId))];

/** Mentions of others than `allowed` become plain text. */
export const storedText = (text: string, allowed: ReadonlySet<string>): string =>
  text.replaceAll(MENTION, (_, name: string, userId: string) => (allowed.has(userId) ? `@[](${userId})` : `@${name}`));

export const withoutNames = (text: string): string => text.replaceAll(MENTION, (_, __, userId: string) => `@[](${userId})`);

export const shownText = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replaceAll(MENTION, (_, __, userId: string) => `@[${plain(names.get(userId) ?? "Deleted user")}](${userId})`);

const plain = (name: string): string => cutText(name.replaceAll(/[[\]\n]/g, " "), 200);

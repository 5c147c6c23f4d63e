import type { PictureSource } from "~/features/images/display/picture";
import { fold } from "#convex/model/search/fold";

export type Command = {
  key: string;
  name: string;
  words?: string[];
  kind: string;
  cover?: PictureSource[];
  run: () => unknown;
};

/** Returns the commands that match, best first: a prefix of the name, then all words in the name, then synonyms. */
export function matchCommands(commands: Command[], text: string): Command[] {
  const typed = plain(text);
  if (typed === "") return commands;
  return commands
    .map((command) => ({ command, rank: rankOf(command, typed) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank)
    .map(({ command }) => command);
}

function rankOf({ name, words = [] }: Command, typed: string): number {
  const own = plain(name);
  if (own.startsWith(typed)) return 3;
  if (hasWords(own, typed)) return 2;
  return hasWords(plain([name, ...words].join(" ")), typed) ? 1 : 0;
}

const hasWords = (text: string, typed: string): boolean =>
  typed.split(" ").every((word) => text.startsWith(word) || text.includes(` ${word}`));

const plain = (text: string): string =>
  fold(text)
    .replaceAll(/[^\p{Letter}\p{Number}\p{Mark}]+/gu, " ")
    .trim();

/** Something that the palette offers. */
export type Command = {
  /** Its own among all. */
  key: string;
  name: string;
  /** What else somebody may call it. */
  words?: string[];
  /** What kind of thing it is, or where it is: told beside its name. */
  kind: string;
  run: () => unknown;
};

/**
 * The commands that a text may mean, the likeliest first: whose name begins with it; whose name has all its words, each perhaps only begun; and
 * those that may be called so. Equals stay in their order. Without a text, all.
 */
export function matching(commands: Command[], text: string): Command[] {
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

/** Without capitals and accents, and with one space where there are more, or a sign that is no letter. */
const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, " ")
    .trim();

export type Person = { id: string; name: string };
type People = Readonly<Record<string, string>>;

const LONGEST_QUERY = 40;
const QUERY = new RegExp(`(?:^|[^\\p{L}\\p{N}@.])@([^@\\n\\[\\]]{0,${LONGEST_QUERY}})$`, "u");

export function mentionAt(text: string, caret: number): { start: number; query: string } | null {
  const query = QUERY.exec(text.slice(0, caret))?.[1];
  if (query === undefined || query.startsWith(" ")) return null;
  return { start: caret - query.length - 1, query };
}

const MOST_SUGGESTED = 8;

export function suggestedPeople(people: readonly Person[], query: string): Person[] {
  const wanted = normalized(query);
  const begins = ({ name }: Person) => normalized(name).startsWith(wanted);
  const contains = ({ name }: Person) => normalized(name).includes(` ${wanted}`);
  return [...people.filter(begins), ...people.filter((person) => !begins(person) && contains(person))].slice(0, MOST_SUGGESTED);
}

const normalized = (text: string) => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

export function withMention(text: string, start: number, caret: number, { name }: Person): { text: string; caret: number } {
  const rest = text.slice(caret);
  const inserted = `@${plainName(name)}${/^[\s\p{P}]/u.test(rest) ? "" : " "}`;
  return { text: text.slice(0, start) + inserted + rest, caret: start + inserted.length };
}

export const plainName = (name: string) =>
  name
    .replaceAll(/[[\]\s]+/g, " ")
    .trim()
    .slice(0, 100);

export function toTokens(text: string, people: People): string {
  const names = Object.keys(people).filter((name) => name !== "");
  if (names.length === 0) return text;
  const either = names.toSorted((a, b) => b.length - a.length).map((name) => escaped(name));
  return text.replaceAll(new RegExp(`@(${either.join("|")})(?![\\p{L}\\p{N}])`, "gu"), (_, name: string) => `@[${name}](${people[name]})`);
}

const TOKEN = /@\[([^[\]\n]{1,200})\]\(([\w-]{1,64})\)/g;

export function fromTokens(text: string): { text: string; people: People } {
  const people: Record<string, string> = {};
  const shown = text.replaceAll(TOKEN, (_, stored: string, id: string) => {
    const name = plainName(stored);
    people[name] = id;
    return `@${name}`;
  });
  return { text: shown, people };
}

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

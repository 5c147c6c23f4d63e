import type { FunctionReturnType } from "convex/server";
import type { api } from "#convex/_generated/api";

export type Tab = NonNullable<FunctionReturnType<typeof api.presence.list>>[number];
export type Person = { userId: string; name: string; isAway: boolean; tab: Tab };

export function peopleIn(tabs: readonly Tab[], imageId?: string): Person[] {
  const others = tabs.filter((tab) => !tab.isMe && (imageId === undefined || tab.imageId === imageId));
  return [...Map.groupBy(others, ({ userId }) => userId).values()].map((own) => {
    const tab = own.reduce((best, each) => (rankOf(each) < rankOf(best) ? each : best));
    const { userId, name, isAway } = tab;
    return { userId, name, isAway, tab };
  });
}

const rankOf = ({ isAway, imageId }: Tab): number => (isAway ? 2 : 0) + (imageId === undefined ? 1 : 0);

const COLOURS = 8;

export function colourOf(userId: string): number {
  let hash = 0;
  for (const letter of userId) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  return hash % COLOURS;
}

import { useQueries } from "~/lib/data/use-queries";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { announce } from "~/lib/ui/overlays/announcer";
import { count } from "~/lib/ui/count";
import { api } from "#convex/_generated/api";
import { mentionAt, type Person, suggestedPeople } from "./mentions";

type MentionsOptions = {
  projectId: string | null;
  text: string;
  caret: number;
  onChoose: (person: Person, mention: { start: number; caret: number }) => void;
};

/** Manages the list of people that an @ opens. The focus stays in the text field (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). */
export function useMentions({ projectId, text, caret, onChoose }: MentionsOptions) {
  const listId = useId();
  const [isWanted, setWanted] = useState(false);
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const [chosen, setChosen] = useState(0);
  const people: { userId: string; name: string }[] | Error | undefined = useQueries(
    isWanted && projectId !== null ? { people: { query: api.comments.listPeople, args: { projectId } } } : {},
  )["people"];
  const mention = mentionAt(text, caret);
  const isTyped = projectId !== null && mention !== null && mention.start !== closedAt;
  if (isTyped && !isWanted) setWanted(true);
  const listed = Array.isArray(people) ? people.map(({ userId, name }) => ({ id: userId, name })) : [];
  const suggested = isTyped ? suggestedPeople(listed, mention.query) : [];
  const index = Math.min(chosen, suggested.length - 1);
  const query = isTyped ? mention.query : null;
  useEffect(() => setChosen(0), [query]);
  const found = suggested.length;
  useEffect(() => {
    if (found > 0) announce(`${count(found, "person", "people")}. Press the arrow keys to choose.`);
  }, [found]);
  const current = suggested[index];

  const choose = (person: Person) => {
    if (mention) onChoose(person, { start: mention.start, caret });
  };
  return {
    listId,
    suggested,
    index,
    choose,
    optionId: (at: number) => `${listId}-${at}`,
    /** Props for the text field, without the role "combobox", which ARIA does not allow on a text area. */
    fieldProps: {
      "aria-autocomplete": "list" as const,
      "aria-haspopup": "listbox" as const,
      "aria-controls": current ? listId : undefined,
      "aria-activedescendant": current ? `${listId}-${index}` : undefined,
    },
    onKey(event: KeyboardEvent): boolean {
      if (!current || !mention) return false;
      const key = pressedKey(event.nativeEvent);
      const move = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
      if (move !== 0) setChosen((index + move + suggested.length) % suggested.length);
      else if ((key === "Enter" && !event.ctrlKey && !event.metaKey) || key === "Tab") choose(current);
      else if (key === "Escape") setClosedAt(mention.start);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

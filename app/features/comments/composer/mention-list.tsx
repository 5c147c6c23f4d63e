import { clsx } from "clsx";
import type { useMentions } from "./use-mentions";

export function MentionList({ mentions }: { mentions: ReturnType<typeof useMentions> }) {
  if (mentions.suggested.length === 0) return null;
  return (
    <div role="listbox" id={mentions.listId} aria-label="People" className="comment-people">
      {mentions.suggested.map((person, index) => (
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
        <div
          key={person.id}
          role="option"
          id={mentions.optionId(index)}
          tabIndex={-1}
          aria-selected={index === mentions.index}
          className={clsx("menu-item", index === mentions.index && "bg-hover")}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => mentions.choose(person)}
        >
          <bdi className="truncate">{person.name}</bdi>
        </div>
      ))}
    </div>
  );
}

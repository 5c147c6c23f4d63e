import { Users } from "lucide";
import type { ReactNode } from "react";
import { firstLetter } from "~/lib/ui/avatar";
import { Icon } from "~/lib/ui/icons/icon";
import { Button } from "~/lib/ui/inputs/button";
import { isolate } from "~/lib/ui/isolate";
import { Menu, MenuButton } from "~/lib/ui/overlays/menu";
import { colourOf, type Person } from "./people";

const SHOWN = 3;

type PeopleListProps = {
  id: string;
  label: string;
  people: readonly Person[];
  following: string | null;
  onFollow: (person: Person) => void;
  children?: ReactNode;
};

export function PeopleList({ id, label, people, following, onFollow, children }: PeopleListProps) {
  if (people.length === 0) return null;
  return (
    <div role="group" aria-label={label} className="presence">
      <ul className="presence-avatars">
        {people.slice(0, SHOWN).map((person) => (
          <li key={person.userId}>
            {person.tab.imageId === undefined ? (
              <span role="img" aria-label={labelOf(person)} data-tooltip={labelOf(person)} {...avatar(person)}>
                {firstLetter(person.name)}
              </span>
            ) : (
              <button
                type="button"
                aria-label={`Follow ${labelOf(person)}`}
                aria-pressed={person.tab._id === following}
                data-tooltip={`Follow ${labelOf(person)}`}
                onClick={() => onFollow(person)}
                {...avatar(person)}
              >
                {firstLetter(person.name)}
              </button>
            )}
          </li>
        ))}
      </ul>
      <Button
        variant="ghost"
        size="icon-sm"
        popoverTarget={id}
        aria-label={people.length === 1 ? "1 person viewing" : `${people.length} people viewing`}
        data-tooltip={label}
        className="presence-count"
      >
        <Icon of={Users} />
        <span className="tabular text-sm">{people.length}</span>
      </Button>
      <Menu id={id} label={label} className="presence-menu">
        {people.map((person) => (
          <MenuButton
            key={person.userId}
            type="button"
            disabled={person.tab.imageId === undefined}
            aria-pressed={person.tab._id === following}
            onClick={() => onFollow(person)}
          >
            <span aria-hidden="true" {...avatar(person)}>
              {firstLetter(person.name)}
            </span>
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {person.name}
            </span>
            <span className="text-sm text-faint">
              {person.tab._id === following ? "Following" : person.isAway ? "Away" : person.tab.imageId === undefined ? "" : "Follow"}
            </span>
          </MenuButton>
        ))}
        {children}
      </Menu>
    </div>
  );
}

const labelOf = ({ name, isAway }: Person): string => `${isolate(name)}${isAway ? " (away)" : ""}`;

const avatar = ({ userId, isAway }: Person) => ({
  className: "presence-avatar",
  "data-person": colourOf(userId),
  "data-away": isAway || undefined,
});

import { useQueries } from "convex-helpers/react/cache";
import { Tag } from "lucide-react";
import { useState } from "react";
import { INTENT_FIELD } from "~/forms/intents";
import { KnownTags } from "~/tags/known-tags";
import { Button, buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { TextInput } from "~/ui/text-input";
import { api } from "#convex/_generated/api";

const POPOVER = "tag-chosen";
const INTENTS = {
  image: { add: "tagImages", remove: "untagImages" },
  design: { add: "tagDesigns", remove: "untagDesigns" },
};

/** Opens the field for tags of what is chosen: a `TagPopover` that stands in the same form. */
export function TagButton() {
  return (
    <button type="button" popoverTarget={POPOVER} className={buttonClass({ look: "ghost", size: "sm" })}>
      <Icon of={Tag} />
      Tag…
    </button>
  );
}

type TagPopoverProps = {
  thing: "image" | "design";
  /** What was typed and refused, where it was about the tag; the message stands at `errorId`. */
  refused: string | undefined;
  errorId: string;
};

/**
 * A field, and the buttons that put what it holds on all that is chosen, or take it off. It stands before all other buttons of its form, as Enter
 * presses the first one there is (HTML, "implicit submission").
 */
export function TagPopover({ thing, refused, errorId }: TagPopoverProps) {
  const [open, setOpen] = useState(false);
  const { add, remove } = INTENTS[thing];
  return (
    <div
      id={POPOVER}
      popover="auto"
      role="group"
      aria-label="Tag what is selected"
      data-side="top"
      className="menu"
      onToggle={({ newState }) => setOpen(newState === "open")}
    >
      <div className="grid w-72 max-w-full gap-2 p-2">
        <label htmlFor="tags-of-chosen" className="text-sm font-medium text-soft">
          Tags, with commas between them
        </label>
        <TextInput
          id="tags-of-chosen"
          name="tag"
          ref={focusedWithPopover}
          defaultValue={refused}
          list="tags-to-choose"
          placeholder="poster, final"
          autoComplete="off"
          autoCapitalize="none"
          aria-invalid={refused === undefined ? undefined : true}
          aria-describedby={refused === undefined ? undefined : errorId}
        />
        <div className="flex gap-2">
          <Button type="submit" look="primary" size="sm" name={INTENT_FIELD} value={add}>
            Add
          </Button>
          <Button type="submit" size="sm" name={INTENT_FIELD} value={remove}>
            Take off
          </Button>
        </div>
        {open ? <Suggestions /> : null}
      </div>
    </div>
  );
}

/** The tags that there are, asked for once somebody is to write one. */
function Suggestions() {
  const { tags }: Record<string, unknown> = useQueries({ tags: { query: api.tags.getTags, args: {} } });
  return <KnownTags id="tags-to-choose" tags={Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : []} />;
}

/** A popover finds by the attribute what to focus each time that it opens; React would leave it out. */
const focusedWithPopover = (input: HTMLInputElement | null) => input?.setAttribute("autofocus", "");

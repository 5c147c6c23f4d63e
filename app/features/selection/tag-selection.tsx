import { useQueries } from "~/lib/data/use-queries";
import { Tag } from "lucide";
import { useState } from "react";
import { INTENT_FIELD, type IntentName } from "~/lib/forms/intents";
import { KnownTags } from "~/features/tags/known-tags";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import { TextInput } from "~/lib/ui/inputs/text-input";
import { autofocusRef } from "~/lib/ui/inputs/autofocus-ref";
import { api } from "#convex/_generated/api";

const POPOVER = "tag-chosen";
const INTENTS: Record<"image" | "design", Record<"add" | "remove", IntentName>> = {
  image: { add: "tagImages", remove: "untagImages" },
  design: { add: "tagDesigns", remove: "untagDesigns" },
};

export function TagButton() {
  return (
    <button type="button" popoverTarget={POPOVER} className={buttonClass({ variant: "ghost", size: "sm" })}>
      <Icon of={Tag} />
      Tag…
    </button>
  );
}

type TagPopoverProps = {
  thing: "image" | "design";
  refused: string | undefined;
  errorId: string;
};

/** Must precede the form's other buttons: Enter presses the first (HTML, "implicit submission"). */
export function TagPopover({ thing, refused, errorId }: TagPopoverProps) {
  const [open, setOpen] = useState(false);
  const { add, remove } = INTENTS[thing];
  return (
    <div
      id={POPOVER}
      popover="auto"
      role="group"
      aria-label="Tag selection"
      data-side="top"
      className="menu"
      onToggle={({ newState }) => setOpen(newState === "open")}
    >
      <div className="grid w-72 max-w-full gap-2 p-2">
        <label htmlFor="tags-of-chosen" className="text-sm font-medium text-soft">
          Tags, separated by commas
        </label>
        <TextInput
          id="tags-of-chosen"
          name="tag"
          ref={autofocusRef}
          defaultValue={refused}
          list="tags-to-choose"
          placeholder="poster, final"
          autoComplete="off"
          autoCapitalize="none"
          aria-invalid={refused === undefined ? undefined : true}
          aria-describedby={refused === undefined ? undefined : errorId}
        />
        <div className="flex gap-2">
          <Button type="submit" variant="primary" size="sm" name={INTENT_FIELD} value={add}>
            Add tag
          </Button>
          <Button type="submit" size="sm" name={INTENT_FIELD} value={remove}>
            Remove tag
          </Button>
        </div>
        {open ? <Suggestions /> : null}
      </div>
    </div>
  );
}

function Suggestions() {
  const { tags }: Record<string, unknown> = useQueries({ tags: { query: api.tags.getTags, args: {} } });
  return <KnownTags id="tags-to-choose" tags={Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : []} />;
}

import { isolate } from "~/lib/ui/isolate";
import { clsx } from "clsx";
import { X } from "lucide";
import { useEffect, useRef } from "react";
import { Form } from "react-router";
import { inputProps } from "~/lib/forms/fields/field-props";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { FORM_FIELD, INTENT_FIELD, type IntentName } from "~/lib/forms/intents";
import { MENU_FORM } from "~/lib/forms/dialogs/menu-forms";
import { useMayRun } from "~/lib/rights/rights";
import { Button } from "~/lib/ui/inputs/button";
import { FieldErrors } from "~/lib/ui/inputs/field";
import { Icon } from "~/lib/ui/icons/icon";
import { Link } from "~/lib/ui/navigation/link";
import { TextInput } from "~/lib/ui/inputs/text-input";
import { KnownTags } from "./known-tags";
import { tagAddress } from "./tag-list";

type TagsProps = {
  item: { _id: string; tags?: string[] };
  intents: Record<"add" | "remove", IntentName>;
  knownTags: string[];
};

export function Tags({ item, intents, knownTags }: TagsProps) {
  const { _id, tags = [] } = item;
  const mayTag = useMayRun()(intents.add);
  if (tags.length === 0 && !mayTag) return null;
  return (
    <section aria-label="Tags" className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
      {tags.length === 0 ? null : (
        <ul className="flex flex-wrap gap-1.5">
          {tags.map((tag) => (
            <li
              key={tag}
              className={clsx(
                "inline-flex max-w-full min-w-0 items-center rounded-full border border-line bg-card ps-3 text-sm text-soft",
                !mayTag && "pe-3",
              )}
            >
              <Link to={tagAddress(tag)} prefetch="intent" dir="auto" className="truncate py-1 hover:text-ink hover:underline">
                {tag}
              </Link>
              {mayTag ? <RemoveTagButton intent={intents.remove} id={_id} tag={tag} /> : null}
            </li>
          ))}
        </ul>
      )}
      {mayTag ? <AddTag key={_id} id={_id} intent={intents.add} knownTags={knownTags.filter((tag) => !tags.includes(tag))} /> : null}
    </section>
  );
}

function RemoveTagButton({ intent, id, tag }: { intent: IntentName; id: string; tag: string }) {
  const form = `${MENU_FORM}${intent}-${id}-${tag}`;
  const values = { [INTENT_FIELD]: intent, [FORM_FIELD]: form, id, tag };
  return (
    <Form method="post" navigate={false} fetcherKey={form} className="flex">
      {Object.entries(values).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Button type="submit" variant="ghost" size="icon-sm" aria-label={`Remove tag ${isolate(tag)}`} className="rounded-full">
        <Icon of={X} className="size-3.5" />
      </Button>
    </Form>
  );
}

function AddTag({ id, intent, knownTags }: { id: string; intent: IntentName; knownTags: string[] }) {
  const state = useIntentForm({ id: `tag-${id}`, intent });
  const input = useRef<HTMLInputElement>(null);
  const refused = state.refusal?.result.initialValue?.["tag"];
  const typed = typeof refused === "string" ? refused : "";
  useEffect(() => {
    if (typed !== "" && input.current?.value === "") input.current.value = typed;
  }, [typed, state.refusal]);
  const field = state.fields["tag"];
  if (!field) return null;
  const { defaultValue: _, ...props } = inputProps(field);
  const suggestions = `known-tags-${id}`;
  return (
    <IntentForm
      state={state}
      hidden={{ id }}
      className="group/tag grid gap-1"
      onSend={() =>
        queueMicrotask(() => {
          if (input.current) input.current.value = "";
        })
      }
    >
      <div className="flex items-center gap-1.5">
        <label htmlFor={field.id} className="sr-only">
          Add a tag
        </label>
        <TextInput
          ref={input}
          {...props}
          defaultValue={typed}
          list={suggestions}
          placeholder="Add a tag"
          data-command="Add a tag"
          autoComplete="off"
          autoCapitalize="none"
          className="h-8 w-36 text-sm pointer-coarse:h-11 pointer-coarse:text-lg"
        />
        <KnownTags id={suggestions} tags={knownTags} />
        <Button type="submit" size="sm" aria-label="Add tag" className="hidden group-focus-within/tag:inline-flex noscript:inline-flex">
          Add
        </Button>
      </div>
      <FieldErrors id={field.errorId} errors={field.errors} />
    </IntentForm>
  );
}

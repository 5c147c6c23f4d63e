import { useRef, useState } from "react";
import { Button } from "~/ui/button";
import { clsx } from "clsx";
import { FieldErrors } from "~/ui/field";
import { inputProps } from "./field-props";
import { IntentForm, useIntentForm } from "./intent-form";

type NameInPlaceProps = {
  item: { _id: string; name: string };
  thing: string;
  intent: string;
  constraint: Parameters<typeof useIntentForm>[0]["constraint"];
  /** Where it is no page's title, but stands in a bar. */
  small?: boolean;
};

/**
 * A page's title that is renamed where it stands: a field that looks like the heading it is. Enter and leaving it keep what was typed, Escape
 * does not; without scripts Enter and the button that comes with the focus send the form. A name that changes elsewhere is taken over while
 * nobody types.
 */
export function NameInPlace({ item, thing, intent, constraint, small = false }: NameInPlaceProps) {
  const state = useIntentForm({ id: `name-${item._id}`, intent, constraint, defaultValue: { name: item.name } });
  const [typing, setTyping] = useState(false);
  const [shown, setShown] = useState(item.name);
  const kept = typing || state.pending || state.refusal !== undefined;
  if (!kept && shown !== item.name) setShown(item.name);

  /** What is kept already, or on its way there: the field's text when it was entered, or when it was last sent. */
  const settled = useRef(item.name);
  const input = useRef<HTMLInputElement>(null);
  const leave = () => {
    settled.current = input.current?.value ?? "";
    input.current?.blur();
  };
  const refused = state.refusal?.result.initialValue?.["name"];
  const field = state.fields["name"];
  if (!field) return null;
  const { defaultValue: _, ...props } = inputProps(field);
  return (
    <>
      <h1 className="sr-only">{item.name}</h1>
      <IntentForm
        state={state}
        hidden={{ id: item._id }}
        className="group/name -ml-[calc(0.5rem+1px)] grid max-w-[calc(100%+0.5rem)] min-w-0 gap-1"
        onSend={leave}
      >
        <div className="flex min-w-0 items-center gap-2">
          <label htmlFor={field.id} className="sr-only">
            Name of the {thing}
          </label>
          <input
            key={shown}
            ref={input}
            {...props}
            defaultValue={typeof refused === "string" ? refused : shown}
            autoComplete="off"
            data-command={`Rename ${thing}`}
            className={clsx(
              "field-sizing-content max-w-full min-w-16 truncate rounded-md border border-transparent bg-transparent px-2 py-0.5 font-semibold tracking-[-0.015em] hover:border-edge focus-visible:border-edge focus-visible:bg-ground aria-invalid:border-danger-text pointer-coarse:min-h-11",
              small ? "text-lg" : "text-2xl",
            )}
            onFocus={(event) => {
              settled.current = event.currentTarget.value;
              setTyping(true);
            }}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              settled.current = event.currentTarget.value = item.name;
              event.currentTarget.blur();
            }}
            onBlur={(event) => {
              setTyping(false);
              if (event.currentTarget.value !== settled.current) event.currentTarget.form?.requestSubmit();
            }}
          />
          <Button type="submit" size="sm" className="hidden group-focus-within/name:inline-flex">
            Save
          </Button>
        </div>
        <FieldErrors id={field.errorId} errors={field.errors} className="ml-2" />
      </IntentForm>
    </>
  );
}

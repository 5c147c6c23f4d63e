import { useRef, useState } from "react";
import { useMay } from "~/lib/rights/rights";
import { Button } from "~/lib/ui/inputs/button";
import { clsx } from "clsx";
import { FieldErrors } from "~/lib/ui/inputs/field";
import { pressedKey } from "~/lib/ui/inputs/keys";
import { inputProps } from "./field-props";
import { IntentForm, useIntentForm } from "../intent-form";
import type { IntentName } from "../intents";

type NameInPlaceProps = {
  item: { _id: string; name: string };
  thing: string;
  intent: IntentName;
  constraint: Parameters<typeof useIntentForm>[0]["constraint"];
  small?: boolean;
};

export function InlineName(props: NameInPlaceProps) {
  if (useMay()("edit")) return <EditableName {...props} />;
  return (
    <h1 dir="auto" className={clsx("min-w-0 truncate py-0.5 font-semibold tracking-[-0.015em]", sizeOf(props.small))}>
      {props.item.name}
    </h1>
  );
}

const sizeOf = (small = false) => (small ? "text-lg" : "text-2xl max-sm:text-xl");

function EditableName({ item, thing, intent, constraint, small = false }: NameInPlaceProps) {
  const state = useIntentForm({ id: `name-${item._id}`, intent, constraint, defaultValue: { name: item.name } });
  const [typing, setTyping] = useState(false);
  const [shown, setShown] = useState(item.name);
  const isEditing = typing || state.pending || state.refusal !== undefined;
  if (!isEditing && shown !== item.name) setShown(item.name);

  const settled = useRef(item.name);
  const input = useRef<HTMLInputElement>(null);
  const leave = () => {
    settled.current = input.current?.value ?? "";
    input.current?.blur();
  };
  const refused = state.refusal?.result.initialValue?.["name"];
  const text = typeof refused === "string" ? refused : shown;
  const field = state.fields["name"];
  if (!field) return null;
  const { defaultValue: _, ...props } = inputProps(field);
  return (
    <>
      <h1 dir="auto" className="sr-only">
        {item.name}
      </h1>
      <IntentForm
        state={state}
        hidden={{ id: item._id, from: shown }}
        className="group/name -ms-[calc(0.5rem+1px)] grid max-w-[calc(100%+0.5rem)] min-w-0 gap-1"
        onSend={leave}
        onDiscard={() => setTyping(false)}
      >
        <div className="flex min-w-0 items-center gap-2">
          <label htmlFor={field.id} className="sr-only">
            Name of the {thing}
          </label>
          <input
            key={text}
            ref={input}
            {...props}
            dir="auto"
            defaultValue={text}
            autoComplete="off"
            data-command={`Rename ${thing}`}
            className={clsx(
              "field-sizing-content max-w-full min-w-16 truncate rounded-md border border-transparent bg-transparent px-2 py-0.5 font-semibold tracking-[-0.015em] hover:border-edge focus-visible:border-edge focus-visible:bg-background aria-invalid:border-danger-text pointer-coarse:min-h-11",
              sizeOf(small),
            )}
            onFocus={(event) => {
              settled.current = event.currentTarget.value;
              setTyping(true);
            }}
            onKeyDown={(event) => {
              if (pressedKey(event.nativeEvent) !== "Escape") return;
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
        <FieldErrors id={field.errorId} errors={field.errors} className="ms-2" />
      </IntentForm>
    </>
  );
}

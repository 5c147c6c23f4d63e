import { Pencil } from "lucide";
import { useState } from "react";
import { useMay } from "~/lib/rights/rights";
import { Button } from "~/lib/ui/inputs/button";
import { Dialog, DialogActions, DialogButton, DialogCancel } from "~/lib/ui/overlays/dialog";
import { close } from "~/lib/ui/overlays/invokers";
import { Field } from "~/lib/ui/inputs/field";
import { Icon } from "~/lib/ui/icons/icon";
import { TextArea } from "~/lib/ui/inputs/text-area";
import { autofocusRef } from "~/lib/ui/inputs/autofocus-ref";
import { dialogState } from "./dialog-state";
import { inputProps } from "../fields/field-props";
import { IntentForm, useIntentForm } from "../intent-form";
import type { IntentName } from "../intents";

type ProseField = "description" | "caption";

const dialogOf = (field: ProseField, id: string) => `${field}-dialog-${id}`;

type ProseDialogProps = {
  item: { _id: string };
  field: ProseField;
  text: string;
  hint: string;
  intent: IntentName;
  constraint: Parameters<typeof useIntentForm>[0]["constraint"];
};

export function Description({ item, field, text }: Pick<ProseDialogProps, "item" | "field" | "text">) {
  const dialog = dialogOf(field, item._id);
  const mayEdit = useMay()("edit");
  if (text === "") {
    if (!mayEdit) return null;
    return (
      <DialogButton dialog={dialog} variant="ghost" size="sm" className="-ms-[calc(0.625rem+1px)] justify-self-start" data-command="">
        Add a {field}
      </DialogButton>
    );
  }
  return (
    <div className="flex items-start gap-1">
      <p dir="auto" className="max-w-[72ch] whitespace-pre-line wrap-anywhere text-soft">
        {text}
      </p>
      {mayEdit ? (
        <DialogButton
          dialog={dialog}
          variant="ghost"
          size="icon-sm"
          className="-my-1.5 pointer-coarse:-my-3"
          aria-label={`Edit ${field}`}
          data-tooltip="Edit"
          data-command=""
        >
          <Icon of={Pencil} />
        </DialogButton>
      ) : null}
    </div>
  );
}

export function DescriptionDialog({ item, field: name, text, hint, intent, constraint }: ProseDialogProps) {
  const id = dialogOf(name, item._id);
  const state = useIntentForm({ id: `${name}-${item._id}`, intent, constraint, defaultValue: { [name]: text } });
  const [typed, setTyped] = useState(false);
  const [shown, setShown] = useState({ text, round: 0 });
  if (!typed && !state.pending && shown.text !== text) setShown({ text, round: shown.round + 1 });
  const startOver = () => {
    setTyped(false);
    setShown(({ round }) => ({ text, round: round + 1 }));
  };
  const field = state.fields[name];
  if (!field) return null;
  const refused = state.refusal?.result.initialValue?.[name];
  const { defaultValue: _, ...props } = inputProps(field);
  const hintId = `${id}-hint`;
  return (
    <Dialog id={id} title={text === "" ? `Add a ${name}` : `Edit ${name}`} open={dialogState(state)} onClose={startOver}>
      <IntentForm
        state={state}
        hidden={{ id: item._id, from: shown.text }}
        onDone={() => setTyped(false)}
        onDiscard={() => {
          startOver();
          closeDialog(id);
        }}
      >
        <Field
          htmlFor={field.id}
          label={name === "caption" ? "Caption" : "Description"}
          errorId={field.errorId}
          errors={field.errors}
          hint={hint}
          hintId={hintId}
        >
          <TextArea
            key={shown.round}
            {...props}
            ref={autofocusRef}
            aria-describedby={props["aria-describedby"] ?? hintId}
            defaultValue={typeof refused === "string" ? refused : shown.text}
            onChange={() => setTyped(true)}
          />
        </Field>
        <DialogActions>
          <DialogCancel dialog={id} />
          <Button type="submit" variant="primary">
            Save
          </Button>
        </DialogActions>
      </IntentForm>
    </Dialog>
  );
}

function closeDialog(id: string): void {
  const dialog = document.getElementById(id);
  if (dialog instanceof HTMLDialogElement) close(dialog);
}

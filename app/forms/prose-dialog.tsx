import { Pencil } from "lucide-react";
import { useState } from "react";
import { Button } from "~/ui/button";
import { Dialog, DialogActions, DialogButton, DialogCancel } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { Icon } from "~/ui/icon";
import { TextArea } from "~/ui/text-area";
import { dialogState } from "./dialog-state";
import { inputProps } from "./field-props";
import { IntentForm, useIntentForm } from "./intent-form";

/** What is told about a thing: of a project or design its description, of an image its caption. */
type ProseField = "description" | "caption";

const dialogOf = (field: ProseField, id: string) => `${field}-dialog-${id}`;

type ProseDialogProps = {
  item: { _id: string };
  /** The form's field, and the word for it. */
  field: ProseField;
  /** As it stands; "" for none. */
  text: string;
  hint: string;
  intent: string;
  constraint: Parameters<typeof useIntentForm>[0]["constraint"];
};

/** The text, its lines as they were typed, and what opens the `ProseDialog` of the same item, which stands on the page. */
export function Prose({ item, field, text }: Pick<ProseDialogProps, "item" | "field" | "text">) {
  const dialog = dialogOf(field, item._id);
  if (text === "") {
    return (
      <DialogButton dialog={dialog} look="ghost" size="sm" className="-ml-[calc(0.625rem+1px)] justify-self-start" data-command="">
        Add a {field}
      </DialogButton>
    );
  }
  return (
    <div className="flex items-start gap-1">
      <p className="max-w-[72ch] whitespace-pre-line wrap-anywhere text-soft">{text}</p>
      <DialogButton
        dialog={dialog}
        look="ghost"
        size="icon-sm"
        className="-my-1.5 pointer-coarse:-my-3"
        aria-label={`Edit ${field}`}
        data-tooltip={`Edit ${field}`}
        data-command=""
      >
        <Icon of={Pencil} />
      </DialogButton>
    </div>
  );
}

/**
 * Asks for a text of several lines. It closes when the form leaves, as the text is then already shown, and comes back with it should it be
 * refused. What changes elsewhere is taken over as long as nothing has been typed.
 */
export function ProseDialog({ item, field: name, text, hint, intent, constraint }: ProseDialogProps) {
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
      <IntentForm state={state} hidden={{ id: item._id }} onDone={() => setTyped(false)}>
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
            ref={focusedByDialog}
            aria-describedby={props["aria-describedby"] ?? hintId}
            defaultValue={typeof refused === "string" ? refused : shown.text}
            onChange={() => setTyped(true)}
          />
        </Field>
        <DialogActions>
          <DialogCancel dialog={id} />
          <Button type="submit" look="primary">
            Save
          </Button>
        </DialogActions>
      </IntentForm>
    </Dialog>
  );
}

/** A dialog finds by the attribute what to focus each time that it opens; React would leave it out. */
const focusedByDialog = (area: HTMLTextAreaElement | null) => area?.setAttribute("autofocus", "");

import { Plus } from "lucide-react";
import { Button } from "~/ui/button";
import { Dialog, DialogActions, DialogButton, DialogCancel } from "~/ui/dialog";
import { Icon } from "~/ui/icon";
import { dialogState } from "./dialog-state";
import { IntentForm, useIntentForm } from "./intent-form";
import { TextField } from "./text-field";

type CreateDialogProps = {
  /** "project", "design": what is made, in a sentence. */
  thing: string;
  intent: string;
  placeholder: string;
  constraint: Parameters<typeof useIntentForm>[0]["constraint"];
  /** Values that are not asked for, such as the project that a design is to be in. */
  hidden?: Record<string, string>;
};

const dialogOf = (thing: string) => `new-${thing}`;

/** Opens the form that makes a new one; `CreateDialog` of the same thing stands once on the page. */
export function CreateButton({ thing }: { thing: string }) {
  return (
    <DialogButton dialog={dialogOf(thing)} look="primary" data-command="">
      <Icon of={Plus} />
      New {thing}
    </DialogButton>
  );
}

/** The form that makes a new one. It closes when the form leaves, as what is new is then already shown, and comes back should it be refused. */
export function CreateDialog({ thing, intent, placeholder, constraint, hidden = {} }: CreateDialogProps) {
  const id = dialogOf(thing);
  const state = useIntentForm({ id: ["create", thing, ...Object.values(hidden)].join("-"), intent, constraint });
  return (
    <Dialog id={id} title={`New ${thing}`} open={dialogState(state)}>
      <IntentForm state={state} hidden={hidden}>
        <TextField field={state.fields["name"]} label="Name" autoFocus autoComplete="off" placeholder={placeholder} />
        <DialogActions>
          <DialogCancel dialog={id} />
          <Button type="submit" look="primary">
            Create {thing}
          </Button>
        </DialogActions>
      </IntentForm>
    </Dialog>
  );
}

import { Plus } from "lucide";
import { useMay } from "~/lib/rights/rights";
import { Button, type ButtonVariant } from "~/lib/ui/inputs/button";
import { Dialog, DialogActions, DialogButton, DialogCancel } from "~/lib/ui/overlays/dialog";
import { Icon } from "~/lib/ui/icons/icon";
import { dialogState } from "./dialog-state";
import { IntentForm, useIntentForm } from "../intent-form";
import { TextField } from "../fields/text-field";
import type { IntentName } from "../intents";

type CreateDialogProps = {
  thing: string;
  intent: IntentName;
  placeholder: string;
  constraint: Parameters<typeof useIntentForm>[0]["constraint"];
  hidden?: Record<string, string>;
};

const dialogOf = (thing: string) => `new-${thing}`;

export function CreateButton({ thing, variant = "primary" }: { thing: string; variant?: ButtonVariant }) {
  if (!useMay()("edit")) return null;
  return (
    <DialogButton dialog={dialogOf(thing)} variant={variant} data-command="">
      <Icon of={Plus} />
      New {thing}
    </DialogButton>
  );
}

export function CreateDialog({ thing, intent, placeholder, constraint, hidden = {} }: CreateDialogProps) {
  const id = dialogOf(thing);
  const state = useIntentForm({ id: ["create", thing, ...Object.values(hidden)].join("-"), intent, constraint });
  return (
    <Dialog id={id} title={`New ${thing}`} open={dialogState(state)}>
      <IntentForm state={state} hidden={hidden}>
        <TextField field={state.fields["name"]} label="Name" autoFocus autoComplete="off" placeholder={placeholder} />
        <DialogActions>
          <DialogCancel dialog={id} />
          <Button type="submit" variant="primary">
            Create {thing}
          </Button>
        </DialogActions>
      </IntentForm>
    </Dialog>
  );
}

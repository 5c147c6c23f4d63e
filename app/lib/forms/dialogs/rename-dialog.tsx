import { Button } from "~/lib/ui/inputs/button";
import { Dialog, DialogActions } from "~/lib/ui/overlays/dialog";
import { CancelLink } from "../cancel-link";
import { dialogState } from "./dialog-state";
import { IntentForm, useIntentForm } from "../intent-form";
import { TextField } from "../fields/text-field";
import type { IntentName } from "../intents";

type RenameDialogProps = {
  item: { _id: string; name: string };
  thing: string;
  intent: IntentName;
  constraint: Parameters<typeof useIntentForm>[0]["constraint"];
  open: object;
  onClose: () => void;
};

export function RenameDialog({ item, thing, intent, constraint, open, onClose }: RenameDialogProps) {
  const id = `rename-dialog-${item._id}`;
  const state = useIntentForm({ id: `rename-${item._id}`, intent, constraint, defaultValue: { name: item.name } });
  return (
    <Dialog id={id} title={`Rename ${thing}`} open={dialogState(state, open)} onClose={onClose}>
      <IntentForm state={state} hidden={{ id: item._id, from: item.name }} onDone={onClose}>
        <TextField
          field={state.fields["name"]}
          label="Name"
          autoFocus
          autoComplete="off"
          onFocus={(event) => event.currentTarget.select()}
        />
        <DialogActions>
          <CancelLink onCancel={onClose} />
          <Button type="submit" variant="primary">
            Rename
          </Button>
        </DialogActions>
      </IntentForm>
    </Dialog>
  );
}

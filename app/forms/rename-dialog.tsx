import { Button } from "~/ui/button";
import { Dialog, DialogActions } from "~/ui/dialog";
import { CancelLink } from "./cancel-link";
import { dialogState } from "./dialog-state";
import { IntentForm, useIntentForm } from "./intent-form";
import { TextField } from "./text-field";

type RenameDialogProps = {
  item: { _id: string; name: string };
  thing: string;
  intent: string;
  constraint: Parameters<typeof useIntentForm>[0]["constraint"];
  /** A new object each time that it is asked for. */
  open: object;
  onClose: () => void;
};

/** Asks for a new name. It closes when the form leaves, as the new name is then already shown, and comes back should it be refused. */
export function RenameDialog({ item, thing, intent, constraint, open, onClose }: RenameDialogProps) {
  const id = `rename-dialog-${item._id}`;
  const state = useIntentForm({ id: `rename-${item._id}`, intent, constraint, defaultValue: { name: item.name } });
  return (
    <Dialog id={id} title={`Rename ${thing}`} open={dialogState(state, open)} onClose={onClose}>
      <IntentForm state={state} hidden={{ id: item._id }} onDone={onClose}>
        <TextField
          field={state.fields["name"]}
          label="Name"
          autoFocus
          autoComplete="off"
          onFocus={(event) => event.currentTarget.select()}
        />
        <DialogActions>
          <CancelLink onCancel={onClose} />
          <Button type="submit" look="primary">
            Rename
          </Button>
        </DialogActions>
      </IntentForm>
    </Dialog>
  );
}

import { Button, type ButtonProps } from "~/ui/button";
import { Dialog, DialogActions, DialogButton, DialogCancel } from "~/ui/dialog";
import { CancelLink } from "./cancel-link";
import { dialogState } from "./dialog-state";
import { IntentForm, useIntentForm } from "./intent-form";

type RemoveDialogProps = {
  item: { _id: string; name: string };
  thing: string;
  /** What goes with it, in a sentence of its own. */
  loses: string;
  intent: string;
  /** Values that the intent needs besides the id. */
  hidden?: Record<string, string>;
  /** A new object each time that it is asked for; left out where a `RemoveButton` asks. */
  open?: object;
  onClose?: () => void;
};

const dialogOf = (item: { _id: string }) => `remove-dialog-${item._id}`;

/** Opens the `RemoveDialog` of the same item, which stands on the page. */
export function RemoveButton({ item, ...rest }: ButtonProps & { item: { _id: string } }) {
  return <DialogButton dialog={dialogOf(item)} look="ghost" size="icon-sm" data-command="" {...rest} />;
}

/** Asks whether something is to go to the trash, from which it can be restored. */
export function RemoveDialog({ item, thing, loses, intent, hidden, open, onClose }: RemoveDialogProps) {
  const state = useIntentForm({ id: `remove-${item._id}`, intent });
  return (
    <Dialog id={dialogOf(item)} title={`Move ${thing} to the trash?`} open={dialogState(state, open)} onClose={onClose}>
      <IntentForm state={state} hidden={{ ...hidden, id: item._id }} onDone={onClose}>
        <p className="wrap-anywhere text-soft">
          <strong className="font-medium text-ink">{item.name}</strong> {loses} It can be restored for 30 days.
        </p>
        <DialogActions>
          {onClose ? <CancelLink onCancel={onClose} /> : <DialogCancel dialog={dialogOf(item)} />}
          <Button type="submit" look="danger">
            Move to trash
          </Button>
        </DialogActions>
      </IntentForm>
    </Dialog>
  );
}

import { CancelLink } from "~/forms/cancel-link";
import { dialogState } from "~/forms/dialog-state";
import { IntentForm, useIntentForm } from "~/forms/intent-form";
import { useCloseToPage } from "~/forms/item-dialogs";
import { Button } from "~/ui/button";
import { Dialog, DialogActions } from "~/ui/dialog";
import type { TrashedItem } from "./intents";

/** What goes with it. */
const LOSES = {
  project: "is deleted with all of its designs and images.",
  design: "is deleted with all of its images.",
  image: "is deleted with all of its versions.",
};

type PurgeDialogProps = {
  item: TrashedItem;
  /** A new object each time that it is asked for. */
  open: object;
  onClose: () => void;
};

/** Asks whether something that lies in the trash is to go for ever. */
export function PurgeDialog({ item: { _id, name, kind }, open, onClose }: PurgeDialogProps) {
  const state = useIntentForm({ id: `purge-${_id}`, intent: "purge" });
  const close = useCloseToPage(onClose);
  return (
    <Dialog id={`purge-dialog-${_id}`} title={`Delete ${kind} for ever?`} open={dialogState(state, open)} onClose={close}>
      <IntentForm state={state} hidden={{ id: _id }} onDone={close}>
        <p className="wrap-anywhere text-soft">
          <strong className="font-medium text-ink">{name}</strong> {LOSES[kind]} This cannot be undone.
        </p>
        <DialogActions>
          <CancelLink onCancel={close} />
          <Button type="submit" look="danger">
            Delete for ever
          </Button>
        </DialogActions>
      </IntentForm>
    </Dialog>
  );
}

import { CancelLink } from "~/lib/forms/cancel-link";
import { dialogState } from "~/lib/forms/dialogs/dialog-state";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { useCloseToPage } from "~/lib/forms/dialogs/item-dialogs";
import { count } from "~/lib/ui/count";
import { Button } from "~/lib/ui/inputs/button";
import { Dialog, DialogActions } from "~/lib/ui/overlays/dialog";
import type { TrashedItem } from "./intents";

function lossOf({ kind, designCount, imageCount }: TrashedItem): string {
  const images = count(imageCount, "image");
  if (kind === "project") return `is deleted with ${count(designCount, "design")} and ${images}.`;
  return kind === "design" ? `is deleted with ${images}.` : "is deleted with all of its versions.";
}

type PurgeDialogProps = {
  item: TrashedItem;
  open: object;
  onClose: () => void;
};

export function PurgeDialog({ item, open, onClose }: PurgeDialogProps) {
  const { _id, name, kind } = item;
  const state = useIntentForm({ id: `purge-${_id}`, intent: "purge" });
  const close = useCloseToPage(onClose);
  return (
    <Dialog id={`purge-dialog-${_id}`} title={`Delete ${kind} permanently?`} open={dialogState(state, open)} onClose={close}>
      <IntentForm state={state} hidden={{ id: _id }} onDone={close}>
        <p className="wrap-anywhere text-soft">
          <strong className="font-medium text-ink">
            <bdi>{name}</bdi>
          </strong>{" "}
          {lossOf(item)} This cannot be undone.
        </p>
        <DialogActions>
          <CancelLink onCancel={close} />
          <Button type="submit" variant="danger">
            Delete permanently
          </Button>
        </DialogActions>
      </IntentForm>
    </Dialog>
  );
}

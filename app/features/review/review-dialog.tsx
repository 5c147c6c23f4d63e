import { CircleCheck, MessageCircleQuestionMark } from "lucide";
import type { ReactNode } from "react";
import { href, useLocation } from "react-router";
import { CancelLink } from "~/lib/forms/cancel-link";
import { dialogState } from "~/lib/forms/dialogs/dialog-state";
import { type Item, type OpenItemDialog, useCloseToPage, type useItemDialogs } from "~/lib/forms/dialogs/item-dialogs";
import { withOpenDialog } from "~/lib/forms/dialogs/open-dialog-param";
import { inputProps } from "~/lib/forms/fields/field-props";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { useMay } from "~/lib/rights/rights";
import { Button } from "~/lib/ui/inputs/button";
import { Field, FieldErrors } from "~/lib/ui/inputs/field";
import { TextArea } from "~/lib/ui/inputs/text-area";
import { Icon } from "~/lib/ui/icons/icon";
import { Dialog, DialogActions, DialogCancel } from "~/lib/ui/overlays/dialog";
import { MenuLink } from "~/lib/ui/overlays/menu";
import { autofocusRef } from "~/lib/ui/inputs/autofocus-ref";
import { REVIEW_FILTERS, type ReviewFilter, rightToSet, STATUS_NAMES } from "#convex/model/review/statuses";
import { REQUESTED_ITEM } from "./requested-item";
import { STATUS_ICONS } from "./review-mark";

type ReviewedItem = Item & { review?: { status: ReviewFilter }; versionId?: string };

function useReviewForm(item: ReviewedItem, form: string) {
  return useIntentForm({ id: `${form}-${item._id}`, intent: "reviewItem" });
}

type FormProps = {
  item: ReviewedItem;
  isImage: boolean;
  state: ReturnType<typeof useReviewForm>;
  onDone: () => void;
  cancel: ReactNode;
};

function ReviewForm({ item, isImage, state, onDone, cancel }: FormProps) {
  const may = useMay();
  const note = state.fields["note"];
  const status = state.fields["status"];
  if (!note || !status) return null;
  const choices = REVIEW_FILTERS.filter((each) => may(rightToSet(each)));
  const sent = state.refusal?.result.initialValue?.["status"];
  const current = item.review?.status ?? "none";
  const checked = choices.find((each) => each === sent) ?? choices.find((each) => each === current) ?? choices[0];
  const hintId = `${note.id}-hint`;
  return (
    <IntentForm
      state={state}
      hidden={{ id: item._id, ...(isImage && { versionId: item.versionId ?? "" }) }}
      className="grid gap-4"
      onDone={onDone}
    >
      <fieldset className="grid gap-1">
        <legend className="mb-1.5 text-sm font-medium text-soft">Status</legend>
        {choices.map((each) => (
          <label key={each} className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
            <input
              type="radio"
              name="status"
              value={each}
              defaultChecked={each === checked}
              ref={each === checked ? autofocusRef : undefined}
            />
            <Icon of={STATUS_ICONS[each]} className="text-faint" />
            {STATUS_NAMES[each]}
          </label>
        ))}
        <FieldErrors id={status.errorId} errors={status.errors} />
      </fieldset>
      <Field
        htmlFor={note.id}
        label="Note"
        errorId={note.errorId}
        errors={note.errors}
        hint="Optional, at most 1,000 characters. Replaces an earlier note."
        hintId={hintId}
      >
        <TextArea {...inputProps(note)} aria-describedby={note.errors ? note.errorId : hintId} />
      </Field>
      <DialogActions>
        {cancel}
        <Button type="submit" variant="primary">
          Set status
        </Button>
      </DialogActions>
    </IntentForm>
  );
}

type ItemDialogProps = { item: ReviewedItem; isImage: boolean; open: object; onClose: () => void };

function ItemReviewDialog({ item, isImage, open, onClose }: ItemDialogProps) {
  const state = useReviewForm(item, "review");
  return (
    <Dialog id={`review-dialog-${item._id}`} title="Set review status" open={dialogState(state, open)} onClose={onClose}>
      <ReviewForm item={item} isImage={isImage} state={state} onDone={onClose} cancel={<CancelLink onCancel={onClose} />} />
    </Dialog>
  );
}

type ReviewDialogsProps = { state: ReturnType<typeof useItemDialogs>; items: readonly ReviewedItem[]; isImage: boolean };

export function ReviewDialogs({ state: { openDialog, setOpenDialog }, items, isImage }: ReviewDialogsProps) {
  const close = useCloseToPage(() => setOpenDialog(null));
  const item = openDialog?.what === "status" ? items.find(({ _id }) => _id === openDialog.item._id) : undefined;
  if (!item || !openDialog) return null;
  return <ItemReviewDialog key={item._id} item={item} isImage={isImage} open={openDialog} onClose={close} />;
}

export const pageDialogOf = (id: string) => `own-review-dialog-${id}`;

export function PageReviewDialog({ item, isImage }: { item: ReviewedItem; isImage: boolean }) {
  const state = useReviewForm(item, "own-review");
  const id = pageDialogOf(item._id);
  return (
    <Dialog id={id} title="Set review status" open={dialogState(state)}>
      <ReviewForm item={item} isImage={isImage} state={state} onDone={() => {}} cancel={<DialogCancel dialog={id} />} />
    </Dialog>
  );
}

type ReviewMenuLinksProps = {
  item: Item;
  projectId: string;
  openDialog?: ((requested: OpenItemDialog) => void) | undefined;
  commandNoun?: "design" | "image" | undefined;
};

export function ReviewMenuLinks({ item, projectId, openDialog, commandNoun }: ReviewMenuLinksProps) {
  const may = useMay();
  const { search } = useLocation();
  const id = item._id;
  return (
    <>
      {openDialog && may("review") ? (
        <MenuLink
          to={{ search: withOpenDialog(search, "status", id) }}
          prefetch="none"
          icon={<Icon of={CircleCheck} />}
          onClick={(event) => {
            event.preventDefault();
            openDialog({ what: "status", item });
          }}
        >
          Review status…
        </MenuLink>
      ) : null}
      {may("edit") ? (
        <MenuLink
          to={`${href("/projects/:id/review", { id: projectId })}?${new URLSearchParams({ [REQUESTED_ITEM]: id })}`}
          prefetch="none"
          icon={<Icon of={MessageCircleQuestionMark} />}
          data-command={commandNoun && `Request review of the ${commandNoun}`}
        >
          Request review…
        </MenuLink>
      ) : null}
    </>
  );
}

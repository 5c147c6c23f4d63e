import { Trash2 } from "lucide-react";
import { convexFor } from "~/data/convex.server";
import { liveRevalidation } from "~/data/should-revalidate";
import { useLive } from "~/data/use-live";
import { serverAction } from "~/forms/action.server";
import { dialogState } from "~/forms/dialog-state";
import { IntentForm, useIntentForm } from "~/forms/intent-form";
import { liveAction } from "~/forms/live-action";
import { trashIntents } from "~/trash/intents";
import { TrashList } from "~/trash/trash-list";
import { Button } from "~/ui/button";
import { Dialog, DialogActions, DialogButton, DialogCancel } from "~/ui/dialog";
import { EmptyState } from "~/ui/empty-state";
import { Icon } from "~/ui/icon";
import { Page, PageHeader } from "~/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/trash";

export const meta: Route.MetaFunction = () => [{ title: "Trash · Atelier" }];

export const loader = async ({ context }: Route.LoaderArgs) => ({ trash: await convexFor(context).preload(api.trash.getTrash, {}) });

export const action = serverAction(trashIntents);
export const clientAction = liveAction(trashIntents);
export const shouldRevalidate = liveRevalidation;

const EMPTYING = "empty-trash";

/** What was deleted, for 30 days. */
export default function Trash({ loaderData }: Route.ComponentProps) {
  const { projects, designs, images } = useLive(loaderData.trash);
  const isEmpty = projects.length + designs.length + images.length === 0;
  return (
    <Page>
      <PageHeader title="Trash">
        {isEmpty ? null : (
          <DialogButton dialog={EMPTYING}>
            <Icon of={Trash2} />
            Empty the trash
          </DialogButton>
        )}
      </PageHeader>
      {isEmpty ? (
        <EmptyState
          title="The trash is empty"
          text="What you delete lies here for 30 days, with all that was in it. Restored, it is back where it was."
        />
      ) : (
        <p className="-mt-4 max-w-prose text-soft">
          What lies here is hidden everywhere else. It is deleted for ever 30 days after it came, and takes up room until then.
        </p>
      )}
      <TrashList title="Projects" items={projects} />
      <TrashList title="Designs" items={designs} />
      <TrashList title="Images" items={images} />
      <EmptyDialog />
    </Page>
  );
}

function EmptyDialog() {
  const state = useIntentForm({ id: `${EMPTYING}-form`, intent: "emptyTrash" });
  return (
    <Dialog id={EMPTYING} title="Empty the trash?" open={dialogState(state)}>
      <IntentForm state={state}>
        <p className="text-soft">Everything in it is deleted for ever, with all images. This cannot be undone.</p>
        <DialogActions>
          <DialogCancel dialog={EMPTYING} />
          <Button type="submit" look="danger">
            Empty the trash
          </Button>
        </DialogActions>
      </IntentForm>
    </Dialog>
  );
}

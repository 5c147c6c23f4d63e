import { Trash2 } from "lucide-react";
import { href } from "react-router";
import { convexFor } from "~/data/convex.server";
import { LATER_PAGES } from "~/data/pages";
import { liveRevalidation } from "~/data/should-revalidate";
import { useEndless } from "~/data/use-endless";
import { useLive } from "~/data/use-live";
import { serverAction } from "~/forms/action.server";
import { dialogState } from "~/forms/dialog-state";
import { useAsked } from "~/forms/item-dialogs";
import type { Question } from "~/forms/question";
import { IntentForm, useIntentForm } from "~/forms/intent-form";
import { liveAction } from "~/forms/live-action";
import { trashIntents } from "~/trash/intents";
import { PurgeDialog } from "~/trash/purge-dialog";
import { TrashList } from "~/trash/trash-list";
import { Breadcrumb } from "~/ui/breadcrumb";
import { Button, ButtonLink } from "~/ui/button";
import { Dialog, DialogActions, DialogButton, DialogCancel } from "~/ui/dialog";
import { EmptyState } from "~/ui/empty-state";
import { Icon } from "~/ui/icon";
import { MorePages } from "~/ui/more-pages";
import { Page, PageHeader } from "~/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/trash";

export const meta: Route.MetaFunction = () => [{ title: "Trash · Atelier" }];

/** The search parameter that names the one kind of which all is shown, page by page. */
const KIND = "kind";
const KINDS = ["project", "design", "image"] as const;
const TITLES = { project: "Projects", design: "Designs", image: "Images" };
/** As many of a kind as the trash shows at once (`convex/trash.ts`). */
const PAGE = 100;

export async function loader({ context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const kind = KINDS.find((each) => each === url.searchParams.get(KIND));
  if (!kind) return { trash: await convex.preload(api.trash.getTrash, {}) };
  const cursor = url.searchParams.get(LATER_PAGES);
  return {
    kind,
    isFirst: cursor === null,
    page: await convex.preload(api.trash.listTrash, { kind, paginationOpts: { cursor, numItems: PAGE } }),
  };
}

export const action = serverAction(trashIntents);
export const clientAction = liveAction(trashIntents);
export const shouldRevalidate = liveRevalidation;

const EMPTYING = "empty-trash";
const PURGING: Question[] = ["purge"];

/** What was deleted, for 30 days. */
export default function Trash({ loaderData }: Route.ComponentProps) {
  return loaderData.kind === undefined ? <WholeTrash trash={loaderData.trash} /> : <OfOneKind key={loaderData.kind} {...loaderData} />;
}

type Loaded = Route.ComponentProps["loaderData"];

function OfOneKind({ kind, isFirst, page }: Extract<Loaded, { isFirst: boolean }>) {
  const shown = useEndless(page);
  const items = shown.rows;
  const title = TITLES[kind];
  const { asked, ask } = useAsked(items, PURGING);
  return (
    <Page>
      <PageHeader trail={<Breadcrumb trail={[{ to: href("/trash"), name: "Trash" }]} />} title={`${title} in the trash`} />
      {items.length === 0 ? (
        <EmptyState title={`No ${isFirst ? "" : "more "}${title.toLowerCase()}`} text="What you delete lies here for 30 days." />
      ) : null}
      <TrashList title={title} items={items} ask={ask} />
      <MorePages things={title.toLowerCase()} page={{ ...shown, isFirst }} />
      {asked ? <PurgeDialog key={asked.item._id} item={asked.item} open={asked} onClose={() => ask(null)} /> : null}
    </Page>
  );
}

function WholeTrash({ trash }: Extract<Loaded, { trash: unknown }>) {
  const { projects, designs, images } = useLive(trash);
  const { asked, ask } = useAsked([...projects, ...designs, ...images], PURGING);
  const isEmpty = projects.length + designs.length + images.length === 0;
  return (
    <Page>
      <PageHeader title="Trash">
        {isEmpty ? null : (
          <DialogButton dialog={EMPTYING} data-command="">
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
      {KINDS.map((kind) => (
        <TrashList key={kind} title={TITLES[kind]} items={{ project: projects, design: designs, image: images }[kind]} ask={ask}>
          <AllOf kind={kind} many={{ project: projects, design: designs, image: images }[kind].length} />
        </TrashList>
      ))}
      <EmptyDialog />
      {asked ? <PurgeDialog key={asked.item._id} item={asked.item} open={asked} onClose={() => ask(null)} /> : null}
    </Page>
  );
}

/** Leads to all of a kind, where there may be more of it than is shown here. */
function AllOf({ kind, many }: { kind: (typeof KINDS)[number]; many: number }) {
  if (many < PAGE) return null;
  return (
    <div>
      <ButtonLink to={{ pathname: href("/trash"), search: `?${KIND}=${kind}` }}>All {TITLES[kind].toLowerCase()} in the trash</ButtonLink>
    </div>
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

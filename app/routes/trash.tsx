import type { FunctionReturnType } from "convex/server";
import { Trash as TrashIcon } from "lucide";
import { href } from "react-router";
import { convexFor } from "~/lib/data/convex.server";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { useLive } from "~/lib/data/use-live";
import { serverAction } from "~/lib/forms/action.server";
import { dialogState } from "~/lib/forms/dialogs/dialog-state";
import { useOpenItemDialog } from "~/lib/forms/dialogs/item-dialogs";
import type { DialogName } from "~/lib/forms/dialogs/open-dialog-param";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import { liveAction } from "~/lib/forms/live-action";
import { trashIntents } from "~/features/trash/intents";
import { PurgeDialog } from "~/features/trash/purge-dialog";
import { TrashList } from "~/features/trash/trash-list";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { Button, ButtonLink } from "~/lib/ui/inputs/button";
import { Dialog, DialogActions, DialogButton, DialogCancel } from "~/lib/ui/overlays/dialog";
import { count } from "~/lib/ui/count";
import { EmptyState } from "~/lib/ui/empty-state";
import { Icon } from "~/lib/ui/icons/icon";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { Page, PageHeader } from "~/lib/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/trash";

export const meta: Route.MetaFunction = () => [{ title: "Trash · Atelier" }];

const KIND = "kind";
const KINDS = ["project", "design", "image"] as const;
const TITLES = { project: "Projects", design: "Designs", image: "Images" };
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
const PURGING: DialogName[] = ["purge"];

export default function Trash({ loaderData }: Route.ComponentProps) {
  return loaderData.kind === undefined ? <TrashOverview trash={loaderData.trash} /> : <TrashOfKind key={loaderData.kind} {...loaderData} />;
}

type TrashedItems = FunctionReturnType<typeof api.trash.getTrash>;
type Loaded = Route.ComponentProps["loaderData"];

function TrashOfKind({ kind, isFirst, page }: Extract<Loaded, { isFirst: boolean }>) {
  const shown = useEndless(page);
  const items = shown.rows;
  const title = TITLES[kind];
  const { openDialog, setOpenDialog } = useOpenItemDialog(items, PURGING);
  return (
    <Page>
      <PageHeader trail={<Breadcrumb trail={[{ to: href("/trash"), name: "Trash" }]} />} title={`${title} in the trash`} />
      {items.length === 0 ? (
        <EmptyState title={`No ${isFirst ? "" : "more "}${title.toLowerCase()}`} text="Items are deleted permanently after 30 days." />
      ) : null}
      <TrashList title={title} items={items} openDialog={setOpenDialog} />
      <MorePages itemNoun={title.toLowerCase()} page={{ ...shown, isFirst }} />
      {openDialog ? (
        <PurgeDialog key={openDialog.item._id} item={openDialog.item} open={openDialog} onClose={() => setOpenDialog(null)} />
      ) : null}
    </Page>
  );
}

function TrashOverview({ trash }: Extract<Loaded, { trash: unknown }>) {
  const { projects, designs, images } = useLive(trash);
  const { openDialog, setOpenDialog } = useOpenItemDialog([...projects, ...designs, ...images], PURGING);
  const isEmpty = projects.length + designs.length + images.length === 0;
  return (
    <Page>
      <PageHeader title="Trash">
        {isEmpty ? null : (
          <DialogButton dialog={EMPTYING} data-command="">
            <Icon of={TrashIcon} />
            Empty the trash
          </DialogButton>
        )}
      </PageHeader>
      {isEmpty ? (
        <EmptyState
          title="The trash is empty"
          text="Items are deleted permanently after 30 days. Restore returns an item, with its contents, to its original location."
        />
      ) : (
        <p className="-mt-4 max-w-prose text-soft">Items are deleted permanently after 30 days. They use storage until then.</p>
      )}
      {KINDS.map((kind) => (
        <TrashList
          key={kind}
          title={TITLES[kind]}
          items={{ project: projects, design: designs, image: images }[kind]}
          openDialog={setOpenDialog}
        >
          <AllOf kind={kind} many={{ project: projects, design: designs, image: images }[kind].length} />
        </TrashList>
      ))}
      <EmptyDialog trash={{ projects, designs, images }} />
      {openDialog ? (
        <PurgeDialog key={openDialog.item._id} item={openDialog.item} open={openDialog} onClose={() => setOpenDialog(null)} />
      ) : null}
    </Page>
  );
}

function AllOf({ kind, many }: { kind: (typeof KINDS)[number]; many: number }) {
  if (many < PAGE) return null;
  return (
    <div>
      <ButtonLink to={{ pathname: href("/trash"), search: `?${KIND}=${kind}` }}>All {TITLES[kind].toLowerCase()} in the trash</ButtonLink>
    </div>
  );
}

function countsOf(trash: TrashedItems): string {
  const counts = KINDS.flatMap((kind) => {
    const many = trash[`${kind}s`].length;
    return many === 0 ? [] : `${many < PAGE ? "" : "at least "}${count(many, kind)}`;
  });
  return new Intl.ListFormat("en-GB").format(counts);
}

function EmptyDialog({ trash }: { trash: TrashedItems }) {
  const state = useIntentForm({ id: `${EMPTYING}-form`, intent: "emptyTrash" });
  return (
    <Dialog id={EMPTYING} title="Empty the trash?" open={dialogState(state)}>
      <IntentForm state={state}>
        <p className="text-soft">
          All items in the trash are deleted permanently, with everything in them: {countsOf(trash)}. This cannot be undone.
        </p>
        <DialogActions>
          <DialogCancel dialog={EMPTYING} />
          <Button type="submit" variant="danger">
            Empty the trash
          </Button>
        </DialogActions>
      </IntentForm>
    </Dialog>
  );
}

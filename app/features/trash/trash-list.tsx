import { isolate } from "~/lib/ui/isolate";
import { RotateCcw, Trash } from "lucide";
import type { ReactNode } from "react";
import { href, useLocation } from "react-router";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import type { OpenItemDialog } from "~/lib/forms/dialogs/item-dialogs";
import { withOpenDialog } from "~/lib/forms/dialogs/open-dialog-param";
import { placeholderUrl } from "~/features/images/display/placeholder";
import { Button, ButtonLink } from "~/lib/ui/inputs/button";
import { count } from "~/lib/ui/count";
import { Day } from "~/lib/ui/time/day";
import { Icon } from "~/lib/ui/icons/icon";
import { ITEM_ICONS } from "~/lib/ui/icons/item-icons";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import type { TrashedItem } from "./intents";

type OpenPurgeDialog = (requested: OpenItemDialog<TrashedItem>) => void;

export function TrashList({
  title,
  items,
  openDialog,
  children,
}: {
  title: string;
  items: TrashedItem[];
  openDialog: OpenPurgeDialog;
  children?: ReactNode;
}) {
  if (items.length === 0) return null;
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <h2 className="text-base font-medium">{title}</h2>
      <ul aria-label={title} className="trashed-entries columns-by-density gap-2">
        {items.map((item) => (
          <TrashRow key={item._id} item={item} openDialog={openDialog} />
        ))}
      </ul>
      {children}
    </section>
  );
}

function TrashRow({ item, openDialog }: { item: TrashedItem; openDialog: OpenPurgeDialog }) {
  const { search } = useLocation();
  const { _id, name, kind, removedAt, purgeAt, placeholder } = item;
  const restore = useIntentForm({ id: `restore-${_id}`, intent: "restore" });
  const trashedParent = placeInTrash(item);
  const restoreLabel = trashedParent === null ? "Restore" : `Restore with its ${trashedParent}`;
  const blur = placeholderUrl(placeholder);
  return (
    <li className="card flex flex-wrap items-center gap-x-4 gap-y-3 p-3 ps-4">
      <span
        className="grid size-11 shrink-0 place-items-center rounded-md bg-mat text-faint"
        style={blur === null ? undefined : { backgroundImage: `url(${blur})`, backgroundSize: "cover" }}
      >
        {blur === null ? <Icon of={ITEM_ICONS[kind]} className="size-5" /> : null}
      </span>
      <div className="grid min-w-0 flex-1 basis-48 grid-cols-[minmax(0,1fr)] gap-0.5">
        <h3 dir="auto" className="truncate font-medium" title={name}>
          {name}
        </h3>
        <p className="tabular flex flex-wrap gap-x-2 text-sm text-faint">
          {originalLocation(item) === null ? null : <span className="truncate">{originalLocation(item)}</span>}
          {kind === "project" ? <span>{count(item.designCount, "design")}</span> : null}
          {kind === "image" ? null : <span>{count(item.imageCount, "image")}</span>}
          <span>
            Deleted <RelativeTime at={removedAt} />
          </span>
          <span>
            Deletes on <Day at={purgeAt} />
          </span>
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <IntentForm state={restore} hidden={{ id: _id, withPlace: trashedParent === null ? "" : "yes" }}>
          <Button type="submit" size="sm" aria-label={`${restoreLabel}: ${isolate(name)}`}>
            <Icon of={RotateCcw} />
            {restoreLabel}
          </Button>
        </IntentForm>
        {trashedParent === null ? null : (
          <ButtonLink to={href("/trash/:id/restore", { id: _id })} prefetch="none" size="sm" aria-label={`Restore to…: ${isolate(name)}`}>
            Restore to…
          </ButtonLink>
        )}
        <ButtonLink
          to={{ search: withOpenDialog(search, "purge", _id) }}
          prefetch="none"
          preventScrollReset
          size="sm"
          variant="ghost"
          aria-haspopup="dialog"
          aria-label={`Delete permanently: ${isolate(name)}`}
          onClick={(event) => {
            event.preventDefault();
            openDialog({ what: "purge", item });
          }}
        >
          <Icon of={Trash} />
          Delete permanently
        </ButtonLink>
      </div>
    </li>
  );
}

function originalLocation({ project, design }: TrashedItem): string | null {
  if (!project) return null;
  return design ? `${isolate(project.name)} / ${isolate(design.name)}` : isolate(project.name);
}

function placeInTrash({ project, design }: TrashedItem): string | null {
  if (project?.inTrash) return "project";
  return design?.inTrash ? "design" : null;
}

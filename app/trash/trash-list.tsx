import { Folder, Image, Layers, RotateCcw, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { href, useLocation } from "react-router";
import { IntentForm, useIntentForm } from "~/forms/intent-form";
import type { Asked } from "~/forms/item-dialogs";
import { withQuestion } from "~/forms/question";
import { placeholderUrl } from "~/images/placeholder";
import { Button, ButtonLink } from "~/ui/button";
import { count } from "~/ui/count";
import { Day } from "~/ui/day";
import { Icon } from "~/ui/icon";
import { RelativeTime } from "~/ui/relative-time";
import type { TrashedItem } from "./intents";

const ICONS = { project: Folder, design: Layers, image: Image };

type Ask = (asked: Asked<TrashedItem>) => void;

/** The rows of one kind, under its heading. */
export function TrashList({ title, items, ask, children }: { title: string; items: TrashedItem[]; ask: Ask; children?: ReactNode }) {
  if (items.length === 0) return null;
  return (
    <section className="grid gap-3">
      <h2 className="text-base font-medium">{title}</h2>
      <ul aria-label={title} className="grid gap-px overflow-hidden rounded-lg border border-line bg-line">
        {items.map((item) => (
          <TrashRow key={item._id} item={item} ask={ask} />
        ))}
      </ul>
      {children}
    </section>
  );
}

function TrashRow({ item, ask }: { item: TrashedItem; ask: Ask }) {
  const { search } = useLocation();
  const { _id, name, kind, removedAt, purgeAt, placeholder } = item;
  const restore = useIntentForm({ id: `restore-${_id}`, intent: "restore" });
  const hidingPlace = placeInTrash(item);
  const back = hidingPlace === null ? "Restore" : `Restore with its ${hidingPlace}`;
  const blur = placeholderUrl(placeholder);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 bg-card p-3 pl-4">
      <span
        className="grid size-11 shrink-0 place-items-center rounded-md bg-mat text-faint"
        style={blur === null ? undefined : { backgroundImage: `url(${blur})`, backgroundSize: "cover" }}
      >
        {blur === null ? <Icon of={ICONS[kind]} className="size-5" /> : null}
      </span>
      <div className="grid min-w-0 flex-1 basis-48 gap-0.5">
        <h3 className="truncate font-medium" title={name}>
          {name}
        </h3>
        <p className="tabular flex flex-wrap gap-x-2 text-sm text-faint">
          {place(item) === null ? null : <span className="truncate">{place(item)}</span>}
          {kind === "project" ? <span>{count(item.designCount, "design")}</span> : null}
          {kind === "image" ? null : <span>{count(item.imageCount, "image")}</span>}
          <span>
            trashed <RelativeTime at={removedAt} />
          </span>
          <span>
            kept until <Day at={purgeAt} />
          </span>
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <IntentForm state={restore} hidden={{ id: _id, withPlace: hidingPlace === null ? "" : "yes" }}>
          <Button type="submit" size="sm" aria-label={`${back}: ${name}`}>
            <Icon of={RotateCcw} />
            {back}
          </Button>
        </IntentForm>
        {hidingPlace === null ? null : (
          <ButtonLink to={href("/trash/:id/restore", { id: _id })} prefetch="none" size="sm" aria-label={`Restore elsewhere: ${name}`}>
            Elsewhere…
          </ButtonLink>
        )}
        <ButtonLink
          to={{ search: withQuestion(search, "purge", _id) }}
          prefetch="none"
          preventScrollReset
          size="sm"
          look="ghost"
          aria-haspopup="dialog"
          aria-label={`Delete for ever: ${name}`}
          onClick={(event) => {
            event.preventDefault();
            ask({ what: "purge", item });
          }}
        >
          <Icon of={Trash2} />
          Delete for ever
        </ButtonLink>
      </div>
    </li>
  );
}

/** What it was in, for people. */
function place({ project, design }: TrashedItem): string | null {
  if (!project) return null;
  return design ? `${project.name} / ${design.name}` : project.name;
}

/** What it was in that lies in the trash too, and has to come back with it; null: nothing. */
function placeInTrash({ project, design }: TrashedItem): string | null {
  if (project?.inTrash) return "project";
  return design?.inTrash ? "design" : null;
}

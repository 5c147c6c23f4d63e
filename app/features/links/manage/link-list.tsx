import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import type { IntentName } from "~/lib/forms/intents";
import { count } from "~/lib/ui/count";
import { Button } from "~/lib/ui/inputs/button";
import { isolate } from "~/lib/ui/isolate";
import { Day } from "~/lib/ui/time/day";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import { CopyField } from "~/lib/ui/inputs/copy-field";
import { ChangeLinkForm } from "./link-form";
import type { ManagedLink } from "./link-intents";

type LinkListProps = { projectId: string; links: ManagedLink[]; addresses: Record<string, string | null> };

export function LinkList({ projectId, links, addresses }: LinkListProps) {
  if (links.length === 0) return <p className="text-soft">There are no public links to this project.</p>;
  return (
    <ul aria-label="Public links" className="grid gap-px overflow-hidden rounded-lg border bg-line">
      {links.map((link) => (
        <li key={link._id} className="grid gap-3 bg-card px-4 py-3">
          <LinkRow projectId={projectId} link={link} address={addresses[link._id] ?? null} />
        </li>
      ))}
    </ul>
  );
}

function LinkRow({ projectId, link, address }: { projectId: string; link: ManagedLink; address: string | null }) {
  const { _id, name, creator, createdAt, visits, lastUsedAt } = link;
  const revoke = useIntentForm({ id: `revoke-${_id}`, intent: "revokeLink" satisfies IntentName });
  return (
    <>
      <div className="flex items-start justify-between gap-x-2">
        <div className="grid min-w-0 gap-0.5">
          <h3 dir="auto" className="font-medium wrap-anywhere">
            {name}
          </h3>
          <p className="text-sm wrap-anywhere text-faint">{settingsText(link)}</p>
          <p className="tabular text-sm text-faint">
            Created by <bdi>{creator}</bdi> on <Day at={createdAt} />, {count(visits, "visit")}
            {lastUsedAt === null ? null : (
              <>
                , last <RelativeTime at={lastUsedAt} />
              </>
            )}
            {link.expiresAt === null ? null : (
              <>
                , {link.isExpired ? "expired" : "expires"} on <Day at={link.expiresAt} />
              </>
            )}
          </p>
        </div>
        <IntentForm state={revoke} hidden={{ projectId, linkId: _id }}>
          <Button type="submit" variant="ghost">
            Revoke<span className="sr-only"> link {isolate(name)}</span>
          </Button>
        </IntentForm>
      </div>
      {address === null ? null : <CopyField value={address} label={`Address of ${isolate(name)}`} />}
      <details>
        <summary className="w-fit cursor-pointer py-1 text-sm text-soft pointer-coarse:py-3.5">
          Change<span className="sr-only"> link {isolate(name)}</span>
        </summary>
        <ChangeLinkForm projectId={projectId} link={link} />
      </details>
      {link.hasComments ? <DeleteComments projectId={projectId} link={link} /> : null}
    </>
  );
}

function DeleteComments({ projectId, link: { _id, name } }: { projectId: string; link: ManagedLink }) {
  const state = useIntentForm({ id: `delete-comments-${_id}`, intent: "removeLinkComments" satisfies IntentName });
  return (
    <details>
      <summary className="w-fit cursor-pointer py-1 text-sm text-soft pointer-coarse:py-3.5">
        Delete comments<span className="sr-only"> of link {isolate(name)}</span>
      </summary>
      <IntentForm state={state} hidden={{ projectId, linkId: _id }} className="grid justify-items-start gap-2 pt-3">
        <p className="text-soft">All comments that were written through this link are deleted. This cannot be undone.</p>
        <Button type="submit" variant="danger">
          Delete all comments
        </Button>
      </IntentForm>
    </details>
  );
}

function settingsText({ target, hasPassword, downloads, comments = false }: ManagedLink): string {
  const shown = target ? `Shows the ${target.kind} “${isolate(target.name)}”` : "Not available: the item was moved or deleted";
  return `${shown}, ${hasPassword ? "with a password" : "without a password"}, ${downloads ? "with downloads" : "without downloads"}, ${comments ? "with comments" : "without comments"}`;
}

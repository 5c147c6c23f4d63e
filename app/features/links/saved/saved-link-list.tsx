import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import type { IntentName } from "~/lib/forms/intents";
import { Button } from "~/lib/ui/inputs/button";
import { isolate } from "~/lib/ui/isolate";
import { Link } from "~/lib/ui/navigation/link";
import { Day } from "~/lib/ui/time/day";
import type { SavedLink } from "../manage/link-intents";

type SavedLinkListProps = { links: SavedLink[]; addresses: Record<string, string | null> };

export function SavedLinkList({ links, addresses }: SavedLinkListProps) {
  return (
    <ul aria-label="Saved links" className="grid max-w-3xl gap-px overflow-hidden rounded-lg border bg-line">
      {links.map((link) => (
        <li key={link._id} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 bg-card px-4 py-3">
          <SavedLinkRow link={link} address={link.sealedToken === null ? null : (addresses[link._id] ?? null)} />
        </li>
      ))}
    </ul>
  );
}

const KINDS = { project: "Project", design: "Design", image: "Image" } as const;

const ENDED = {
  passwordChanged: "The link's password was changed. Open the link to enter the new password.",
  expired: "This link has expired.",
  unavailable: "This link is no longer available.",
} as const;

function SavedLinkRow({ link: { _id, savedAt, state, target }, address }: { link: SavedLink; address: string | null }) {
  const remove = useIntentForm({ id: `forget-${_id}`, intent: "forgetLink" satisfies IntentName });
  const name = target?.name ?? "Saved link";
  return (
    <>
      <div className="grid min-w-0 gap-0.5">
        <h3 dir="auto" className="font-medium wrap-anywhere">
          {address === null ? (
            name
          ) : (
            <Link to={address} reloadDocument className="hover:text-accent-text pointer-coarse:py-2.5">
              {name}
            </Link>
          )}
        </h3>
        <p className="text-sm wrap-anywhere text-faint">
          {state === "open" ? `${target ? KINDS[target.kind] : ""}, saved on ` : `${ENDED[state]} Saved on `}
          <Day at={savedAt} />
        </p>
      </div>
      <IntentForm state={remove} hidden={{ savedId: _id }}>
        <Button type="submit" variant="ghost">
          Remove<span className="sr-only"> {isolate(name)}</span>
        </Button>
      </IntentForm>
    </>
  );
}

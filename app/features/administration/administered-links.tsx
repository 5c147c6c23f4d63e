import { AccountForm, useAccountForm } from "~/features/accounts/settings/account-form";
import { count } from "~/lib/ui/count";
import { RowList } from "~/lib/ui/row-list";
import { Day } from "~/lib/ui/time/day";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import type { ListedLink } from "#convex/admin/links";
import { Badge } from "./badge";
import { PersonLink } from "./person-link";
import { ActionRow } from "./rows";

export function AdministeredLinks({ links }: { links: readonly ListedLink[] }) {
  return (
    <RowList label="Public links">
      {links.map((link) => (
        <ActionRow key={link._id}>
          <LinkFacts link={link} />
          <RevokeLink link={link} />
        </ActionRow>
      ))}
    </RowList>
  );
}

const KINDS = { project: "Project", design: "Design", image: "Image" } as const;

function LinkFacts({ link }: { link: ListedLink }) {
  const { kind, creator, createdAt, expiresAt, isExpired, visits, lastUsedAt } = link;
  return (
    <div className="grid min-w-0 flex-1 basis-64 gap-0.5">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="font-medium">{KINDS[kind]}</span> <span className="text-faint">by</span> <PersonLink person={creator} />
        {isExpired ? <Badge>Expired</Badge> : null}
      </p>
      <p className="text-sm text-faint">{permissionsText(link)}</p>
      <p className="tabular text-sm text-faint">
        Created on <Day at={createdAt} />
        {", "}
        {lastUsedAt === null ? (
          "never used"
        ) : (
          <>
            {count(visits, "visit")}, last used <RelativeTime at={lastUsedAt} />
          </>
        )}
        {expiresAt === null ? (
          ", no expiry"
        ) : (
          <>
            , {isExpired ? "expired" : "expires"} on <Day at={expiresAt} />
          </>
        )}
      </p>
    </div>
  );
}

const permissionsText = ({ hasPassword, downloads, comments }: ListedLink): string =>
  [hasPassword ? "With a password" : "Without a password", ...(downloads ? ["downloads"] : []), ...(comments ? ["comments"] : [])].join(
    ", ",
  );

function RevokeLink({ link: { _id, kind, creator } }: { link: ListedLink }) {
  const state = useAccountForm({ id: `revoke-${_id}`, intent: "revokeAnyLink" });
  return (
    <AccountForm
      state={state}
      className="grid gap-3"
      hidden={{ linkId: _id }}
      submit={
        <>
          Revoke
          <span className="sr-only">
            {" "}
            link to {kind} by {creator.name || creator.email}
          </span>
        </>
      }
    />
  );
}

import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { isolate } from "~/lib/ui/isolate";
import { Link } from "~/lib/ui/navigation/link";
import { Day } from "~/lib/ui/time/day";
import type { api } from "#convex/_generated/api";
import { Badge } from "../badge";

type ListedPerson = FunctionReturnType<typeof api.admin.people.list>["page"][number];

export function PeopleList({ people }: { people: ListedPerson[] }) {
  return (
    <ul aria-label="People" className="grid gap-px overflow-hidden rounded-lg border bg-line">
      {people.map((person) => (
        <li key={person._id} className="bg-card">
          <PersonRow person={person} />
        </li>
      ))}
    </ul>
  );
}

function PersonRow({ person }: { person: ListedPerson }) {
  const { id, name, email, emailVerified, createdAt, isAdministrator, disabledAt } = person;
  return (
    <Link
      to={href("/admin/people/:id", { id })}
      prefetch="intent"
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-4 py-2.5 hover:bg-hover"
    >
      <span className="grid min-w-0 gap-0.5">
        <span className="flex flex-wrap items-center gap-2">
          <span dir="auto" className="font-medium wrap-anywhere">
            {isolate(name || email)}
          </span>
          {isAdministrator ? <Badge>Administrator</Badge> : null}
          {disabledAt === null ? null : <Badge>Disabled</Badge>}
          {emailVerified ? null : <Badge>Not verified</Badge>}
        </span>
        <span className="text-sm wrap-anywhere text-faint">{email}</span>
      </span>
      <span className="text-sm text-faint">
        Since <Day at={createdAt} />
      </span>
    </Link>
  );
}

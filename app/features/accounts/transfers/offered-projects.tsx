import type { FunctionReturnType } from "convex/server";
import { href } from "react-router";
import { ButtonLink } from "~/lib/ui/inputs/button";
import { isolate } from "~/lib/ui/isolate";
import { Day } from "~/lib/ui/time/day";
import type { api } from "#convex/_generated/api";

type OfferedProjectsProps = { offers: FunctionReturnType<typeof api.transfers.listOffered> };

export function OfferedProjects({ offers }: OfferedProjectsProps) {
  if (offers.length === 0) return null;
  return (
    <ul aria-label="Offered projects" className="overflow-hidden rounded-lg border">
      {offers.map(({ _id, projectId, project, owner, expiresAt }) => (
        <li key={_id} className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-b bg-card p-4 last:border-b-0">
          <div className="grid min-w-0 gap-1">
            <h2 className="text-base font-medium wrap-anywhere">Transfer of “{isolate(project)}”</h2>
            <p className="wrap-anywhere text-soft">
              <bdi>{owner}</bdi> wants to transfer this project to you. The offer ends on <Day at={expiresAt} />.
            </p>
          </div>
          <ButtonLink to={href("/projects/:id/transfer", { id: projectId })} size="sm">
            View transfer<span className="sr-only"> of {isolate(project)}</span>
          </ButtonLink>
        </li>
      ))}
    </ul>
  );
}

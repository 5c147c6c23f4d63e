import { useQueries } from "~/lib/data/use-queries";
import type { FunctionReturnType } from "convex/server";
import { useEffect, useState } from "react";
import { href, useLocation } from "react-router";
import { api } from "#convex/_generated/api";
import { DROP_DESIGNS_WIDTH, type DropDesignsOf, onDropDesigns } from "./show-drop-designs";

const HEIGHT_MIN = 160;
const MARGIN = 16;

export function DropDesigns() {
  const [shown, show] = useState<DropDesignsOf | null>(null);
  useEffect(() => onDropDesigns(show), []);
  return shown ? <Designs key={shown.projectId} {...shown} /> : null;
}

function Designs({ projectId, left, top }: DropDesignsOf) {
  const { pathname } = useLocation();
  const { answer } = useQueries({ answer: { query: api.designs.getDesignsByProjectId, args: { projectId, sort: "name" } } });
  const designs: FunctionReturnType<typeof api.designs.getDesignsByProjectId> | undefined = answer instanceof Error ? [] : answer;
  const others = designs?.filter(({ _id }) => href("/design/:id", { id: _id }) !== pathname);
  const x = Math.max(0, Math.min(left, innerWidth - DROP_DESIGNS_WIDTH - MARGIN));
  const y = Math.min(top, innerHeight - HEIGHT_MIN - MARGIN);
  return (
    <div
      data-drop-designs=""
      style={{ left: x, top: y, maxHeight: innerHeight - y - MARGIN, width: DROP_DESIGNS_WIDTH }}
      className="fixed z-40 overflow-y-auto rounded-lg border border-edge bg-raised p-1 shadow-lift"
    >
      {others?.length === 0 ? <p className="px-2 py-1.5 text-sm text-soft">No other designs</p> : null}
      <ul aria-label="Designs of the project">
        {others?.map(({ _id, name }) => (
          <li key={_id}>
            <a href={href("/design/:id", { id: _id })} dir="auto" className="block truncate rounded-md px-2 py-1.5">
              {name}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

import * as Collapsible from "@radix-ui/react-collapsible";
import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { href, NavLink } from "react-router";
import { isPending } from "~/data/pending";
import { Icon } from "~/ui/icon";

/** Of a project, what the sidebar shows. */
export type NamedProject = { _id: string; name: string };

/**
 * The collapsible list under 'Projects' (specification 2): open by default. The root is a `<details>` and the trigger its `<summary>`, so that
 * it opens and closes before, and without, any script.
 */
export function ProjectLinks({ projects }: { projects: NamedProject[] }) {
  const [open, setOpen] = useState(true);
  return (
    <Collapsible.Root asChild open={open}>
      <details open={open} className="md:group-data-[sidebar=collapsed]/shell:hidden">
        <Collapsible.Trigger asChild>
          <summary
            aria-label="Your projects"
            className="absolute top-2 right-2 grid size-9 cursor-pointer list-none place-items-center rounded-md text-faint hover:bg-hover hover:text-ink pointer-coarse:size-11 [&::-webkit-details-marker]:hidden"
            onClick={(event) => {
              // One of the two has to keep the state: here it is React.
              event.preventDefault();
              setOpen(!open);
            }}
          >
            <Icon of={ChevronRight} className="transition-transform in-[[open]]:rotate-90" />
          </summary>
        </Collapsible.Trigger>
        <Collapsible.Content asChild forceMount>
          <ul className="mt-0.5 ml-4 grid grid-cols-[minmax(0,1fr)] gap-px border-l pl-2">
            {projects.map(({ _id, name }) => (
              <li key={_id}>
                {isPending(_id) ? (
                  <span className="sidebar-item opacity-60">
                    <span className="truncate">{name}</span>
                  </span>
                ) : (
                  <NavLink to={href("/projects/:id", { id: _id })} prefetch="intent" title={name} className="sidebar-item">
                    <span className="truncate">{name}</span>
                  </NavLink>
                )}
              </li>
            ))}
          </ul>
        </Collapsible.Content>
      </details>
    </Collapsible.Root>
  );
}

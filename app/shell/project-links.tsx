import * as Collapsible from "@radix-ui/react-collapsible";
import { ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { href, Link, useLocation } from "react-router";
import { isPending } from "~/data/pending";
import { Icon } from "~/ui/icon";
import { useOpenProject } from "./open-project";

/** Of a project, what the sidebar shows. */
export type NamedProject = { _id: string; name: string };

/**
 * The collapsible list under 'Projects' (specification 2): open by default. The root is a `<details>` and the trigger its `<summary>`, so that
 * it opens and closes before, and without, any script.
 */
export function ProjectLinks({ projects }: { projects: NamedProject[] }) {
  const [open, setOpen] = useState(true);
  const { pathname } = useLocation();
  const openProject = useOpenProject();
  const list = useRef<HTMLUListElement>(null);
  // Of many projects the open one is in sight.
  useEffect(() => {
    if (openProject !== null) list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [openProject]);
  return (
    <Collapsible.Root asChild open={open}>
      <details open={open} className="min-h-0 overflow-y-auto overscroll-contain md:group-data-[sidebar=collapsed]/shell:hidden">
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
          <ul ref={list} className="mt-0.5 ml-4 grid grid-cols-[minmax(0,1fr)] gap-px border-l pl-2">
            {projects.map(({ _id, name }) => {
              const to = href("/projects/:id", { id: _id });
              return (
                <li key={_id}>
                  {isPending(_id) ? (
                    <span className="sidebar-item opacity-60">
                      <span className="truncate">{name}</span>
                    </span>
                  ) : (
                    <Link
                      to={to}
                      prefetch="intent"
                      title={name}
                      aria-current={pathname === to ? "page" : openProject === _id ? "true" : undefined}
                      className="sidebar-item"
                    >
                      <span className="truncate">{name}</span>
                    </Link>
                  )}
                </li>
              );
            })}
          </ul>
        </Collapsible.Content>
      </details>
    </Collapsible.Root>
  );
}

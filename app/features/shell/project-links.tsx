import * as Collapsible from "@radix-ui/react-collapsible";
import { ChevronRight } from "lucide";
import { useEffect, useRef, useState } from "react";
import { href, useLocation } from "react-router";
import { isPending } from "~/lib/data/pending";
import type { Endless } from "~/lib/data/pagination/use-endless";
import { Icon } from "~/lib/ui/icons/icon";
import { Link } from "~/lib/ui/navigation/link";
import { useNearness } from "~/lib/ui/navigation/more-pages";
import { projectListCookie } from "~/lib/ui/theme/preferences";
import { useOpenProject } from "./open-project";

export type NamedProject = { _id: string; name: string };

type ProjectLinksProps = { page: Endless<NamedProject>; openAtFirst: boolean };

export function ProjectLinks({ page: { rows: projects, next, more, loading }, openAtFirst }: ProjectLinksProps) {
  const [open, setOpen] = useState(openAtFirst);
  const { pathname } = useLocation();
  const openProject = useOpenProject()?._id ?? null;
  const list = useRef<HTMLUListElement>(null);
  const restRef = useRef<HTMLLIElement>(null);
  useNearness(restRef, next !== null && !loading && open ? more : undefined);
  useEffect(() => {
    if (openProject !== null) list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [openProject]);
  return (
    <Collapsible.Root asChild open={open}>
      <details open={open} className="min-h-0 overflow-y-auto overscroll-contain md:group-data-[sidebar=collapsed]/shell:hidden">
        <Collapsible.Trigger asChild>
          <summary
            aria-label="Your projects"
            className="absolute top-2 end-2 grid size-9 cursor-pointer list-none place-items-center rounded-md text-faint hover:bg-hover hover:text-ink pointer-coarse:size-11 [&::-webkit-details-marker]:hidden"
            onClick={(event) => {
              event.preventDefault();
              setOpen(!open);
              document.cookie = projectListCookie(!open, location.protocol === "https:");
            }}
          >
            <Icon of={ChevronRight} className="transition-transform rtl:-scale-x-100 in-[[open]]:rotate-90 rtl:in-[[open]]:-rotate-90" />
          </summary>
        </Collapsible.Trigger>
        <Collapsible.Content asChild forceMount>
          <ul ref={list} className="sidebar-list mt-0.5 ms-4 grid grid-cols-[minmax(0,1fr)] gap-px border-s ps-2">
            {projects.map(({ _id, name }) => {
              const to = href("/projects/:id", { id: _id });
              return (
                <li key={_id}>
                  {isPending(_id) ? (
                    <span className="opacity-60">
                      <span dir="auto">{name}</span>
                    </span>
                  ) : (
                    <Link
                      to={to}
                      prefetch="intent"
                      title={name}
                      aria-current={pathname === to ? "page" : openProject === _id ? "true" : undefined}
                    >
                      <span dir="auto">{name}</span>
                    </Link>
                  )}
                </li>
              );
            })}
            {next === null ? null : (
              <li ref={restRef}>
                <Link to={href("/projects")} prefetch="intent" aria-busy={loading}>
                  All projects
                </Link>
              </li>
            )}
          </ul>
        </Collapsible.Content>
      </details>
    </Collapsible.Root>
  );
}

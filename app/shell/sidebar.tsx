import { LayoutGrid, PanelLeft, Trash2, X } from "lucide-react";
import { Link, NavLink, useLocation } from "react-router";
import type { Preload } from "~/data/preload";
import { useLive } from "~/data/use-live";
import { SidebarSearch } from "~/search/search-field";
import { Button, buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";
import type { Theme } from "~/ui/preferences";
import { Mark } from "./mark";
import { type NamedProject, ProjectLinks } from "./project-links";
import { useOpenProject } from "./open-project";
import { SIDEBAR_ID, type useSidebar } from "./use-sidebar";
import { type ShellUser, UserMenu } from "./user-menu";

type SidebarProps = {
  sidebar: ReturnType<typeof useSidebar>;
  user: ShellUser;
  theme: Theme;
  projects: Preload<NamedProject[]>;
  unread: Preload<number>;
};

/**
 * Specification 2 and 9: on wide screens a fixed panel of 16rem that collapses to icons (3rem); below 768 px a sheet of 18rem from the left. It
 * is one element for both: a popover, which wide screens show whether it is open or not.
 */
export function Sidebar({ sidebar, user, theme, projects, unread }: SidebarProps) {
  const named = useLive(projects);
  const collapsed = !sidebar.open;
  const within = useOpenProject() !== null;
  return (
    <div
      ref={sidebar.ref}
      id={SIDEBAR_ID}
      popover="auto"
      // With scripts the page behind the sheet is inert, and the sheet a dialog.
      role={sidebar.sheet ? "dialog" : "complementary"}
      aria-modal={sidebar.sheet || undefined}
      aria-label="Sidebar"
      data-print="hide"
      className="sidebar"
    >
      <div className="flex h-14 shrink-0 items-center justify-between px-2 md:h-12">
        <Link
          to="/projects"
          prefetch="intent"
          className="flex items-center gap-2 rounded-md px-2 py-1.5 font-semibold pointer-coarse:min-h-11 md:group-data-[sidebar=collapsed]/shell:hidden"
        >
          <Mark />
          Atelier
        </Link>
        <PanelToggle open={sidebar.open} onToggle={sidebar.toggle} />
        <button
          type="button"
          popoverTarget={SIDEBAR_ID}
          popoverTargetAction="hide"
          aria-label="Close the sidebar"
          className={buttonClass({ look: "ghost", size: "icon-sm" }, "md:hidden")}
        >
          <Icon of={X} className="size-5" />
        </button>
      </div>

      <SidebarSearch collapsed={collapsed} />
      <nav aria-label="Main" className="relative flex min-h-0 flex-1 flex-col p-2">
        <NavLink
          to="/projects"
          end
          prefetch="intent"
          data-within={within || undefined}
          data-tooltip={collapsed ? "Projects" : undefined}
          data-tooltip-side="right"
          className="sidebar-item"
        >
          <Icon of={LayoutGrid} />
          <span className="md:group-data-[sidebar=collapsed]/shell:sr-only">Projects</span>
        </NavLink>
        {named.length > 0 ? <ProjectLinks projects={named} /> : null}
        <NavLink
          to="/trash"
          prefetch="intent"
          data-tooltip={collapsed ? "Trash" : undefined}
          data-tooltip-side="right"
          className="sidebar-item"
        >
          <Icon of={Trash2} />
          <span className="md:group-data-[sidebar=collapsed]/shell:sr-only">Trash</span>
        </NavLink>
      </nav>

      <div className="shrink-0 p-2">
        <UserMenu user={user} theme={theme} unread={unread} />
      </div>
    </div>
  );
}

/** Collapses and expands the panel; without scripts by way of the server, which keeps the state. */
function PanelToggle({ open, onToggle }: { open: boolean; onToggle: () => void }) {
  const { pathname, search } = useLocation();
  const label = open ? "Collapse the sidebar" : "Expand the sidebar";
  return (
    <form
      method="post"
      action="/preferences"
      className="hidden md:block"
      onSubmit={(event) => {
        event.preventDefault();
        onToggle();
      }}
    >
      <input type="hidden" name="sidebar" value={open ? "closed" : "open"} />
      <input type="hidden" name="back" value={pathname + search} />
      <Button
        type="submit"
        look="ghost"
        size="icon-sm"
        aria-label={label}
        aria-expanded={open}
        aria-controls={SIDEBAR_ID}
        aria-keyshortcuts="Control+B Meta+B"
        data-tooltip={open ? undefined : label}
        data-tooltip-side="right"
      >
        <Icon of={PanelLeft} />
      </Button>
    </form>
  );
}

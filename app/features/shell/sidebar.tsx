import { LayoutGrid, type IconNode, PanelLeft, PanelLeftClose, Trash, Users, X } from "lucide";
import type { ComponentProps } from "react";
import { href, useLocation } from "react-router";
import type { Preload } from "~/lib/data/preload";
import { useLive } from "~/lib/data/use-live";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { Button, buttonClass } from "~/lib/ui/inputs/button";
import { Icon } from "~/lib/ui/icons/icon";
import { Link } from "~/lib/ui/navigation/link";
import type { SidebarState, Theme } from "~/lib/ui/theme/preferences";
import { api } from "#convex/_generated/api";
import { Logo } from "~/lib/ui/icons/logo";
import { type NamedProject, ProjectLinks } from "./project-links";
import { useOpenProject } from "./open-project";
import { SidebarLink } from "./sidebar-link";
import { SidebarSearch } from "./sidebar-search";
import { SIDEBAR_ID, type useSidebar } from "./use-sidebar";
import { type ShellUser, UserMenu } from "./user-menu";

type SidebarProps = {
  sidebar: ReturnType<typeof useSidebar>;
  user: ShellUser;
  theme: Theme;
  me: Preload<{ hasShared?: true; isAdministrator?: true }>;
  projects: Preload<NamedProject[]>;
  unread: Preload<number>;
  projectListOpen: boolean;
};

export function Sidebar({ sidebar, user, theme, me, projects, unread, projectListOpen }: SidebarProps) {
  const named = useEndless(projects, api.projects.listProjects, { remembers: false });
  const { hasShared = false, isAdministrator = false } = useLive(me);
  const collapsed = sidebar.state === "collapsed";
  const openProject = useOpenProject();
  const isShared = openProject?.role !== undefined;
  return (
    <div
      ref={sidebar.ref}
      id={SIDEBAR_ID}
      popover="auto"
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
          <Logo />
          Atelier
        </Link>
        <div className="hidden items-center gap-1 md:flex">
          {sidebar.state === "open" ? (
            <StateButton to="hidden" label="Hide the sidebar" icon={PanelLeftClose} onChange={sidebar.change} />
          ) : null}
          <PanelToggle state={sidebar.state} onChange={sidebar.change} />
        </div>
        <button
          type="button"
          popoverTarget={SIDEBAR_ID}
          popoverTargetAction="hide"
          aria-label="Close the sidebar"
          className={buttonClass({ variant: "ghost", size: "icon-sm" }, "md:hidden md:group-data-[sidebar=hidden]/shell:inline-flex")}
        >
          <Icon of={X} className="size-5" />
        </button>
      </div>

      <SidebarSearch collapsed={collapsed} />
      <nav aria-label="Main" className="relative flex min-h-0 flex-1 flex-col p-2">
        <SidebarLink
          to="/projects"
          end
          name="Projects"
          icon={LayoutGrid}
          collapsed={collapsed}
          data-within={(openProject && !isShared) || undefined}
        />
        {named.rows.length > 0 ? <ProjectLinks page={named} openAtFirst={projectListOpen} /> : null}
        {hasShared ? (
          <SidebarLink to={href("/shared")} name="Shared with me" icon={Users} collapsed={collapsed} data-within={isShared || undefined} />
        ) : null}
        <SidebarLink to="/trash" name="Trash" icon={Trash} collapsed={collapsed} />
      </nav>

      <div className="shrink-0 p-2">
        <UserMenu user={user} theme={theme} unread={unread} isAdministrator={isAdministrator} />
      </div>
    </div>
  );
}

type StateButtonProps = {
  to: SidebarState;
  label: string;
  icon: IconNode;
  onChange: (state: SidebarState) => void;
} & Omit<ComponentProps<typeof Button>, "onChange">;

function StateButton({ to, label, icon, onChange, ...rest }: StateButtonProps) {
  const { pathname, search } = useLocation();
  return (
    <form
      method="post"
      action="/preferences"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(to);
      }}
    >
      <input type="hidden" name="sidebar" value={to} />
      <input type="hidden" name="back" value={pathname + search} />
      <Button type="submit" variant="ghost" size="icon-sm" aria-label={label} {...rest}>
        <Icon of={icon} />
      </Button>
    </form>
  );
}

function PanelToggle({ state, onChange }: { state: SidebarState; onChange: (state: SidebarState) => void }) {
  const open = state === "open";
  const label = open ? "Collapse the sidebar" : "Expand the sidebar";
  return (
    <StateButton
      to={open ? "collapsed" : "open"}
      label={label}
      icon={PanelLeft}
      onChange={onChange}
      aria-expanded={open}
      aria-controls={SIDEBAR_ID}
      aria-keyshortcuts="Control+B Meta+B"
      data-tooltip={state === "collapsed" ? label : undefined}
      data-tooltip-side="end"
    />
  );
}

import { Menu as MenuIcon, Search } from "lucide";
import { type ComponentProps, type ReactNode, useEffect } from "react";
import { href } from "react-router";
import { useAuth } from "~/features/accounts/session/use-auth";
import { prepareStoredComments } from "~/features/comments/drafts/stored-comments";
import { Commands } from "~/features/commands/commands";
import type { AppConfig } from "~/config";
import type { Preload } from "~/lib/data/preload";
import { loadModule } from "~/lib/data/connection/load-module";
import { LiveProvider } from "~/lib/data/connection/live-provider";
import { BulkJobs } from "~/features/selection/bulk/bulk-jobs";
import type { BulkJob } from "~/features/selection/bulk/bulk-text";
import { buttonClass } from "~/lib/ui/inputs/button";
import type { Flash } from "~/lib/ui/overlays/flash-banner";
import { FlashToast } from "~/lib/ui/overlays/flash-toast";
import { Icon } from "~/lib/ui/icons/icon";
import { Link } from "~/lib/ui/navigation/link";
import type { SidebarState, Theme } from "~/lib/ui/theme/preferences";
import { IconSymbols } from "~/lib/ui/icons/icon-symbols";
import { Toaster } from "~/lib/ui/overlays/toaster";
import { UnreadTitle } from "~/features/notifications/unread";
import { UploadProvider } from "~/features/uploads/client/file-selection/upload-provider";
import { ConnectionStatus } from "./connection-status";
import { Logo } from "~/lib/ui/icons/logo";
import type { NamedProject } from "./project-links";
import { Sidebar } from "./sidebar";
import type { ShellUser } from "./user-menu";
import { useHelpKey } from "./use-help-key";
import { useRestoredPage } from "./use-restored-page";
import { SIDEBAR_ID, useSidebar } from "./use-sidebar";

type ShellProps = {
  flash: Flash | null;
  personId: string;
  user: ShellUser;
  theme: Theme;
  convex: AppConfig["browserConvex"];
  me: ComponentProps<typeof Sidebar>["me"];
  projects: Preload<NamedProject[]>;
  unread: Preload<number>;
  jobs: Preload<BulkJob[]>;
  sidebarAtFirst: SidebarState;
  projectListOpen: boolean;
  children: ReactNode;
};

export function Shell({
  flash,
  personId,
  user,
  theme,
  convex,
  me,
  projects,
  unread,
  jobs,
  sidebarAtFirst,
  projectListOpen,
  children,
}: ShellProps) {
  const sidebar = useSidebar(sidebarAtFirst);
  useHelpKey();
  useRestoredPage();
  const author = user.name || user.email;
  useEffect(() => {
    if (!prepareStoredComments(personId)) return;
    loadModule(() => import("~/features/comments/drafts/outbox")).then(
      ({ sendStoredComments }) => sendStoredComments({ userId: personId, name: author }),
      () => {},
    );
  }, [personId, author]);
  return (
    <LiveProvider address={convex} useAuth={useAuth}>
      <IconSymbols>
        <a href="#main" className="skip-link">
          Skip to content
        </a>
        <div data-sidebar={sidebar.state} className="group/shell md:flex">
          <Sidebar
            sidebar={sidebar}
            user={user}
            theme={theme}
            me={me}
            projects={projects}
            unread={unread}
            projectListOpen={projectListOpen}
          />
          <div inert={sidebar.sheet} className="min-w-0 flex-1">
            <header
              className="sticky top-0 z-20 flex h-14 items-center gap-2 border-b bg-background/90 px-3 backdrop-blur-sm md:hidden md:group-data-[sidebar=hidden]/shell:flex"
              data-print="hide"
            >
              <button
                type="button"
                popoverTarget={SIDEBAR_ID}
                aria-label="Open the sidebar"
                className={buttonClass({ variant: "ghost", size: "icon" })}
              >
                <Icon of={MenuIcon} className="size-5" />
              </button>
              <Link
                to="/projects"
                prefetch="intent"
                className="flex items-center gap-2 rounded-md py-2 pe-2 font-semibold pointer-coarse:min-h-11"
              >
                <Logo />
                Atelier
              </Link>
              <Link
                to={href("/search")}
                prefetch="intent"
                aria-label="Search"
                className={buttonClass({ variant: "ghost", size: "icon" }, "ms-auto")}
              >
                <Icon of={Search} className="size-5" />
              </Link>
            </header>
            <FlashToast flash={flash} />
            <BulkJobs jobs={jobs} />
            <main id="main" tabIndex={-1} className="outline-none">
              {children}
            </main>
            <UploadProvider personId={personId} />
          </div>
        </div>
        <UnreadTitle unread={unread} />
        <ConnectionStatus />
        <Commands projects={projects} onToggleSidebar={sidebar.toggle} />
        <Toaster theme={theme} />
      </IconSymbols>
    </LiveProvider>
  );
}

import { Menu as MenuIcon, Search } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { href, Link } from "react-router";
import { useAuth } from "~/accounts/use-auth";
import { Commands } from "~/commands/commands";
import type { AppConfig } from "~/config";
import type { Preload } from "~/data/preload";
import { LiveProvider } from "~/data/provider";
import { buttonClass } from "~/ui/button";
import { FlashMessage } from "~/ui/flash-message";
import { Icon } from "~/ui/icon";
import type { Theme } from "~/ui/preferences";
import { Symbols } from "~/ui/symbols";
import { Toaster } from "~/ui/toaster";
import { Uploading } from "~/uploads/uploading";
import { ConnectionMark } from "./connection-mark";
import { Mark } from "./mark";
import type { NamedProject } from "./project-links";
import { Sidebar } from "./sidebar";
import type { ShellUser } from "./user-menu";
import { useHelpKey } from "./use-help-key";
import { useSettledFetchers } from "./use-settled-fetchers";
import { useReturnedPage } from "./use-returned-page";
import { SIDEBAR_ID, useSidebar } from "./use-sidebar";

type ShellProps = {
  /** What the action before this page has to say. */
  flash: ComponentProps<typeof FlashMessage>["flash"];
  /** `users.id`. */
  personId: string;
  user: ShellUser;
  theme: Theme;
  convex: AppConfig["browserConvex"];
  projects: Preload<NamedProject[]>;
  /** How many notices are unread. */
  unread: Preload<number>;
  openAtFirst: boolean;
  children: ReactNode;
};

/** What stands around every page of somebody who is signed in: the sidebar, the toasts, and the connection that keeps all of it live. */
export function Shell({ flash, personId, user, theme, convex, projects, unread, openAtFirst, children }: ShellProps) {
  const sidebar = useSidebar(openAtFirst);
  useHelpKey();
  useSettledFetchers();
  useReturnedPage();
  return (
    <LiveProvider address={convex} useAuth={useAuth}>
      <Symbols>
        <a href="#main" className="skip-link">
          Skip to content
        </a>
        <div data-sidebar={sidebar.open ? "open" : "collapsed"} className="group/shell md:flex">
          <Sidebar sidebar={sidebar} user={user} theme={theme} projects={projects} unread={unread} />
          <div inert={sidebar.sheet} className="min-w-0 flex-1">
            <header
              className="sticky top-0 z-20 flex h-14 items-center gap-2 border-b bg-ground/90 px-3 backdrop-blur-sm md:hidden"
              data-print="hide"
            >
              <button
                type="button"
                popoverTarget={SIDEBAR_ID}
                aria-label="Open the sidebar"
                className={buttonClass({ look: "ghost", size: "icon" })}
              >
                <Icon of={MenuIcon} className="size-5" />
              </button>
              <Link
                to="/projects"
                prefetch="intent"
                className="flex items-center gap-2 rounded-md py-2 pr-2 font-semibold pointer-coarse:min-h-11"
              >
                <Mark />
                Atelier
              </Link>
              <Link
                to={href("/search")}
                prefetch="intent"
                aria-label="Search"
                className={buttonClass({ look: "ghost", size: "icon" }, "ml-auto")}
              >
                <Icon of={Search} className="size-5" />
              </Link>
            </header>
            <FlashMessage flash={flash} toasts />
            <main id="main" tabIndex={-1} className="outline-none">
              {children}
            </main>
            <Uploading personId={personId} />
          </div>
        </div>
        <ConnectionMark />
        <Commands projects={projects} onToggleSidebar={sidebar.toggle} />
        <Toaster theme={theme} />
      </Symbols>
    </LiveProvider>
  );
}

import { Outlet } from "react-router";
import { readCookie } from "~/accounts/cookies";
import { SessionView } from "~/accounts/session-view";
import { visitor } from "~/accounts/session.server";
import { convexFor } from "~/data/convex.server";
import { liveLayoutRevalidation } from "~/data/should-revalidate";
import { useRoot } from "~/data/use-root";
import { Shell } from "~/shell/shell";
import { FaultScreen } from "~/ui/error-screen";
import { SIDEBAR_COOKIE, sidebarOpenFrom } from "~/ui/preferences";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/shell";

/** Signed in: the projects for the sidebar, of each no more than it shows. Signed out: none, and there is no sidebar. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const sidebarOpen = sidebarOpenFrom(readCookie(request.headers, SIDEBAR_COOKIE));
  if (!(await visitor(context))) return { sidebarOpen, me: null, projects: null, unread: null };
  const convex = convexFor(context);
  const [me, projects, unread] = await Promise.all([
    convex.preload(api.accounts.mine.getMe, {}),
    convex.preload(api.projects.getProjects, {}),
    convex.preload(api.notices.getUnreadCount, {}),
  ]);
  return { sidebarOpen, me, unread, projects: { ...projects, value: projects.value.map(({ _id, name }) => ({ _id, name })) } };
}

export const shouldRevalidate = liveLayoutRevalidation;

export default function ShellLayout({ loaderData: { sidebarOpen, me, projects, unread } }: Route.ComponentProps) {
  const root = useRoot();
  if (!me || !projects || !unread || !root?.user || root.userId === null) {
    return (
      <main>
        <Outlet />
      </main>
    );
  }
  return (
    <Shell
      flash={root.flash}
      personId={root.userId}
      user={root.user}
      theme={root.theme}
      convex={root.convex}
      projects={projects}
      unread={unread}
      openAtFirst={sidebarOpen}
    >
      <SessionView me={me} shown={root.user} />
      <Outlet />
    </Shell>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return (
    <main>
      <FaultScreen error={error} atRoot />
    </main>
  );
}

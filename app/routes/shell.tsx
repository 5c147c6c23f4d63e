import { Outlet } from "react-router";
import { readCookie } from "~/features/accounts/session/cookies";
import { SessionView } from "~/features/accounts/session/session-view";
import { getVisitor } from "~/features/accounts/session/session.server";
import { convexFor } from "~/lib/data/convex.server";
import { joinPreloads } from "~/lib/data/joined-queries";
import { liveLayoutRevalidation } from "~/lib/data/should-revalidate";
import { useRoot } from "~/lib/data/use-root";
import { Shell } from "~/features/shell/shell";
import { ErrorScreen } from "~/lib/ui/errors/error-screen";
import { PROJECT_LIST_COOKIE, SIDEBAR_COOKIE, sidebarFrom } from "~/lib/ui/theme/preferences";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/shell";

export async function loader({ request, context }: Route.LoaderArgs) {
  const sidebar = sidebarFrom(readCookie(request.headers, SIDEBAR_COOKIE));
  const projectListOpen = readCookie(request.headers, PROJECT_LIST_COOKIE) !== "closed";
  if (!(await getVisitor(context))) return { sidebar, projectListOpen, me: null, projects: null, unread: null, jobs: null };
  const convex = convexFor(context);
  const [me, projects, unread, jobs] = await Promise.all([
    convex.preload(api.accounts.mine.getMe, {}),
    convex.preload(api.projects.getNames, {}),
    convex.preload(api.notices.getUnreadCount, {}),
    convex.preload(api.bulk.getRecent, {}),
  ]);
  joinPreloads(me, unread, jobs, projects);
  return {
    sidebar,
    projectListOpen,
    me,
    unread,
    jobs,
    projects: { ...projects, value: projects.value.map(({ _id, name }) => ({ _id, name })) },
  };
}

export const shouldRevalidate = liveLayoutRevalidation;

export default function ShellLayout({ loaderData: { sidebar, projectListOpen, me, projects, unread, jobs } }: Route.ComponentProps) {
  const root = useRoot();
  if (!me || !projects || !unread || !jobs || !root?.user || root.userId === null) {
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
      me={me}
      projects={projects}
      unread={unread}
      jobs={jobs}
      sidebarAtFirst={sidebar}
      projectListOpen={projectListOpen}
    >
      <SessionView me={me} shown={root.user} />
      <Outlet />
    </Shell>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return (
    <main>
      <ErrorScreen error={error} atRoot />
    </main>
  );
}

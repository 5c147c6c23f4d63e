import { isolate } from "~/lib/ui/isolate";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { href } from "react-router";
import { convexFor } from "~/lib/data/convex.server";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { useLive } from "~/lib/data/use-live";
import { activityText } from "~/features/projects/activity-text";
import type { ProjectHandle } from "~/features/shell/open-project";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { Page, PageHeader } from "~/lib/ui/page";
import { RelativeTime } from "~/lib/ui/time/relative-time";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/project.activity";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(`Activity in ${isolate(loaderData?.project.value.name ?? "project")}`) },
];

const SHOWN = 50;

export async function loader({ params: { id }, context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const cursor = url.searchParams.get(LATER_PAGES);
  const [project, activities] = await Promise.all([
    convex.preload(api.projects.getProjectById, { id }),
    convex.preload(api.activities.list, { projectId: id, paginationOpts: { cursor, numItems: SHOWN } }),
  ]);
  return { project, activities, isFirst: cursor === null };
}

export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ project }) => project.value._id };

export const shouldRevalidate = liveRevalidation;

export default function ProjectActivity({ loaderData }: Route.ComponentProps) {
  const project = useLive(loaderData.project);
  useTitle(titleOf(`Activity in ${isolate(project.name)}`));
  const page = useEndless(loaderData.activities);
  return (
    <Page>
      <PageHeader
        trail={
          <Breadcrumb
            trail={[
              { to: href("/projects"), name: "Projects" },
              { to: href("/projects/:id", { id: project._id }), name: project.name },
            ]}
          />
        }
        title="Activity"
      />
      <ol aria-label="Activity" className="grid max-w-3xl gap-px overflow-hidden rounded-lg border border-line bg-line">
        {page.rows.map((entry) => (
          <li key={entry._id} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 bg-card px-4 py-3">
            <span className="min-w-0 flex-1 basis-64 wrap-anywhere">
              <strong className="font-medium">
                <bdi>{entry.actor ? (entry.actor.isMe ? "You" : entry.actor.name) : "Atelier"}</bdi>
              </strong>{" "}
              {activityText(entry)}
            </span>
            <span className="text-sm text-faint">
              <RelativeTime at={entry.at} />
            </span>
          </li>
        ))}
      </ol>
      <MorePages itemNoun="entries" page={{ ...page, isFirst: loaderData.isFirst }} />
    </Page>
  );
}

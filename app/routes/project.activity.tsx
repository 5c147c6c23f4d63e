import { href } from "react-router";
import { convexFor } from "~/data/convex.server";
import { LATER_PAGES } from "~/data/pages";
import { liveRevalidation } from "~/data/should-revalidate";
import { useEndless } from "~/data/use-endless";
import { useLive } from "~/data/use-live";
import { wordsFor } from "~/projects/activity-words";
import type { ProjectHandle } from "~/shell/open-project";
import { Breadcrumb } from "~/ui/breadcrumb";
import { MorePages } from "~/ui/more-pages";
import { Page, PageHeader } from "~/ui/page";
import { RelativeTime } from "~/ui/relative-time";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/project.activity";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: `Activity in ${loaderData?.project.value.name ?? "project"} · Atelier` },
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

/** Who did what in a project, and when. */
export default function ProjectActivity({ loaderData }: Route.ComponentProps) {
  const project = useLive(loaderData.project);
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
              <strong className="font-medium">{entry.actor ? (entry.actor.isMe ? "You" : entry.actor.name) : "Atelier"}</strong>{" "}
              {wordsFor(entry)}
            </span>
            <span className="text-sm text-faint">
              <RelativeTime at={entry.at} />
            </span>
          </li>
        ))}
      </ol>
      <MorePages things="entries" page={{ ...page, isFirst: loaderData.isFirst }} />
    </Page>
  );
}

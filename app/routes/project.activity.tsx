import { isolate } from "~/lib/ui/isolate";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { href } from "react-router";
import { convexFor } from "~/lib/data/convex.server";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { useLive } from "~/lib/data/use-live";
import { Picture } from "~/features/images/display/picture";
import { commentsAddress } from "~/features/comments/thread-address";
import { activityDays } from "~/features/projects/activity-days";
import { type Activity, activityText } from "~/features/projects/activity-text";
import { projectsCrumb } from "~/features/projects/projects-crumb";
import type { ProjectHandle } from "~/features/shell/open-project";
import { Icon } from "~/lib/ui/icons/icon";
import { ITEM_ICONS } from "~/lib/ui/icons/item-icons";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { Page, PageHeader } from "~/lib/ui/page";
import { Link } from "~/lib/ui/navigation/link";
import { useDateSettings } from "~/lib/ui/time/use-date-settings";
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

export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ project }) => project.value };

export const shouldRevalidate = liveRevalidation;

export default function ProjectActivity({ loaderData }: Route.ComponentProps) {
  const project = useLive(loaderData.project);
  useTitle(titleOf(`Activity in ${isolate(project.name)}`));
  const page = useEndless(loaderData.activities);
  const settings = useDateSettings();
  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[projectsCrumb(project), { to: href("/projects/:id", { id: project._id }), name: project.name }]} />}
        title="Activity"
      />
      {activityDays(page.rows, settings).map(({ day, entries }) => (
        <section key={day} className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-2">
          <h2 lang={settings.locale} dir="auto" className="text-sm font-medium text-soft" suppressHydrationWarning>
            {day}
          </h2>
          <ol aria-label={`Activity on ${day}`} className="grid gap-px overflow-hidden rounded-lg border border-line bg-line">
            {entries.map((entry) => (
              <Entry key={entry._id} entry={entry} projectId={project._id} />
            ))}
          </ol>
        </section>
      ))}
      <MorePages itemNoun="entries" page={{ ...page, isFirst: loaderData.isFirst }} />
    </Page>
  );
}

function Entry({ entry, projectId }: { entry: Activity; projectId: string }) {
  const { actor, at, place = {}, picture } = entry;
  const { designId, imageId } = place;
  const to =
    designId === undefined
      ? href("/projects/:id", { id: projectId })
      : entry.discussion
        ? commentsAddress({ designId, imageId })
        : imageId === undefined
          ? href("/design/:id", { id: designId })
          : href("/design/:id/images/:imageId", { id: designId, imageId });
  return (
    <li className="bg-card">
      <Link to={to} prefetch="intent" className="flex items-center gap-3 px-4 py-2 hover:bg-hover">
        <span className="grid size-10 shrink-0 place-items-center overflow-hidden rounded-sm bg-mat text-faint">
          {picture ? (
            <Picture image={picture} alt="" sizes="40px" className="size-full object-cover" />
          ) : (
            <Icon of={ITEM_ICONS[imageId ? "image" : designId ? "design" : "project"]} className="size-5" />
          )}
        </span>
        <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 gap-y-0.5">
          <span className="min-w-0 flex-1 basis-64 wrap-anywhere">
            <strong className="font-medium">
              <bdi>{actor ? (actor.isMe ? "You" : actor.name) : "Atelier"}</bdi>
            </strong>{" "}
            {activityText(entry)}
          </span>
          <span className="text-sm text-faint">
            <RelativeTime at={at} />
          </span>
        </span>
      </Link>
    </li>
  );
}

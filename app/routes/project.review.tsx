import type { ReactNode } from "react";
import { href } from "react-router";
import { ReviewedItems } from "~/features/images/gallery/reviewed-items";
import type { ProjectPage } from "~/features/projects/intents";
import { projectsCrumb } from "~/features/projects/projects-crumb";
import { RequestForm } from "~/features/review/request-form";
import { RequestList } from "~/features/review/request-list";
import { REQUESTED_ITEM } from "~/features/review/requested-item";
import { requestIntents } from "~/features/review/review-intents";
import { ReviewMark } from "~/features/review/review-mark";
import type { ProjectHandle } from "~/features/shell/open-project";
import { convexFor } from "~/lib/data/convex.server";
import { REVIEW } from "~/lib/data/pagination/sorting";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { serverAction } from "~/lib/forms/action.server";
import { liveAction } from "~/lib/forms/live-action";
import { OwnRights } from "~/lib/rights/rights";
import { count } from "~/lib/ui/count";
import { EmptyState } from "~/lib/ui/empty-state";
import { isolate } from "~/lib/ui/isolate";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { Link } from "~/lib/ui/navigation/link";
import { Page, PageHeader } from "~/lib/ui/page";
import { useDensity } from "~/lib/ui/theme/density";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { api } from "#convex/_generated/api";
import { countWith, REVIEW_STATUSES, type ReviewFilter, STATUS_NAMES } from "#convex/model/review/statuses";
import type { Route } from "./+types/project.review";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(`Review of ${isolate(loaderData?.project.value.name ?? "project")}`) },
];

export async function loader({ params: { id }, context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const itemId = url.searchParams.get(REQUESTED_ITEM);
  const [project, overview, form] = await Promise.all([
    convex.preload(api.projects.getProjectById, { id }),
    convex.preload(api.reviews.getOverview, { projectId: id }),
    itemId === null ? null : convex.preload(api.reviews.getReviewers, { id: itemId }),
  ]);
  return { project, overview, request: itemId !== null && form !== null ? { itemId, ...form.value } : null };
}

export const action = serverAction(requestIntents);
export const clientAction = liveAction(requestIntents);
export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ project }) => project.value };

export const shouldRevalidate = liveRevalidation;

export default function ProjectReview({ loaderData }: Route.ComponentProps) {
  const project = useLive(loaderData.project);
  const { designs, images, requests } = useLive(loaderData.overview);
  const density = useDensity();
  useTitle(titleOf(`Review of ${isolate(project.name)}`));
  const { request } = loaderData;
  const isEmpty = requests.length === 0 && designs.length === 0 && images.length === 0;
  return (
    <OwnRights role={project.role}>
      <Page>
        <PageHeader
          trail={<Breadcrumb trail={[projectsCrumb(project), { to: href("/projects/:id", { id: project._id }), name: project.name }]} />}
          title="Review"
        />
        {request ? (
          <section aria-labelledby="new-request" className="grid max-w-3xl gap-4">
            <h2 id="new-request" className="text-lg wrap-anywhere">
              Request a review of the {request.kind} “{isolate(request.name)}”
            </h2>
            {request.people.length > 0 ? (
              <RequestForm key={request.itemId} itemId={request.itemId} projectId={project._id} people={request.people} />
            ) : (
              <p className="text-soft">
                Nobody else can review in this project.{" "}
                <Link
                  to={href("/projects/:id/members", { id: project._id })}
                  prefetch="intent"
                  className="text-accent-text underline underline-offset-4"
                >
                  Invite members
                </Link>{" "}
                as commenters or editors first.
              </p>
            )}
          </section>
        ) : null}
        {requests.length > 0 ? (
          <section aria-labelledby="requests" className="grid gap-4">
            <h2 id="requests" className="text-lg">
              Requested reviews
            </h2>
            <RequestList requests={requests} />
          </section>
        ) : null}
        {REVIEW_STATUSES.map((status) => (
          <StatusSection key={status} project={project} status={status}>
            <ReviewedItems
              label={STATUS_NAMES[status]}
              designs={designs.filter(({ review }) => review?.status === status)}
              images={images.filter(({ review }) => review?.status === status)}
              density={density}
            />
          </StatusSection>
        ))}
        <StatusSection project={project} status="none" />
        {isEmpty && !request ? (
          <EmptyState title="Nothing in review" text="Set a review status in the menu of a design or an image. It then appears here." />
        ) : null}
      </Page>
    </OwnRights>
  );
}

type StatusSectionProps = { project: ProjectPage; status: ReviewFilter; children?: ReactNode };

function StatusSection({ project: { _id: id, designCount, imageCount, reviews }, status, children }: StatusSectionProps) {
  const ofDesigns = countWith(status, designCount, reviews?.designs);
  const ofImages = countWith(status, imageCount, reviews?.images);
  const search = `?${new URLSearchParams({ [REVIEW]: status })}`;
  return (
    <section aria-labelledby={`status-${status}`} className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <h2 id={`status-${status}`} className="text-lg">
          <ReviewMark status={status} className="gap-2" />
        </h2>
        <p className="tabular flex flex-wrap gap-x-4 text-soft">
          <CountLink to={ofDesigns === 0 ? null : href("/projects/:id", { id }) + search}>{count(ofDesigns, "design")}</CountLink>
          {/* No page lists a project's images without a status. */}
          <CountLink to={ofImages === 0 || status === "none" ? null : href("/projects/:id/images", { id }) + search}>
            {count(ofImages, "image")}
          </CountLink>
        </p>
      </div>
      {children}
    </section>
  );
}

function CountLink({ to, children }: { to: string | null; children: string }) {
  if (to === null) return <span className="py-0.5">{children}</span>;
  return (
    <Link to={to} prefetch="intent" className="inline-block py-0.5 text-accent-text underline underline-offset-4 pointer-coarse:py-3">
      {children}
    </Link>
  );
}

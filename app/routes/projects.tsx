import { useRef } from "react";
import { useItemCommands } from "~/features/selection/commands/use-item-commands";
import { useReordering } from "~/features/reordering/use-reordering";
import { convexFor } from "~/lib/data/convex.server";
import { data, href, redirect, useSearchParams } from "react-router";
import { pageOf, preloadPage } from "~/lib/data/pagination/pages";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { FAVOURITES, SORT, sortIn, viewIn } from "~/lib/data/pagination/sorting";
import { FavouritesFilter, NoFavourites } from "~/lib/ui/navigation/favourites-filter";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { serverAction } from "~/lib/forms/action.server";
import { constraintOf } from "~/lib/forms/constraint.server";
import { CreateButton, CreateDialog } from "~/lib/forms/dialogs/create-dialog";
import { ItemDialogs, useItemDialogs } from "~/lib/forms/dialogs/item-dialogs";
import { liveAction } from "~/lib/forms/live-action";
import { MenuForm } from "~/lib/forms/dialogs/menu-action";
import { DensityPicker } from "~/features/images/gallery/density-picker";
import { expectCovers } from "~/features/images/serve/expect-covers.server";
import { projectIntents } from "~/features/projects/intents";
import { SEPARATOR } from "~/features/projects/container-card";
import { useMembersOfOwnProjects } from "~/features/projects/use-members-of-own-projects";
import { ProjectCard } from "~/features/projects/project-card";
import { acceptedText, AddFirstImages } from "~/features/uploads/client/file-selection/add-images";
import { NEW_PROJECT } from "~/features/uploads/client/file-selection/drop-target";
import { PageTarget } from "~/features/uploads/client/file-selection/upload-provider";
import { UploadResults } from "~/features/uploads/client/tray/upload-results";
import { handleMultipartUpload, isUpload } from "~/features/uploads/server/handle-multipart-upload.server";
import { requestLimitOf } from "~/features/uploads/server/request-limit.server";
import { uploadToNewProject } from "~/features/uploads/server/upload-to-new-project.server";
import { isUploadAnswer } from "~/features/uploads/upload-result";
import { configContext } from "~/lib/http/context";
import { once } from "~/lib/rendering/send-once.server";
import { count } from "~/lib/ui/count";
import { EmptyState } from "~/lib/ui/empty-state";
import { selectableProps } from "~/features/selection/selectable";
import { CardGrid } from "~/lib/ui/item-card";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { Page, PageHeader } from "~/lib/ui/page";
import { LIST_ORDERS, SortMenu } from "~/lib/ui/navigation/sort-menu";
import { api } from "#convex/_generated/api";
import { createProject } from "#convex/model/rules";
import type { Route } from "./+types/projects";

export const meta: Route.MetaFunction = () => [{ title: "Projects · Atelier" }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const config = context.get(configContext);
  const projects = await preloadPage(url, {
    first: () => convex.preload(api.projects.getProjects, viewIn(url)),
    later: (paginationOpts) => convex.preload(api.projects.listProjects, { ...sortIn(url), paginationOpts }),
  });
  await expectCovers(context, pageOf(projects.value).rows);
  return {
    projects,
    constraint: constraintOf(createProject),
    sending: once(context),
    maxBytes: config.uploadMaxBytes,
    requestLimit: requestLimitOf(config).known(),
  };
}

export async function action(args: Route.ActionArgs) {
  const { request, context } = args;
  if (!isUpload(request)) return serverAction(projectIntents)(args);
  const { answer, designId, added } = await uploadToNewProject(request, context, (id) => handleMultipartUpload(request, id, context));
  if (added === answer.results.length && !answer.problem) throw redirect(`${href("/design/:id", { id: designId })}?added=${added}`, 303);
  return data(answer, { status: 422, statusText: "Unprocessable Content" });
}

export const clientAction = liveAction(projectIntents);
export const shouldRevalidate = liveRevalidation;

export default function Projects({ loaderData, actionData }: Route.ComponentProps) {
  const { projects: preloaded, constraint, sending, maxBytes, requestLimit } = loaderData;
  const page = useEndless(preloaded, api.projects.listProjects);
  const projects = page.rows;
  const dialogs = useItemDialogs(projects);
  const isManual = useSearchParams()[0].get(SORT) === "manual";
  const onlyFavourites = useSearchParams()[0].has(FAVOURITES);
  const isEmpty = projects.length === 0 && page.isFirst && !onlyFavourites;
  const membersOf = useMembersOfOwnProjects();
  const list = useRef<HTMLUListElement>(null);
  useItemCommands(list, { items: projects, openDialog: dialogs.setOpenDialog, remove: "removeProject", duplicate: "duplicateProject" });
  useReordering(list, { on: isManual, intent: "orderProject", items: projects, page, total: null });
  return (
    <Page>
      <PageHeader
        title="Projects"
        summary={projects.length > 0 && page.isFirst && page.next === null ? count(projects.length, "project") : null}
      >
        {projects.length > 0 ? <DensityPicker className="max-lg:hidden" /> : null}
        {projects.length > 1 ? <SortMenu orders={LIST_ORDERS} /> : null}
        {projects.length > 0 || onlyFavourites ? <FavouritesFilter /> : null}
        {projects.length > 0 ? <CreateButton thing="project" /> : null}
      </PageHeader>
      <MenuForm />
      {isUploadAnswer(actionData) ? <UploadResults answer={actionData} /> : null}
      {projects.length > 0 ? (
        <CardGrid label="Projects" ref={list}>
          {projects.map((project) => (
            <li key={project._id} {...selectableProps(project)}>
              <ProjectCard
                project={project}
                openDialog={dialogs.setOpenDialog}
                isManual={isManual}
                people={membersOf(project._id).join(SEPARATOR)}
              />
            </li>
          ))}
        </CardGrid>
      ) : onlyFavourites ? (
        <NoFavourites things="projects" />
      ) : (
        <EmptyState
          title={page.isFirst ? "No projects yet" : "No more projects"}
          text={
            <>
              A project contains designs, and each design contains images.{" "}
              <span className="noscript:hidden">
                Drop or paste images anywhere on this page. A project and a design are created for them.
              </span>
              <span className="hidden noscript:inline">When you add images here, a project and a design are created for them.</span>{" "}
              {acceptedText(maxBytes)}
            </>
          }
          action={
            <div className="flex flex-wrap items-center justify-center gap-2">
              <AddFirstImages sending={sending} maxBytes={maxBytes} requestLimit={requestLimit} variant="primary" />
              <CreateButton thing="project" variant="quiet" />
            </div>
          }
        />
      )}
      {isEmpty ? <PageTarget target={NEW_PROJECT} /> : null}
      <MorePages itemNoun="projects" page={page} />
      <CreateDialog thing="project" intent="createProject" placeholder="Autumn catalogue" constraint={constraint} />
      <ItemDialogs state={dialogs} thing="project" intent="renameProject" constraint={constraint} />
    </Page>
  );
}

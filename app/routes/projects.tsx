import { useRef } from "react";
import { useArranging } from "~/arranging/use-arranging";
import { convexFor } from "~/data/convex.server";
import { useSearchParams } from "react-router";
import { preloadPage } from "~/data/pages";
import { useEndless } from "~/data/use-endless";
import { SORT, sortIn } from "~/data/sorting";
import { liveRevalidation } from "~/data/should-revalidate";
import { serverAction } from "~/forms/action.server";
import { constraintOf } from "~/forms/constraint.server";
import { CreateButton, CreateDialog } from "~/forms/create-dialog";
import { ItemDialogs, useItemDialogs } from "~/forms/item-dialogs";
import { liveAction } from "~/forms/live-action";
import { MenuForm } from "~/forms/menu-action";
import { projectIntents } from "~/projects/intents";
import { ProjectCard } from "~/projects/project-card";
import { count } from "~/ui/count";
import { EmptyState } from "~/ui/empty-state";
import { pickProps } from "~/selection/pick";
import { CardGrid } from "~/ui/item-card";
import { MorePages } from "~/ui/more-pages";
import { Page, PageHeader } from "~/ui/page";
import { LIST_ORDERS, SortMenu } from "~/ui/sort-menu";
import { api } from "#convex/_generated/api";
import { createProject } from "#convex/rules";
import type { Route } from "./+types/projects";

export const meta: Route.MetaFunction = () => [{ title: "Projects · Atelier" }];

export async function loader({ context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  return {
    projects: await preloadPage(url, {
      first: () => convex.preload(api.projects.getProjects, sortIn(url)),
      later: (paginationOpts) => convex.preload(api.projects.listProjects, { ...sortIn(url), paginationOpts }),
    }),
    constraint: constraintOf(createProject),
  };
}

export const action = serverAction(projectIntents);
export const clientAction = liveAction(projectIntents);
export const shouldRevalidate = liveRevalidation;

export default function Projects({ loaderData: { projects: preloaded, constraint } }: Route.ComponentProps) {
  const page = useEndless(preloaded, api.projects.listProjects);
  const projects = page.rows;
  const dialogs = useItemDialogs(projects);
  const byHand = useSearchParams()[0].get(SORT) === "manual";
  const list = useRef<HTMLUListElement>(null);
  useArranging(list, { on: byHand, intent: "orderProject", items: projects, page, total: null });
  return (
    <Page>
      <PageHeader
        title="Projects"
        facts={projects.length > 0 && page.isFirst && page.next === null ? count(projects.length, "project") : null}
      >
        {projects.length > 1 ? <SortMenu orders={LIST_ORDERS} /> : null}
        {projects.length > 0 ? <CreateButton thing="project" /> : null}
      </PageHeader>
      <MenuForm />
      {projects.length > 0 ? (
        <CardGrid label="Projects" ref={list}>
          {projects.map((project) => (
            <li key={project._id} {...pickProps(project)}>
              <ProjectCard project={project} ask={dialogs.ask} byHand={byHand} />
            </li>
          ))}
        </CardGrid>
      ) : (
        <EmptyState
          title={page.isFirst ? "No projects yet" : "No more projects"}
          text="A project holds the designs of one piece of work, and each design its images. Make the first one and name it after the work."
          action={<CreateButton thing="project" />}
        />
      )}
      <MorePages things="projects" page={page} />
      <CreateDialog thing="project" intent="createProject" placeholder="Autumn catalogue" constraint={constraint} />
      <ItemDialogs
        state={dialogs}
        thing="project"
        loses="goes to the trash with all of its designs and images."
        intents={{ rename: "renameProject", remove: "removeProject" }}
        constraint={constraint}
      />
    </Page>
  );
}

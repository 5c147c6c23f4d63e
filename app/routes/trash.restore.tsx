import { Form, href } from "react-router";
import { convexFor } from "~/data/convex.server";
import { notFoundResponse } from "~/data/refusals";
import { serverAction } from "~/forms/action.server";
import { liveAction } from "~/forms/live-action";
import { ProjectChoice } from "~/forms/project-choice";
import { TargetList } from "~/forms/target-list";
import { trashIntents } from "~/trash/intents";
import { Breadcrumb } from "~/ui/breadcrumb";
import { count } from "~/ui/count";
import { Page, PageHeader } from "~/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/trash.restore";

export const meta: Route.MetaFunction = ({ loaderData }) => [{ title: `Restore ${loaderData?.item.name ?? ""} elsewhere · Atelier` }];

/** The search parameter that names the project whose designs are offered to an image. */
const PROJECT = "project";

export async function loader({ params: { id }, context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const item = (await convex.preload(api.trash.getTrashed, { id })).value;
  if (item._id !== id || item.kind === "project") throw notFoundResponse();
  const projects = (await convex.preload(api.projects.getProjects, { sort: "name" })).value;
  if (item.kind === "design") {
    return {
      item,
      choice: null,
      targets: projects.map(({ _id, name, designCount }) => ({ _id, name, facts: count(designCount, "design") })),
    };
  }
  const projectId = url.searchParams.get(PROJECT) ?? projects[0]?._id;
  const designs =
    projectId === undefined ? [] : (await convex.preload(api.designs.getDesignsByProjectId, { projectId, sort: "name" })).value;
  return {
    item,
    choice: projectId === undefined ? null : { projectId, projects: projects.map(({ _id, name }) => ({ _id, name })) },
    targets: designs.map(({ _id, name, imageCount }) => ({ _id, name, facts: count(imageCount, "image") })),
  };
}

const intents = { restoreInto: trashIntents.restoreInto };
export const action = serverAction(intents);
export const clientAction = liveAction(intents);

/** Where something from the trash is to be, if not where it was: that may lie in the trash too. */
export default function RestoreElsewhere({ loaderData: { item, choice, targets } }: Route.ComponentProps) {
  const { _id, name, kind } = item;
  return (
    <Page>
      <PageHeader trail={<Breadcrumb trail={[{ to: href("/trash"), name: "Trash" }]} />} title={`Restore “${name}” elsewhere`} />
      {choice ? (
        <Form method="get" className="flex flex-wrap items-end gap-2">
          <ProjectChoice name={PROJECT} projects={choice.projects} chosen={choice.projectId} />
        </Form>
      ) : null}
      <TargetList
        key={choice?.projectId}
        intent="restoreInto"
        hidden={{ id: _id }}
        field="into"
        targets={targets}
        action="Restore here"
        nowhere={
          kind === "design" ? "There is no project. Make one first." : "This project has no design. Choose another, or make a design first."
        }
      />
    </Page>
  );
}

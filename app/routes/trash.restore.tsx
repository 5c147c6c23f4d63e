import { isolate } from "~/lib/ui/isolate";
import { Form, href } from "react-router";
import { convexFor } from "~/lib/data/convex.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { serverAction } from "~/lib/forms/action.server";
import { liveAction } from "~/lib/forms/live-action";
import { ProjectPicker } from "~/lib/forms/fields/project-picker";
import { DestinationList } from "~/lib/forms/fields/destination-list";
import { trashIntents } from "~/features/trash/intents";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { count } from "~/lib/ui/count";
import { Page, PageHeader } from "~/lib/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/trash.restore";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: `Restore ${isolate(loaderData?.item.name ?? "")} to another location · Atelier` },
];

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
      targets: projects.map(({ _id, name, designCount }) => ({ _id, name, summary: count(designCount, "design") })),
    };
  }
  const projectId = url.searchParams.get(PROJECT) ?? projects[0]?._id;
  const designs =
    projectId === undefined ? [] : (await convex.preload(api.designs.getDesignsByProjectId, { projectId, sort: "name" })).value;
  return {
    item,
    choice: projectId === undefined ? null : { projectId, projects: projects.map(({ _id, name }) => ({ _id, name })) },
    targets: designs.map(({ _id, name, imageCount }) => ({ _id, name, summary: count(imageCount, "image") })),
  };
}

const intents = { restoreInto: trashIntents.restoreInto };
export const action = serverAction(intents);
export const clientAction = liveAction(intents);

export default function RestoreElsewhere({ loaderData: { item, choice, targets } }: Route.ComponentProps) {
  const { _id, name, kind } = item;
  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[{ to: href("/trash"), name: "Trash" }]} />}
        title={`Restore “${isolate(name)}” to another location`}
      />
      {choice ? (
        <Form method="get" className="flex flex-wrap items-end gap-2">
          <ProjectPicker name={PROJECT} projects={choice.projects} chosen={choice.projectId} />
        </Form>
      ) : null}
      <DestinationList
        key={choice?.projectId}
        intent="restoreInto"
        hidden={{ id: _id }}
        field="into"
        targets={targets}
        action="Restore here"
        nowhere={
          kind === "design"
            ? "No projects. Create one first."
            : "This project has no designs. Choose another project, or create a design first."
        }
      />
    </Page>
  );
}

import { isolate } from "~/lib/ui/isolate";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { href } from "react-router";
import { convexFor } from "~/lib/data/convex.server";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { designIntents } from "~/features/designs/intents";
import { serverAction } from "~/lib/forms/action.server";
import { liveAction } from "~/lib/forms/live-action";
import { creatingDestination, NewDestination } from "~/lib/forms/fields/new-destination";
import { projectIntents } from "~/features/projects/intents";
import { DestinationList } from "~/lib/forms/fields/destination-list";
import type { ProjectHandle } from "~/features/shell/open-project";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { count } from "~/lib/ui/count";
import { Page, PageHeader } from "~/lib/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/design.move";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(`Move ${isolate(loaderData?.design.value.name ?? "design")}`) },
];

export async function loader({ params: { id }, context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [design, projects] = await Promise.all([
    convex.preload(api.designs.getDesignById, { id }),
    convex.preload(api.projects.getProjects, { sort: "name" }),
  ]);
  const shared = design.value.role === undefined ? null : await convex.preload(api.members.listEditable, {});
  return { design, projects, shared: shared?.value ?? [] };
}

const { moveDesign, copyDesigns } = designIntents;
const intents = { moveDesign, copyDesigns, createProject: creatingDestination(projectIntents.createProject) };
export const action = serverAction(intents);
export const clientAction = liveAction(intents);
export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = {
  projectOf: ({ design: { value } }) => ({ _id: value.projectId, role: value.role }),
};

export const shouldRevalidate = liveRevalidation;

export default function MoveDesign({ loaderData }: Route.ComponentProps) {
  const design = useLive(loaderData.design);
  useTitle(titleOf(`Move ${isolate(design.name)}`));
  const projects = useLive(loaderData.projects);
  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[{ to: href("/design/:id", { id: design._id }), name: design.name }]} />}
        title="Move or copy to a project"
      />
      <DestinationList
        intent="moveDesign"
        hidden={{ id: design._id, ids: [design._id] }}
        copy="copyDesigns"
        current={design.projectId}
        field="projectId"
        targets={[...projects, ...loaderData.shared].map(({ _id, name, designCount }) => ({
          _id,
          name,
          summary: count(designCount, "design"),
        }))}
        nowhere="No projects. Create one."
      />
      <NewDestination key={`new ${projects.length}`} thing="project" intent="createProject" hidden={{}} />
    </Page>
  );
}

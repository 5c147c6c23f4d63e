import { href } from "react-router";
import { convexFor } from "~/data/convex.server";
import { liveRevalidation } from "~/data/should-revalidate";
import { useLive } from "~/data/use-live";
import { designIntents } from "~/designs/intents";
import { serverAction } from "~/forms/action.server";
import { liveAction } from "~/forms/live-action";
import { TargetList } from "~/forms/target-list";
import type { ProjectHandle } from "~/shell/open-project";
import { Breadcrumb } from "~/ui/breadcrumb";
import { count } from "~/ui/count";
import { Page, PageHeader } from "~/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/design.move";

export const meta: Route.MetaFunction = ({ loaderData }) => [{ title: `Move ${loaderData?.design.value.name ?? "design"} · Atelier` }];

export async function loader({ params: { id }, context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [design, projects] = await Promise.all([
    convex.preload(api.designs.getDesignById, { id }),
    convex.preload(api.projects.getProjects, { sort: "name" }),
  ]);
  return { design, projects };
}

const intents = { moveDesign: designIntents.moveDesign };
export const action = serverAction(intents);
export const clientAction = liveAction(intents);
export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ design }) => design.value.projectId };

export const shouldRevalidate = liveRevalidation;

/** Into which project a design is to go. */
export default function MoveDesign({ loaderData }: Route.ComponentProps) {
  const design = useLive(loaderData.design);
  const projects = useLive(loaderData.projects).filter(({ _id }) => _id !== design.projectId);
  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[{ to: href("/design/:id", { id: design._id }), name: design.name }]} />}
        title="Move to another project"
      />
      <TargetList
        intent="moveDesign"
        hidden={{ id: design._id }}
        field="projectId"
        targets={projects.map(({ _id, name, designCount }) => ({ _id, name, facts: count(designCount, "design") }))}
        nowhere="There is only one project. Make another one first."
      />
    </Page>
  );
}

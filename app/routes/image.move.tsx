import { Form, href } from "react-router";
import { convexFor } from "~/data/convex.server";
import { notFoundResponse } from "~/data/refusals";
import { liveRevalidation } from "~/data/should-revalidate";
import { useLive } from "~/data/use-live";
import { serverAction } from "~/forms/action.server";
import { liveAction } from "~/forms/live-action";
import { ProjectChoice } from "~/forms/project-choice";
import { TargetList } from "~/forms/target-list";
import { imageIntents } from "~/images/intents";
import type { ProjectHandle } from "~/shell/open-project";
import { Breadcrumb } from "~/ui/breadcrumb";
import { count } from "~/ui/count";
import { Page, PageHeader } from "~/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/image.move";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: `Move ${loaderData?.inPlace.value.image.name ?? "image"} · Atelier` },
];

/** The search parameter that names the project whose designs are offered; without it the image's own. */
const PROJECT = "project";

export async function loader({ params: { id, imageId }, context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [design, inPlace, projects] = await Promise.all([
    convex.preload(api.designs.getDesignById, { id }),
    convex.preload(api.designImages.getDesignImageInPlace, { id: imageId }),
    convex.preload(api.projects.getProjects, { sort: "name" }),
  ]);
  if (inPlace.value.image.designId !== design.value._id) throw notFoundResponse();
  const projectId = url.searchParams.get(PROJECT) ?? design.value.projectId;
  const designs = await convex.preload(api.designs.getDesignsByProjectId, { projectId, sort: "name" });
  return { design, inPlace, projects, designs, projectId };
}

const intents = { moveImage: imageIntents.moveImage };
export const action = serverAction(intents);
export const clientAction = liveAction(intents);
export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ design }) => design.value.projectId };

export const shouldRevalidate = liveRevalidation;

/** Into which design an image is to go. */
export default function MoveImage({ loaderData }: Route.ComponentProps) {
  const design = useLive(loaderData.design);
  const { image } = useLive(loaderData.inPlace);
  const projects = useLive(loaderData.projects);
  const designs = useLive(loaderData.designs).filter(({ _id }) => _id !== design._id);
  return (
    <Page>
      <PageHeader
        trail={
          <Breadcrumb
            trail={[
              { to: href("/design/:id", { id: design._id }), name: design.name },
              { to: href("/design/:id/images/:imageId", { id: design._id, imageId: image._id }), name: image.name },
            ]}
          />
        }
        title="Move to another design"
      />
      <Form method="get" className="flex flex-wrap items-end gap-2">
        <ProjectChoice name={PROJECT} projects={projects} chosen={loaderData.projectId} />
      </Form>
      <TargetList
        key={loaderData.projectId}
        intent="moveImage"
        hidden={{ id: image._id }}
        field="designId"
        targets={designs.map(({ _id, name, imageCount }) => ({ _id, name, facts: count(imageCount, "image") }))}
        nowhere="This project has no other design. Choose another project, or make a design first."
      />
    </Page>
  );
}

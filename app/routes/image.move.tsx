import { isolate } from "~/lib/ui/isolate";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { Form, href } from "react-router";
import { convexFor } from "~/lib/data/convex.server";
import { notFoundResponse } from "~/lib/data/error-responses";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { serverAction } from "~/lib/forms/action.server";
import { liveAction } from "~/lib/forms/live-action";
import { ProjectPicker } from "~/lib/forms/fields/project-picker";
import { DestinationList } from "~/lib/forms/fields/destination-list";
import { creatingDestination, NewDestination } from "~/lib/forms/fields/new-destination";
import { designIntents } from "~/features/designs/intents";
import { imageIntents } from "~/features/images/gallery/image-intents";
import type { ProjectHandle } from "~/features/shell/open-project";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { count } from "~/lib/ui/count";
import { Page, PageHeader } from "~/lib/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/image.move";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(`Move ${isolate(loaderData?.inPlace.value.image.name ?? "image")}`) },
];

const PROJECT = "project";

export async function loader({ params: { id, imageId }, context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [design, inPlace, projects] = await Promise.all([
    convex.preload(api.designs.getDesignById, { id }),
    convex.preload(api.designImages.getDesignImageInPlace, { id: imageId }),
    convex.preload(api.projects.getProjects, { sort: "name" }),
  ]);
  if (inPlace.value.image.designId !== design.value._id) throw notFoundResponse();
  const shared = design.value.role === undefined ? null : await convex.preload(api.members.listEditable, {});
  const projectId = url.searchParams.get(PROJECT) ?? design.value.projectId;
  const designs = await convex.preload(api.designs.getDesignsByProjectId, { projectId, sort: "name" });
  return { design, inPlace, projects, shared: shared?.value ?? [], designs, projectId };
}

const { moveImage, copyImages } = imageIntents;
const intents = { moveImage, copyImages, createDesign: creatingDestination(designIntents.createDesign) };
export const action = serverAction(intents);
export const clientAction = liveAction(intents);
export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = {
  projectOf: ({ design: { value } }) => ({ _id: value.projectId, role: value.role }),
};

export const shouldRevalidate = liveRevalidation;

export default function MoveImage({ loaderData }: Route.ComponentProps) {
  const design = useLive(loaderData.design);
  const { image } = useLive(loaderData.inPlace);
  useTitle(titleOf(`Move ${isolate(image.name)}`));
  const projects = useLive(loaderData.projects);
  const designs = useLive(loaderData.designs);
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
        title="Move or copy to a design"
      />
      <Form method="get" className="flex flex-wrap items-end gap-2">
        <ProjectPicker name={PROJECT} projects={[...projects, ...loaderData.shared]} chosen={loaderData.projectId} />
      </Form>
      <DestinationList
        key={loaderData.projectId}
        intent="moveImage"
        hidden={{ id: image._id, ids: [image._id] }}
        copy="copyImages"
        current={design._id}
        field="designId"
        targets={designs.map(({ _id, name, imageCount }) => ({ _id, name, summary: count(imageCount, "image") }))}
        nowhere="This project has no designs. Choose another project, or create a design."
      />
      <NewDestination
        key={`new ${loaderData.projectId} ${designs.length}`}
        thing="design"
        intent="createDesign"
        hidden={{ projectId: loaderData.projectId }}
      />
    </Page>
  );
}

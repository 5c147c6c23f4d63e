import { type ClientActionFunctionArgs, Form, href } from "react-router";
import { convexFor } from "~/lib/data/convex.server";
import { INTENT_FIELD, textOf } from "~/lib/forms/intents";
import { liveAction } from "~/lib/forms/live-action";
import { ProjectPicker } from "~/lib/forms/fields/project-picker";
import { DestinationList } from "~/lib/forms/fields/destination-list";
import { creatingDestination, NewDestination } from "~/lib/forms/fields/new-destination";
import { designIntents } from "~/features/designs/intents";
import { imageIntents } from "~/features/images/gallery/image-intents";
import { DESTINATION_PARAM, SELECTION_FIELDS } from "~/features/selection/address";
import { NothingSelected } from "~/features/selection/nothing-selected";
import { destinationAction } from "~/features/selection/destinations/destination-action.server";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { count } from "~/lib/ui/count";
import { Page, PageHeader } from "~/lib/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/move.images";

export const meta: Route.MetaFunction = () => [{ title: "Move images · Atelier" }];

const { moveImages, copyImages } = imageIntents;
const intents = { moveImages, copyImages, createDesign: creatingDestination(designIntents.createDesign) };
const PROJECT = "project";

export const action = (args: Route.ActionArgs) =>
  destinationAction(
    args,
    intents,
    async (sent, ids, selected) => {
      const convex = convexFor(args.context);
      const own = (await convex.preload(api.projects.getProjects, { sort: "name" })).value;
      const requested = sent.get(PROJECT);
      const current = await projectOf(args, ids, own[0]?._id ?? "");
      const isOwn = current === "" || own.some(({ _id }) => _id === current);
      const projects = isOwn ? own : [...own, ...(await convex.preload(api.members.listEditable, {})).value];
      const projectId = typeof requested === "string" ? requested : current;
      const designs = (await convex.preload(api.designs.getDesignsByProjectId, { projectId, sort: "name" })).value;
      return {
        ...selected,
        projectId,
        projects: projects.map(({ _id, name }) => ({ _id, name })),
        targets: designs.map(({ _id, name, imageCount }) => ({ _id, name, summary: count(imageCount, "image") })),
      };
    },
    [PROJECT],
  );

async function projectOf({ context }: Route.ActionArgs, [id]: string[], none: string): Promise<string> {
  if (id === undefined) return none;
  const convex = convexFor(context);
  const { image } = (await convex.preload(api.designImages.getDesignImageInPlace, { id })).value;
  return (await convex.preload(api.designs.getDesignById, { id: image.designId })).value.projectId;
}

export async function clientAction(args: ClientActionFunctionArgs) {
  const sent = await args.request.clone().formData();
  const asks = [DESTINATION_PARAM, "createDesign"].includes(textOf(sent, INTENT_FIELD));
  return asks ? args.serverAction<typeof action>() : liveAction(intents, [...SELECTION_FIELDS, PROJECT])(args);
}

export default function MoveImages({ actionData }: Route.ComponentProps) {
  const where = actionData && "where" in actionData ? actionData.where : null;
  if (!where || where.count === 0) return <NothingSelected thing="image" />;
  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[{ to: href("/projects"), name: "Projects" }]} />}
        title={`Move or copy ${count(where.count, "image")}`}
      />
      <Form method="post" className="flex flex-wrap items-end gap-2">
        <input type="hidden" name={INTENT_FIELD} value={DESTINATION_PARAM} />
        {Object.entries(where.fields).flatMap(([name, values]) =>
          [values].flat().map((value) => <input key={`${name} ${value}`} type="hidden" name={name} value={value} />),
        )}
        <ProjectPicker name={PROJECT} projects={where.projects} chosen={where.projectId} />
      </Form>
      <DestinationList
        key={where.projectId}
        intent="moveImages"
        hidden={{ ...where.fields, [PROJECT]: where.projectId }}
        field="designId"
        copy="copyImages"
        current={where.place}
        targets={where.targets}
        nowhere="This project has no designs. Choose another project, or create a design."
      />
      <NewDestination
        key={`new ${where.projectId} ${where.targets.length}`}
        thing="design"
        intent="createDesign"
        hidden={{ ...where.fields, [PROJECT]: where.projectId, projectId: where.projectId }}
      />
    </Page>
  );
}

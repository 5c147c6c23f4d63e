import { type ClientActionFunctionArgs, Form, href } from "react-router";
import { convexFor } from "~/data/convex.server";
import { INTENT_FIELD } from "~/forms/intents";
import { liveAction } from "~/forms/live-action";
import { ProjectChoice } from "~/forms/project-choice";
import { TargetList } from "~/forms/target-list";
import { imageIntents } from "~/images/intents";
import { CHOSEN_FIELD } from "~/selection/address";
import { NothingChosen } from "~/selection/nothing-chosen";
import { ASK_WHERE } from "~/selection/selection-bar";
import { askedWhere } from "~/selection/where.server";
import { Breadcrumb } from "~/ui/breadcrumb";
import { count } from "~/ui/count";
import { Page, PageHeader } from "~/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/move.images";

export const meta: Route.MetaFunction = () => [{ title: "Move images · Atelier" }];

const intents = { moveImages: imageIntents.moveImages };
const PROJECT = "project";

export const action = (args: Route.ActionArgs) =>
  askedWhere(args, intents, async (sent, ids) => {
    const convex = convexFor(args.context);
    const projects = (await convex.preload(api.projects.getProjects, { sort: "name" })).value;
    const asked = sent.get(PROJECT);
    const projectId = typeof asked === "string" ? asked : await projectOf(args, ids, projects[0]?._id ?? "");
    const designs = (await convex.preload(api.designs.getDesignsByProjectId, { projectId, sort: "name" })).value;
    return {
      ids,
      projectId,
      projects: projects.map(({ _id, name }) => ({ _id, name })),
      targets: designs.map(({ _id, name, imageCount }) => ({ _id, name, facts: count(imageCount, "image") })),
    };
  });

/** The project that the first of the images is in. */
async function projectOf({ context }: Route.ActionArgs, [id]: string[], none: string): Promise<string> {
  if (id === undefined) return none;
  const convex = convexFor(context);
  const { image } = (await convex.preload(api.designImages.getDesignImageInPlace, { id })).value;
  return (await convex.preload(api.designs.getDesignById, { id: image.designId })).value.projectId;
}

export async function clientAction(args: ClientActionFunctionArgs) {
  const sent = await args.request.clone().formData();
  return sent.get(INTENT_FIELD) === ASK_WHERE ? args.serverAction<typeof action>() : liveAction(intents)(args);
}

/** Into which design the images that were chosen are to go. */
export default function MoveImages({ actionData }: Route.ComponentProps) {
  const where = actionData && "where" in actionData ? actionData.where : null;
  if (!where || where.ids.length === 0) return <NothingChosen thing="image" />;
  const ids = where.ids.join(",");
  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[{ to: href("/projects"), name: "Projects" }]} />}
        title={`Move ${count(where.ids.length, "image")}`}
      />
      <Form method="post" className="flex flex-wrap items-end gap-2">
        <input type="hidden" name={INTENT_FIELD} value={ASK_WHERE} />
        <input type="hidden" name={CHOSEN_FIELD} value={ids} />
        <ProjectChoice name={PROJECT} projects={where.projects} chosen={where.projectId} />
      </Form>
      <TargetList
        key={where.projectId}
        intent="moveImages"
        hidden={{ ids, [PROJECT]: where.projectId }}
        field="designId"
        targets={where.targets}
        nowhere="This project has no design. Choose another project, or make a design first."
      />
    </Page>
  );
}

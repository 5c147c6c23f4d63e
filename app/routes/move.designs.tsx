import { type ClientActionFunctionArgs, href } from "react-router";
import { convexFor } from "~/lib/data/convex.server";
import { designIntents } from "~/features/designs/intents";
import { projectIntents } from "~/features/projects/intents";
import { INTENT_FIELD, textOf } from "~/lib/forms/intents";
import { liveAction } from "~/lib/forms/live-action";
import { DestinationList } from "~/lib/forms/fields/destination-list";
import { creatingDestination, NewDestination } from "~/lib/forms/fields/new-destination";
import { SELECTION_FIELDS } from "~/features/selection/address";
import { NothingSelected } from "~/features/selection/nothing-selected";
import { DESTINATION_PARAM } from "~/features/selection/address";
import { destinationAction } from "~/features/selection/destinations/destination-action.server";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { count } from "~/lib/ui/count";
import { Page, PageHeader } from "~/lib/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/move.designs";

export const meta: Route.MetaFunction = () => [{ title: "Move designs · Atelier" }];

const { moveDesigns, copyDesigns } = designIntents;
const intents = { moveDesigns, copyDesigns, createProject: creatingDestination(projectIntents.createProject) };

export const action = (args: Route.ActionArgs) =>
  destinationAction(args, intents, async (_sent, _ids, selected) => {
    const convex = convexFor(args.context);
    const own = (await convex.preload(api.projects.getProjects, { sort: "name" })).value;
    const isOwn = selected.place === undefined || own.some(({ _id }) => _id === selected.place);
    const shared = isOwn ? [] : (await convex.preload(api.members.listEditable, {})).value;
    return {
      ...selected,
      projects: [...own, ...shared].map(({ _id, name, designCount }) => ({ _id, name, summary: count(designCount, "design") })),
    };
  });

export async function clientAction(args: ClientActionFunctionArgs) {
  const sent = await args.request.clone().formData();
  const asks = [DESTINATION_PARAM, "createProject"].includes(textOf(sent, INTENT_FIELD));
  return asks ? args.serverAction<typeof action>() : liveAction(intents, SELECTION_FIELDS)(args);
}

export default function MoveDesigns({ actionData }: Route.ComponentProps) {
  const where = actionData && "where" in actionData ? actionData.where : null;
  if (!where || where.count === 0) return <NothingSelected thing="design" />;
  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[{ to: href("/projects"), name: "Projects" }]} />}
        title={`Move or copy ${count(where.count, "design")}`}
      />
      <DestinationList
        intent="moveDesigns"
        hidden={where.fields}
        field="projectId"
        copy="copyDesigns"
        current={where.place}
        targets={where.projects}
        nowhere="No projects. Create one."
      />
      <NewDestination key={`new ${where.projects.length}`} thing="project" intent="createProject" hidden={where.fields} />
    </Page>
  );
}

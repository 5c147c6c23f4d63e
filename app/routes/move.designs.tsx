import { type ClientActionFunctionArgs, href } from "react-router";
import { convexFor } from "~/lib/data/convex.server";
import { designIntents } from "~/features/designs/intents";
import { INTENT_FIELD } from "~/lib/forms/intents";
import { liveAction } from "~/lib/forms/live-action";
import { DestinationList } from "~/lib/forms/fields/destination-list";
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
const intents = { moveDesigns, copyDesigns };

export const action = (args: Route.ActionArgs) =>
  destinationAction(args, intents, async (_sent, _ids, selected) => {
    const { value } = await convexFor(args.context).preload(api.projects.getProjects, { sort: "name" });
    return { ...selected, projects: value.map(({ _id, name, designCount }) => ({ _id, name, facts: count(designCount, "design") })) };
  });

export async function clientAction(args: ClientActionFunctionArgs) {
  const sent = await args.request.clone().formData();
  return sent.get(INTENT_FIELD) === DESTINATION_PARAM ? args.serverAction<typeof action>() : liveAction(intents)(args);
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
        targets={where.projects}
        nowhere="There is no project. Create one first."
      />
    </Page>
  );
}

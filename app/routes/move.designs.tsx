import { type ClientActionFunctionArgs, href } from "react-router";
import { convexFor } from "~/data/convex.server";
import { designIntents } from "~/designs/intents";
import { INTENT_FIELD } from "~/forms/intents";
import { liveAction } from "~/forms/live-action";
import { TargetList } from "~/forms/target-list";
import { NothingChosen } from "~/selection/nothing-chosen";
import { ASK_WHERE } from "~/selection/selection-bar";
import { askedWhere } from "~/selection/where.server";
import { Breadcrumb } from "~/ui/breadcrumb";
import { count } from "~/ui/count";
import { Page, PageHeader } from "~/ui/page";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/move.designs";

export const meta: Route.MetaFunction = () => [{ title: "Move designs · Atelier" }];

const intents = { moveDesigns: designIntents.moveDesigns };

export const action = (args: Route.ActionArgs) =>
  askedWhere(args, intents, async (_, ids) => {
    const { value } = await convexFor(args.context).preload(api.projects.getProjects, { sort: "name" });
    return { ids, projects: value.map(({ _id, name, designCount }) => ({ _id, name, facts: count(designCount, "design") })) };
  });

export async function clientAction(args: ClientActionFunctionArgs) {
  const sent = await args.request.clone().formData();
  return sent.get(INTENT_FIELD) === ASK_WHERE ? args.serverAction<typeof action>() : liveAction(intents)(args);
}

/** Into which project the designs that were chosen are to go. */
export default function MoveDesigns({ actionData }: Route.ComponentProps) {
  const where = actionData && "where" in actionData ? actionData.where : null;
  if (!where || where.ids.length === 0) return <NothingChosen thing="design" />;
  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[{ to: href("/projects"), name: "Projects" }]} />}
        title={`Move ${count(where.ids.length, "design")}`}
      />
      <TargetList
        intent="moveDesigns"
        hidden={{ ids: where.ids.join(",") }}
        field="projectId"
        targets={where.projects}
        nowhere="There is no project. Make one first."
      />
    </Page>
  );
}

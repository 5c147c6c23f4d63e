import { type ClientActionFunctionArgs, href } from "react-router";
import { offerTransfer } from "~/features/accounts/transfers/offer-transfer.server";
import { OFFER_TRANSFER, transferIntents } from "~/features/accounts/transfers/transfer-intents";
import { OwnersTransfer, RecipientsTransfer } from "~/features/accounts/transfers/transfer-view";
import { projectsCrumb } from "~/features/projects/projects-crumb";
import type { ProjectHandle } from "~/features/shell/open-project";
import { convexFor } from "~/lib/data/convex.server";
import type { PreloadOf } from "~/lib/data/preload";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import { useLive } from "~/lib/data/use-live";
import { serverAction } from "~/lib/forms/action.server";
import { INTENT_FIELD, textOf } from "~/lib/forms/intents";
import { liveAction } from "~/lib/forms/live-action";
import { readFormData } from "~/lib/http/forms/form.server";
import { isolate } from "~/lib/ui/isolate";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { Page, PageHeader } from "~/lib/ui/page";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/project.transfer";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(`Transfer of ${isolate(loaderData?.project.value.name ?? "project")}`) },
];

const MEMBERS_SHOWN = 200;

export async function loader({ params: { id }, context }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const [project, transfer, members] = await Promise.all([
    convex.preload(api.projects.getProjectById, { id }),
    convex.preload(api.transfers.get, { projectId: id }),
    convex.preload(api.members.list, { projectId: id, paginationOpts: { cursor: null, numItems: MEMBERS_SHOWN } }),
  ]);
  return { project, transfer, members };
}

export async function action(args: Route.ActionArgs) {
  const sent = await readFormData(args.request);
  return textOf(sent, INTENT_FIELD) === OFFER_TRANSFER ? offerTransfer(args.params.id)(args) : serverAction(transferIntents)(args);
}

const runLive = liveAction(transferIntents);

export async function clientAction(args: ClientActionFunctionArgs) {
  const sent = await args.request.clone().formData();
  return textOf(sent, INTENT_FIELD) === OFFER_TRANSFER ? args.serverAction() : runLive(args);
}

export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ project }) => project.value };
export const shouldRevalidate = liveRevalidation;

export default function ProjectTransfer({ loaderData }: Route.ComponentProps) {
  const project = useLive(loaderData.project);
  useTitle(titleOf(`Transfer of ${isolate(project.name)}`));
  const { isOwner, transfer } = useLive(loaderData.transfer);
  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[projectsCrumb(project), { to: href("/projects/:id", { id: project._id }), name: project.name }]} />}
        title="Transfer"
      />
      {transfer?.isForMe ? (
        <RecipientsTransfer transfer={transfer} />
      ) : isOwner ? (
        <Owners projectId={project._id} transfer={transfer} members={loaderData.members} />
      ) : (
        <p className="text-soft">No transfer is offered to you. Only the owner can offer one.</p>
      )}
    </Page>
  );
}

type OwnersProps = {
  projectId: string;
  transfer: Parameters<typeof OwnersTransfer>[0]["transfer"];
  members: PreloadOf<typeof api.members.list>;
};

function Owners({ members, ...rest }: OwnersProps) {
  return <OwnersTransfer {...rest} members={useLive(members).page} />;
}

import { type ClientActionFunctionArgs, href } from "react-router";
import { inviteToProject } from "~/features/accounts/invitations/project-invitations.server";
import { mailProviderLink } from "~/features/accounts/mail/mail-provider-link";
import { MuteForm } from "~/features/notifications/settings/mute-form";
import { muteIntents } from "~/features/notifications/settings/setting-intents";
import { MemberList } from "~/features/projects/member-list";
import { Invitations } from "~/features/projects/invitations";
import { INVITE, memberIntents } from "~/features/projects/member-intents";
import { projectsCrumb } from "~/features/projects/projects-crumb";
import type { ProjectHandle } from "~/features/shell/open-project";
import { convexFor } from "~/lib/data/convex.server";
import { LATER_PAGES } from "~/lib/data/pagination/pages";
import { useEndless } from "~/lib/data/pagination/use-endless";
import { liveRevalidation } from "~/lib/data/should-revalidate";
import type { PreloadOf } from "~/lib/data/preload";
import { useLive } from "~/lib/data/use-live";
import { serverAction } from "~/lib/forms/action.server";
import { INTENT_FIELD, textOf } from "~/lib/forms/intents";
import { liveAction } from "~/lib/forms/live-action";
import { configContext } from "~/lib/http/context";
import { readFormData } from "~/lib/http/forms/form.server";
import { ButtonLink } from "~/lib/ui/inputs/button";
import { isolate } from "~/lib/ui/isolate";
import { Breadcrumb } from "~/lib/ui/navigation/breadcrumb";
import { MorePages } from "~/lib/ui/navigation/more-pages";
import { Page, PageHeader } from "~/lib/ui/page";
import { titleOf, useTitle } from "~/lib/ui/use-title";
import { api } from "#convex/_generated/api";
import type { Route } from "./+types/project.members";

export const meta: Route.MetaFunction = ({ loaderData }) => [
  { title: titleOf(`Members of ${isolate(loaderData?.project.value.name ?? "project")}`) },
];

const SHOWN = 50;

export async function loader({ params: { id }, context, url }: Route.LoaderArgs) {
  const convex = convexFor(context);
  const cursor = url.searchParams.get(LATER_PAGES);
  const [project, owner, members, muted] = await Promise.all([
    convex.preload(api.projects.getProjectById, { id }),
    convex.preload(api.members.getOwner, { projectId: id }),
    convex.preload(api.members.list, { projectId: id, paginationOpts: { cursor, numItems: SHOWN } }),
    convex.preload(api.notificationSettings.isMuted, { projectId: id }),
  ]);
  const invitations = owner.value.mayManage ? await convex.preload(api.invitations.list, { projectId: id }) : null;
  const mail = mailProviderLink(context.get(configContext)) !== null;
  return { project, owner, members, invitations, mail, muted, isFirst: cursor === null };
}

export async function action(args: Route.ActionArgs) {
  const { request, context, params } = args;
  const sent = await readFormData(request);
  if (textOf(sent, INTENT_FIELD) !== INVITE) return serverAction(intents)(args);
  return inviteToProject({ request, context, projectId: params.id, sent });
}

const intents = { ...memberIntents, ...muteIntents };
const runLive = liveAction(intents);

export async function clientAction(args: ClientActionFunctionArgs) {
  const sent = await args.request.clone().formData();
  return textOf(sent, INTENT_FIELD) === INVITE ? args.serverAction() : runLive(args);
}

export const handle: ProjectHandle<Route.ComponentProps["loaderData"]> = { projectOf: ({ project }) => project.value };
export const shouldRevalidate = liveRevalidation;

export default function ProjectMembers({ loaderData }: Route.ComponentProps) {
  const project = useLive(loaderData.project);
  useTitle(titleOf(`Members of ${isolate(project.name)}`));
  const owner = useLive(loaderData.owner);
  const isMuted = useLive(loaderData.muted);
  const page = useEndless(loaderData.members);
  return (
    <Page>
      <PageHeader
        trail={<Breadcrumb trail={[projectsCrumb(project), { to: href("/projects/:id", { id: project._id }), name: project.name }]} />}
        title="Members"
      >
        {owner.isMe ? <ButtonLink to={href("/projects/:id/transfer", { id: project._id })}>Transfer project</ButtonLink> : null}
      </PageHeader>
      <MemberList projectId={project._id} owner={owner} members={page.rows} />
      {loaderData.invitations ? (
        <LiveInvitations projectId={project._id} preloaded={loaderData.invitations} mail={loaderData.mail} />
      ) : null}
      <div className="flex max-w-3xl flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <p className="text-soft">
          {isMuted
            ? "You muted this project: its notifications are marked as read, and you get no emails about it."
            : "You get notifications about this project."}
        </p>
        <MuteForm projectId={project._id} isMuted={isMuted} />
      </div>
      <MorePages itemNoun="members" page={{ ...page, isFirst: loaderData.isFirst }} />
    </Page>
  );
}

type LiveInvitationsProps = { projectId: string; preloaded: PreloadOf<typeof api.invitations.list>; mail: boolean };

function LiveInvitations({ preloaded, ...rest }: LiveInvitationsProps) {
  return <Invitations invitations={useLive(preloaded)} {...rest} />;
}

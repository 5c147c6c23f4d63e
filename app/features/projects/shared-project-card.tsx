import type { FunctionReturnType } from "convex/server";
import { LogOut } from "lucide";
import { memo } from "react";
import { href } from "react-router";
import { projectArchive } from "~/features/downloads/download-address";
import { MenuAction } from "~/lib/forms/dialogs/menu-action";
import { ItemActions } from "~/lib/forms/items/item-actions";
import { count } from "~/lib/ui/count";
import { Icon } from "~/lib/ui/icons/icon";
import { isolate } from "~/lib/ui/isolate";
import type { api } from "#convex/_generated/api";
import { ContainerCard, type OpenDialog, SEPARATOR } from "./container-card";
import { ROLE_NAMES } from "./member-list";
import { MembersLink } from "./members-link";

type SharedProject = FunctionReturnType<typeof api.members.listSharedProjects>["page"][number];

export const SharedProjectCard = memo(function SharedProjectCard({
  project,
  openDialog,
}: {
  project: SharedProject;
  openDialog: OpenDialog;
}) {
  const { _id, designCount, imageCount, owner, role, members } = project;
  return (
    <ContainerCard
      kind="project"
      item={project}
      to={href("/projects/:id", { id: _id })}
      archive={projectArchive(project)}
      counts={[`by ${isolate(owner.name)}`, ROLE_NAMES[role], count(designCount, "design"), count(imageCount, "image")]}
      people={[owner, ...members].map(({ name }) => name).join(SEPARATOR)}
      openDialog={openDialog}
      remove="removeProject"
      isManual={false}
    >
      <ItemActions thing="Project" item={project} />
      <MembersLink projectId={_id} />
      <MenuAction intent="leaveProject" values={{ projectId: _id }} icon={<Icon of={LogOut} />} danger>
        Leave project
      </MenuAction>
    </ContainerCard>
  );
});

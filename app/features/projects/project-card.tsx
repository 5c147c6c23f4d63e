import { memo } from "react";
import { href } from "react-router";
import { projectArchive } from "~/features/downloads/download-address";
import { ItemActions } from "~/lib/forms/items/item-actions";
import { OrderActions } from "~/lib/forms/items/order-actions";
import { count } from "~/lib/ui/count";
import { type OpenDialog, ContainerCard } from "./container-card";
import type { Project } from "./intents";
import { MembersLink } from "./members-link";

type ProjectCardProps = { project: Project; openDialog: OpenDialog; isManual: boolean; people: string };

export const ProjectCard = memo(function ProjectCard({ project, openDialog, isManual, people }: ProjectCardProps) {
  const { _id, designCount, imageCount } = project;
  return (
    <ContainerCard
      kind="project"
      item={project}
      to={href("/projects/:id", { id: _id })}
      archive={projectArchive(project)}
      counts={[count(designCount, "design"), count(imageCount, "image")]}
      people={people}
      openDialog={openDialog}
      remove="removeProject"
      isManual={isManual}
    >
      <ItemActions thing="Project" item={project} />
      <MembersLink projectId={_id} />
      {isManual ? <OrderActions intent="orderProject" id={_id} /> : null}
    </ContainerCard>
  );
});

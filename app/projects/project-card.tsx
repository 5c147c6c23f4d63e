import { memo } from "react";
import { href } from "react-router";
import { projectArchive } from "~/archives/address";
import { DragHandle } from "~/arranging/drag-handle";
import { isPending } from "~/data/pending";
import { ItemMenu } from "~/forms/item-menu";
import { OrderActions } from "~/forms/order-actions";
import { Mosaic } from "~/images/mosaic";
import { count } from "~/ui/count";
import { targetProps } from "~/uploads/target";
import { FavouriteMark } from "~/ui/favourite-mark";
import { ItemCard } from "~/ui/item-card";
import { RelativeTime } from "~/ui/relative-time";
import type { Project } from "./intents";
import { ProjectActions } from "./project-actions";

type ProjectCardProps = {
  project: Project;
  ask: Parameters<typeof ItemMenu>[0]["ask"];
  /** Whether the list is in the order made by hand, which can then be changed. */
  byHand: boolean;
};

/** A project in the list; rendered again when it has changed itself. */
export const ProjectCard = memo(function ProjectCard({ project, ask, byHand }: ProjectCardProps) {
  const { _id, name, designCount, imageCount, updatedAt, cover } = project;
  return (
    <ItemCard
      item={project}
      marks={targetProps({ kind: "project", id: _id, name })}
      to={isPending(_id) ? null : href("/projects/:id", { id: _id })}
      name={name}
      cover={<Mosaic cover={cover} />}
      facts={
        <>
          {project.favourite ? <FavouriteMark /> : null}
          <span>{count(designCount, "design")}</span>
          <span>{count(imageCount, "image")}</span>
          <span>
            edited <RelativeTime at={updatedAt} />
          </span>
        </>
      }
      actions={
        <>
          {byHand ? <DragHandle item={project} /> : null}
          <ItemMenu item={project} ask={ask} archive={projectArchive(project)}>
            <ProjectActions project={project} />
            {byHand ? <OrderActions intent="orderProject" id={_id} /> : null}
          </ItemMenu>
        </>
      }
    />
  );
});

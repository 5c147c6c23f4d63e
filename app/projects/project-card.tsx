import { href } from "react-router";
import { projectArchive } from "~/archives/address";
import { isPending } from "~/data/pending";
import { ItemMenu } from "~/forms/item-dialogs";
import { Mosaic } from "~/images/mosaic";
import { count } from "~/ui/count";
import { targetProps } from "~/uploads/target";
import { ItemCard } from "~/ui/item-card";
import { RelativeTime } from "~/ui/relative-time";
import type { Project } from "./intents";

/** A project in the list. */
export function ProjectCard({ project, ask }: { project: Project; ask: Parameters<typeof ItemMenu>[0]["ask"] }) {
  const { _id, name, designCount, imageCount, updatedAt, cover } = project;
  return (
    <ItemCard
      marks={targetProps({ kind: "project", id: _id, name })}
      to={isPending(_id) ? null : href("/projects/:id", { id: _id })}
      name={name}
      cover={<Mosaic cover={cover} />}
      facts={
        <>
          <span>{count(designCount, "design")}</span>
          <span>{count(imageCount, "image")}</span>
          <span>
            edited <RelativeTime at={updatedAt} />
          </span>
        </>
      }
      actions={<ItemMenu item={project} ask={ask} archive={projectArchive(project)} />}
    />
  );
}

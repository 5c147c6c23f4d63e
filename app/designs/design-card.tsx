import { href } from "react-router";
import { designArchive } from "~/archives/address";
import { isPending } from "~/data/pending";
import { ItemMenu } from "~/forms/item-dialogs";
import { Mosaic } from "~/images/mosaic";
import { count } from "~/ui/count";
import { targetProps } from "~/uploads/target";
import { ItemCard } from "~/ui/item-card";
import { RelativeTime } from "~/ui/relative-time";
import type { Design } from "./intents";

/** A design in its project. */
export function DesignCard({ design, ask }: { design: Design; ask: Parameters<typeof ItemMenu>[0]["ask"] }) {
  const { _id, name, imageCount, updatedAt, cover } = design;
  return (
    <ItemCard
      marks={targetProps({ kind: "design", id: _id, name })}
      to={isPending(_id) ? null : href("/design/:id", { id: _id })}
      name={name}
      cover={<Mosaic cover={cover} />}
      facts={
        <>
          <span>{count(imageCount, "image")}</span>
          <span>
            edited <RelativeTime at={updatedAt} />
          </span>
        </>
      }
      actions={<ItemMenu item={design} ask={ask} archive={designArchive(design)} />}
    />
  );
}

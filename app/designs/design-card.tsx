import { Copy, FolderInput, Layers, Star } from "lucide-react";
import { memo } from "react";
import { href } from "react-router";
import { designArchive } from "~/archives/address";
import { DragHandle } from "~/arranging/drag-handle";
import { isPending } from "~/data/pending";
import { ItemMenu } from "~/forms/item-menu";
import { MenuAction } from "~/forms/menu-action";
import { OrderActions } from "~/forms/order-actions";
import { Mosaic } from "~/images/mosaic";
import { count } from "~/ui/count";
import { targetProps } from "~/uploads/target";
import { PickBox, PickMark } from "~/selection/pick";
import { sameThing, type Selection } from "~/selection/use-selection";
import { FavouriteMark } from "~/ui/favourite-mark";
import { Icon } from "~/ui/icon";
import { ItemCard } from "~/ui/item-card";
import { MenuLink } from "~/ui/menu";
import { RelativeTime } from "~/ui/relative-time";
import type { Design } from "./intents";

type DesignCardProps = {
  design: Design;
  ask: Parameters<typeof ItemMenu>[0]["ask"];
  /** Whether the list is in the order made by hand, which can then be changed. */
  byHand: boolean;
  selection: Selection;
};

/** A design in its project; rendered again when it, or whether it is chosen, has changed. */
export const DesignCard = memo(
  OneDesign,
  sameThing<DesignCardProps>(({ design }) => design._id),
);

function OneDesign({ design, ask, byHand, selection }: DesignCardProps) {
  const { _id, name, imageCount, updatedAt, cover } = design;
  return (
    <ItemCard
      item={design}
      marks={targetProps({ kind: "design", id: _id, name })}
      to={isPending(_id) ? null : href("/design/:id", { id: _id })}
      name={name}
      pick={selection.on ? <PickBox item={design} selection={selection} /> : <PickMark item={design} selection={selection} />}
      picking={selection.on}
      cover={<Mosaic cover={cover} />}
      facts={
        <>
          {design.favourite ? <FavouriteMark /> : null}
          <span>{count(imageCount, "image")}</span>
          <span>
            edited <RelativeTime at={updatedAt} />
          </span>
        </>
      }
      actions={
        <>
          {byHand ? <DragHandle item={design} /> : null}
          <ItemMenu item={design} ask={ask} archive={designArchive(design)}>
            <MenuAction intent="favouriteDesign" values={{ id: _id, favourite: design.favourite ? "" : "yes" }} icon={<Icon of={Star} />}>
              {design.favourite ? "No favourite" : "Favourite"}
            </MenuAction>
            <MenuAction intent="duplicateDesign" values={{ id: _id }} icon={<Icon of={Copy} />}>
              Duplicate
            </MenuAction>
            {design.coverChosen ? (
              <MenuAction intent="latestCoverDesign" values={{ id: _id }} icon={<Icon of={Layers} />}>
                Latest images as cover
              </MenuAction>
            ) : null}
            {byHand ? <OrderActions intent="orderDesign" id={_id} /> : null}
            <MenuLink to={href("/design/:id/move", { id: _id })} prefetch="none" icon={<Icon of={FolderInput} />}>
              Move to…
            </MenuLink>
          </ItemMenu>
        </>
      }
    />
  );
}

import { memo } from "react";
import { href } from "react-router";
import { designArchive } from "~/archives/address";
import { DragHandle } from "~/arranging/drag-handle";
import { isPending } from "~/data/pending";
import { ItemMenu } from "~/forms/item-menu";
import { OrderActions } from "~/forms/order-actions";
import { Mosaic } from "~/images/mosaic";
import { count } from "~/ui/count";
import { targetProps } from "~/uploads/target";
import { PickBox, PickMark } from "~/selection/pick";
import { sameThing, type Selection } from "~/selection/use-selection";
import { FavouriteMark } from "~/ui/favourite-mark";
import { ItemCard } from "~/ui/item-card";
import { RelativeTime } from "~/ui/relative-time";
import { DesignActions } from "./design-actions";
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
            <DesignActions design={design}>{byHand ? <OrderActions intent="orderDesign" id={_id} /> : null}</DesignActions>
          </ItemMenu>
        </>
      }
    />
  );
}

import { memo } from "react";
import { href } from "react-router";
import { designArchive } from "~/features/downloads/download-address";
import { type OpenDialog, ContainerCard } from "~/features/projects/container-card";
import { ReviewMark } from "~/features/review/review-mark";
import { SelectCheckbox, SelectMark } from "~/features/selection/selectable";
import { isSameItem } from "~/features/selection/is-same-item";
import { selectFirst, type Selection } from "~/features/selection/use-selection";
import { OrderActions } from "~/lib/forms/items/order-actions";
import { count } from "~/lib/ui/count";
import { DesignActions } from "./design-actions";
import type { Design } from "./intents";

type DesignCardProps = { design: Design; openDialog: OpenDialog; isManual: boolean; selection: Selection };

export const DesignCard = memo(
  OneDesign,
  isSameItem<DesignCardProps>(({ design }) => design._id),
);

function OneDesign({ design, openDialog, isManual, selection }: DesignCardProps) {
  const { _id, imageCount } = design;
  const Pick = selection.on ? SelectCheckbox : SelectMark;
  return (
    <ContainerCard
      kind="design"
      item={design}
      to={href("/design/:id", { id: _id })}
      archive={designArchive(design)}
      counts={[count(imageCount, "image")]}
      openDialog={openDialog}
      remove="removeDesign"
      select={() => selectFirst(selection, _id)}
      isManual={isManual}
      mark={design.review ? <ReviewMark status={design.review.status} /> : null}
      pick={<Pick item={design} selection={selection} />}
      picking={selection.on}
    >
      <DesignActions design={design} openDialog={openDialog}>
        {isManual ? <OrderActions intent="orderDesign" id={_id} /> : null}
      </DesignActions>
    </ContainerCard>
  );
}

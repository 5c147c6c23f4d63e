import { FolderInput } from "lucide";
import type { ReactNode } from "react";
import { href } from "react-router";
import type { OpenDialog } from "~/features/projects/container-card";
import { ReviewMenuLinks } from "~/features/review/review-dialog";
import { ItemActions } from "~/lib/forms/items/item-actions";
import { ShareLink } from "~/lib/forms/items/share-link";
import { requestDestination } from "~/features/selection/destinations/request-destination";
import { useMayRun } from "~/lib/rights/rights";
import { Icon } from "~/lib/ui/icons/icon";
import { MenuLink } from "~/lib/ui/overlays/menu";

type DesignActionsProps = {
  design: { _id: string; name: string; projectId: string; favourite: boolean; coverChosen: boolean };
  openDialog?: OpenDialog;
  isPageItem?: boolean;
  children?: ReactNode;
};

export function DesignActions({ design, openDialog, isPageItem = false, children }: DesignActionsProps) {
  const mayMove = useMayRun()("moveDesign");
  return (
    <>
      <ItemActions thing="Design" item={design} isPageItem={isPageItem} />
      {children}
      <ReviewMenuLinks item={design} projectId={design.projectId} openDialog={openDialog} commandNoun={isPageItem ? "design" : undefined} />
      <ShareLink projectId={design.projectId} itemId={design._id} command={isPageItem ? "Public links of the design" : undefined} />
      {mayMove ? (
        <MenuLink
          to={href("/design/:id/move", { id: design._id })}
          prefetch="none"
          icon={<Icon of={FolderInput} />}
          data-command={isPageItem ? "Move design to…" : undefined}
          onClick={(event) => {
            const request = { kind: "design", ids: [design._id], from: design.projectId, staysOnPage: !isPageItem } as const;
            if (requestDestination(request)) event.preventDefault();
          }}
        >
          Move to…
        </MenuLink>
      ) : null}
    </>
  );
}

import { Copy, Folder, FolderInput, Layers, RotateCcw, RotateCw } from "lucide";
import type { ReactNode } from "react";
import { href } from "react-router";
import type { OpenItemDialog } from "~/lib/forms/dialogs/item-dialogs";
import { MenuAction } from "~/lib/forms/dialogs/menu-action";
import { ReviewMenuLinks } from "~/features/review/review-dialog";
import { requestDestination } from "~/features/selection/destinations/request-destination";
import { ShareLink } from "~/lib/forms/items/share-link";
import { useMayRun } from "~/lib/rights/rights";
import { Icon } from "~/lib/ui/icons/icon";
import { MenuLink } from "~/lib/ui/overlays/menu";

type ImageActionsProps = {
  image: { _id: string; name: string; designId: string };
  openDialog?: (requested: OpenItemDialog) => void;
  projectId: string;
  commandForm?: { form: string };
  children?: ReactNode;
};

export function ImageActions({ image, openDialog, projectId, commandForm, children }: ImageActionsProps) {
  const { _id, designId } = image;
  const mayMove = useMayRun()("moveImage");
  const called = (command: string) => (commandForm ? { command, form: commandForm.form } : {});
  return (
    <>
      <MenuAction intent="duplicateImage" values={{ id: _id }} icon={<Icon of={Copy} />} {...called("Duplicate image")}>
        Duplicate
      </MenuAction>
      {children}
      <MenuAction
        intent="rotateImage"
        values={{ id: _id, direction: "left" }}
        icon={<Icon of={RotateCcw} />}
        {...called("Rotate image left")}
      >
        Rotate left
      </MenuAction>
      <MenuAction
        intent="rotateImage"
        values={{ id: _id, direction: "right" }}
        icon={<Icon of={RotateCw} />}
        {...called("Rotate image right")}
      >
        Rotate right
      </MenuAction>
      <MenuAction
        intent="coverDesign"
        values={{ id: designId, imageId: _id }}
        icon={<Icon of={Layers} />}
        {...called("Use image as design cover")}
      >
        Use as design cover
      </MenuAction>
      <MenuAction
        intent="coverProject"
        values={{ id: projectId, imageId: _id }}
        icon={<Icon of={Folder} />}
        {...called("Use image as project cover")}
      >
        Use as project cover
      </MenuAction>
      <ReviewMenuLinks item={image} projectId={projectId} openDialog={openDialog} commandNoun={commandForm && "image"} />
      <ShareLink projectId={projectId} itemId={_id} command={commandForm ? "Public links of the image" : undefined} />
      {mayMove ? (
        <MenuLink
          to={href("/design/:id/images/:imageId/move", { id: designId, imageId: _id })}
          prefetch="none"
          icon={<Icon of={FolderInput} />}
          data-command={commandForm ? "Move image to…" : undefined}
          onClick={(event) => {
            const request = { kind: "image", ids: [_id], from: designId, staysOnPage: !commandForm } as const;
            if (requestDestination(request)) event.preventDefault();
          }}
        >
          Move to…
        </MenuLink>
      ) : null}
    </>
  );
}

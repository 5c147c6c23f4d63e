import { Copy, Folder, FolderInput, Layers } from "lucide-react";
import type { ReactNode } from "react";
import { href } from "react-router";
import { MenuAction } from "~/forms/menu-action";
import { Icon } from "~/ui/icon";
import { MenuLink } from "~/ui/menu";

type ImageActionsProps = {
  image: { _id: string; designId: string };
  projectId: string;
  /** Where it is what the page is about, so that the palette offers it: the form of what is done there. */
  here?: { form: string };
  /** What comes before the covers. */
  children?: ReactNode;
};

/** What a menu does with an image. */
export function ImageActions({ image: { _id, designId }, projectId, here, children }: ImageActionsProps) {
  const called = (command: string) => (here ? { command, form: here.form } : {});
  return (
    <>
      <MenuAction intent="duplicateImage" values={{ id: _id }} icon={<Icon of={Copy} />} {...called("Duplicate image")}>
        Duplicate
      </MenuAction>
      {children}
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
      <MenuLink
        to={href("/design/:id/images/:imageId/move", { id: designId, imageId: _id })}
        prefetch="none"
        icon={<Icon of={FolderInput} />}
        data-command={here ? "Move image to…" : undefined}
      >
        Move to…
      </MenuLink>
    </>
  );
}

import { Copy, FolderInput, Layers, Star } from "lucide-react";
import type { ReactNode } from "react";
import { href } from "react-router";
import { MenuAction } from "~/forms/menu-action";
import { Icon } from "~/ui/icon";
import { MenuLink } from "~/ui/menu";

type DesignActionsProps = {
  design: { _id: string; favourite: boolean; coverChosen: boolean };
  /** Whether it is what the page is about, so that the palette offers it. */
  here?: boolean;
  /** What comes before the way elsewhere. */
  children?: ReactNode;
};

/** What a menu does with a design. */
export function DesignActions({ design: { _id, favourite, coverChosen }, here = false, children }: DesignActionsProps) {
  const called = (command: string) => (here ? { command } : {});
  return (
    <>
      <MenuAction
        intent="favouriteDesign"
        values={{ id: _id, favourite: favourite ? "" : "yes" }}
        icon={<Icon of={Star} />}
        {...called(favourite ? "No favourite design" : "Favourite design")}
      >
        {favourite ? "No favourite" : "Favourite"}
      </MenuAction>
      <MenuAction intent="duplicateDesign" values={{ id: _id }} icon={<Icon of={Copy} />} {...called("Duplicate design")}>
        Duplicate
      </MenuAction>
      {coverChosen ? (
        <MenuAction
          intent="latestCoverDesign"
          values={{ id: _id }}
          icon={<Icon of={Layers} />}
          {...called("Latest images as cover of the design")}
        >
          Latest images as cover
        </MenuAction>
      ) : null}
      {children}
      <MenuLink
        to={href("/design/:id/move", { id: _id })}
        prefetch="none"
        icon={<Icon of={FolderInput} />}
        data-command={here ? "Move design to…" : undefined}
      >
        Move to…
      </MenuLink>
    </>
  );
}

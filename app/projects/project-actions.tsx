import { Copy, Layers, Star } from "lucide-react";
import { MenuAction } from "~/forms/menu-action";
import { Icon } from "~/ui/icon";

type ProjectActionsProps = {
  project: { _id: string; favourite: boolean; coverChosen: boolean };
  /** Whether it is what the page is about, so that the palette offers it. */
  here?: boolean;
};

/** What a menu does with a project at once. */
export function ProjectActions({ project: { _id, favourite, coverChosen }, here = false }: ProjectActionsProps) {
  const called = (command: string) => (here ? { command } : {});
  return (
    <>
      <MenuAction
        intent="favouriteProject"
        values={{ id: _id, favourite: favourite ? "" : "yes" }}
        icon={<Icon of={Star} />}
        {...called(favourite ? "No favourite project" : "Favourite project")}
      >
        {favourite ? "No favourite" : "Favourite"}
      </MenuAction>
      <MenuAction intent="duplicateProject" values={{ id: _id }} icon={<Icon of={Copy} />} {...called("Duplicate project")}>
        Duplicate
      </MenuAction>
      {coverChosen ? (
        <MenuAction
          intent="latestCoverProject"
          values={{ id: _id }}
          icon={<Icon of={Layers} />}
          {...called("Latest images as cover of the project")}
        >
          Latest images as cover
        </MenuAction>
      ) : null}
    </>
  );
}

import { Copy, Layers, Star } from "lucide";
import { Icon } from "~/lib/ui/icons/icon";
import { MenuAction } from "../dialogs/menu-action";

type ItemActionsProps = {
  thing: "Project" | "Design";
  item: { _id: string; favourite: boolean; coverChosen: boolean };
  isPageItem?: boolean;
};

export function ItemActions({ thing, item: { _id, favourite, coverChosen }, isPageItem = false }: ItemActionsProps) {
  const called = (command: string) => (isPageItem ? { command } : {});
  const noun = thing.toLowerCase();
  return (
    <>
      <MenuAction
        intent={`favourite${thing}`}
        values={{ id: _id, favourite: favourite ? "" : "yes" }}
        icon={<Icon of={Star} />}
        {...called(favourite ? `Remove ${noun} from favourites` : `Add ${noun} to favourites`)}
      >
        {favourite ? "Remove from favourites" : "Add to favourites"}
      </MenuAction>
      <MenuAction intent={`duplicate${thing}`} values={{ id: _id }} icon={<Icon of={Copy} />} {...called(`Duplicate ${noun}`)}>
        Duplicate
      </MenuAction>
      {coverChosen ? (
        <MenuAction
          intent={`latestCover${thing}`}
          values={{ id: _id }}
          icon={<Icon of={Layers} />}
          {...called(`Reset cover of the ${noun}`)}
        >
          Reset cover
        </MenuAction>
      ) : null}
    </>
  );
}

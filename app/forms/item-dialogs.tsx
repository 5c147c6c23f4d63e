import { Download, MoreHorizontal, Pencil, Trash2 } from "lucide-react";
import { type MouseEvent, type ReactNode, useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { Menu, MenuLink } from "~/ui/menu";
import { type Question, QUESTIONS, withoutQuestion, withQuestion } from "./question";
import { RemoveDialog } from "./remove-dialog";
import { RenameDialog } from "./rename-dialog";

/** Something with a name in a list. */
export type Item = { _id: string; name: string };

type Asked = { what: Question; item: Item };

/**
 * What is being asked about one of a list's items. One dialog serves the whole list: the links that open it carry the question in the page's
 * search (`?rename=…`), so that the server can render it open; with scripts nothing is loaded for it.
 */
export function useItemDialogs(items: Item[]) {
  const [search] = useSearchParams();
  const [asked, ask] = useState<Asked | null>(() => askedIn(search, items));
  return { asked, ask };
}

function askedIn(search: URLSearchParams, items: Item[]): Asked | null {
  for (const what of QUESTIONS) {
    const item = items.find(({ _id }) => _id === search.get(what));
    if (item) return { what, item };
  }
  return null;
}

type ItemMenuProps = {
  item: Item;
  ask: (asked: Asked) => void;
  /** The address of what it holds as an archive; left out where there is nothing to be had. */
  archive?: string | undefined;
  /** What else can be done with it. */
  children?: ReactNode;
};

/** The button with three dots, and what it offers. */
export function ItemMenu({ item, ask, archive, children }: ItemMenuProps) {
  const id = `menu-${item._id}`;
  const { search } = useLocation();
  const asks = (what: Asked["what"]) => ({
    to: { search: withQuestion(search, what, item._id) },
    prefetch: "none" as const,
    onClick(event: MouseEvent) {
      event.preventDefault();
      ask({ what, item });
    },
  });
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        aria-label={`More for ${item.name}`}
        className={buttonClass({ look: "ghost", size: "icon-sm" })}
      >
        <Icon of={MoreHorizontal} />
      </button>
      <Menu id={id} label={item.name} className="w-52 min-w-0">
        <MenuLink {...asks("rename")} icon={<Icon of={Pencil} />}>
          Rename
        </MenuLink>
        {children}
        {archive === undefined ? null : (
          <MenuLink to={archive} reloadDocument prefetch="none" icon={<Icon of={Download} />}>
            Download
          </MenuLink>
        )}
        <MenuLink {...asks("remove")} icon={<Icon of={Trash2} />} danger>
          Move to trash
        </MenuLink>
      </Menu>
    </>
  );
}

type ItemDialogsProps = {
  state: ReturnType<typeof useItemDialogs>;
  /** "project", "design": what an item is called in a sentence. */
  thing: string;
  /** What goes with an item, in a sentence of its own. */
  loses: string;
  intents: { rename: string; remove: string };
  constraint: Parameters<typeof RenameDialog>[0]["constraint"];
};

/** The dialogs of a list's items. */
export function ItemDialogs({ state: { asked, ask }, thing, loses, intents, constraint }: ItemDialogsProps) {
  const close = useCloseToPage(() => ask(null));
  if (!asked) return null;
  const { what, item } = asked;
  const props = { key: `${what} ${item._id}`, item, thing, open: asked, onClose: close };
  return what === "rename" ? (
    <RenameDialog {...props} intent={intents.rename} constraint={constraint} />
  ) : (
    <RemoveDialog {...props} intent={intents.remove} loses={loses} />
  );
}

/** Closing takes the question out of the address, where it stands there. */
function useCloseToPage(onClose: () => void) {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return () => {
    onClose();
    const rest = withoutQuestion(search);
    if (search !== rest) void navigate(pathname + rest, { replace: true, preventScrollReset: true });
  };
}

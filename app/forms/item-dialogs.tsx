import { useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { type Question, withoutQuestion } from "./question";
import { RemoveDialog } from "./remove-dialog";
import { RenameDialog } from "./rename-dialog";

/** Something with a name in a list. */
export type Item = { _id: string; name: string };

export type Asked<I extends Item = Item> = { what: Question; item: I };

/**
 * What is being asked about one of a list's items. One dialog serves the whole list: the links that open it carry the question in the page's
 * search (`?rename=…`), so that the server can render it open; with scripts nothing is loaded for it.
 */
export const useItemDialogs = (items: Item[]) => useAsked(items, ["rename", "remove"]);

/** The same for a list whose items are asked about otherwise. */
export function useAsked<I extends Item>(items: I[], questions: Question[]) {
  const [search] = useSearchParams();
  const [asked, ask] = useState<Asked<I> | null>(() => askedIn(search, items, questions));
  return { asked, ask };
}

function askedIn<I extends Item>(search: URLSearchParams, items: I[], questions: Question[]): Asked<I> | null {
  for (const what of questions) {
    const item = items.find(({ _id }) => _id === search.get(what));
    if (item) return { what, item };
  }
  return null;
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
export function useCloseToPage(onClose: () => void) {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return () => {
    onClose();
    const rest = withoutQuestion(search);
    if (search !== rest) void navigate(pathname + rest, { replace: true, preventScrollReset: true });
  };
}

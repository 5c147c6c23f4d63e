import { useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { type DialogName, withoutOpenDialog } from "./open-dialog-param";
import { RenameDialog } from "./rename-dialog";
import type { IntentName } from "../intents";

export type Item = { _id: string; name: string };

export type OpenItemDialog<I extends Item = Item> = { what: DialogName; item: I };

/** Tracks the open dialog of a list. Links encode it in the search parameters (`?rename=…`), so that the server can render it. */
export const useItemDialogs = (items: Item[], names: DialogName[] = ["rename"]) => useOpenItemDialog(items, names);

export function useOpenItemDialog<I extends Item>(items: I[], names: DialogName[]) {
  const [search] = useSearchParams();
  const [openDialog, setOpenDialog] = useState<OpenItemDialog<I> | null>(() => dialogInUrl(search, items, names));
  return { openDialog, setOpenDialog };
}

function dialogInUrl<I extends Item>(search: URLSearchParams, items: I[], names: DialogName[]): OpenItemDialog<I> | null {
  for (const what of names) {
    const item = items.find(({ _id }) => _id === search.get(what));
    if (item) return { what, item };
  }
  return null;
}

type ItemDialogsProps = {
  state: ReturnType<typeof useItemDialogs>;
  thing: string;
  intent: IntentName;
  constraint: Parameters<typeof RenameDialog>[0]["constraint"];
};

export function ItemDialogs({ state: { openDialog, setOpenDialog }, ...rest }: ItemDialogsProps) {
  const close = useCloseToPage(() => setOpenDialog(null));
  if (openDialog?.what !== "rename") return null;
  return <RenameDialog key={openDialog.item._id} item={openDialog.item} open={openDialog} onClose={close} {...rest} />;
}

export function useCloseToPage(onClose: () => void) {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  return () => {
    onClose();
    const closedSearch = withoutOpenDialog(search);
    if (search !== closedSearch) void navigate(pathname + closedSearch, { replace: true, preventScrollReset: true });
  };
}

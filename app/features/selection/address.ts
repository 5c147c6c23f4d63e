import { SELECT } from "~/lib/forms/dialogs/open-dialog-param";

export function withSelect(search: string, on: boolean): string {
  const params = new URLSearchParams(search);
  if (on) params.set(SELECT, "1");
  else params.delete(SELECT);
  params.delete(SELECT_ALL);
  return params.size > 0 ? `?${params}` : "";
}

export function withSelectAll(search: string): string {
  const params = new URLSearchParams(withSelect(search, true));
  params.set(SELECT_ALL, "1");
  return `?${params}`;
}

export const SELECT_ALL = "all";
export const SELECTION_FORM = "selection";
export const DESTINATION_PARAM = "where";
export const SELECTED_FIELD = "ids";
export const SELECTION_FIELDS = ["kind", "back", "tag", "note"];

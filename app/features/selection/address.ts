import { SELECT } from "~/lib/forms/dialogs/open-dialog-param";

export function withSelect(search: string, on: boolean): string {
  const params = new URLSearchParams(search);
  if (on) params.set(SELECT, "1");
  else params.delete(SELECT);
  return params.size > 0 ? `?${params}` : "";
}

export const SELECTION_FORM = "selection";
export const CHOSEN_FIELD = "ids";
/** Fields in addition to those of the intents. `tag` is sent with every intent. */
export const SELECTION_FIELDS = ["kind", "back", "tag"];

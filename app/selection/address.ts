import { SELECT } from "~/forms/question";

/** The page's search that offers choosing, or no longer. */
export function withSelect(search: string, on: boolean): string {
  const params = new URLSearchParams(search);
  if (on) params.set(SELECT, "1");
  else params.delete(SELECT);
  return params.size > 0 ? `?${params}` : "";
}

/** The form to which all the check boxes of a page belong, wherever they stand. */
export const SELECTION_FORM = "selection";
/** The name of each of them. */
export const CHOSEN_FIELD = "ids";

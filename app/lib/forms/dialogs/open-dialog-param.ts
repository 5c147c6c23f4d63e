export const DIALOG_PARAMS = ["rename", "purge", "status"] as const;
export type DialogName = (typeof DIALOG_PARAMS)[number];

export const SELECT = "select";

export const MENU = "menu";

export const MENU_OPENER = `button[name="${MENU}"]`;

export function withOpenDialog(search: string, what: DialogName, id: string): string {
  const params = new URLSearchParams(withoutOpenDialog(search));
  params.set(what, id);
  return `?${params}`;
}

export function withoutOpenDialog(search: string): string {
  const params = new URLSearchParams(search);
  for (const what of [...DIALOG_PARAMS, MENU, SELECT]) params.delete(what);
  return params.size > 0 ? `?${params}` : "";
}

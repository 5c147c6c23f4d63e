/** Prefix of the ids of menu forms. */
export const MENU_FORM = "menu-";

export const ALL_MENUS = `${MENU_FORM}form`;
